// Connects the tests with the implementation, which is in C.
#include "safety_injection.h"

// One test: made anew for each.
class Adapter {
public:
    Outputs reset(const Inputs &inputs)
    {
        si_start(&si, inputs.Block == "On", inputs.Reset == "On");
        return outputs();
    }

    Outputs step(const Inputs &inputs)
    {
        si_sample(&si, inputs.Block == "On", inputs.Reset == "On", static_cast<int>(inputs.WaterPres));
        return outputs();
    }

private:
    Outputs outputs() const
    {
        static const char *const names[] = { "TooLow", "Permitted", "High" };
        return { names[si.pressure], si_injects(&si) ? "On" : "Off" };
    }

    safety_injection si;
};
