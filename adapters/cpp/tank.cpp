// The tank of ../example/tank.smv. With -DWRONG it does not fill to the brim.
#include "trapline_sut.hpp"

namespace {

const int FULL = 5;
#ifdef WRONG
const int BRIM = FULL - 1;
#else
const int BRIM = FULL;
#endif

class Tank : public trapline::Implementation {
    int level = 0;

    void show(trapline::Outputs &out, bool alarm) const
    {
        out.set("level", level);
        out.set("mode", level == 0 ? "empty" : level == FULL ? "full" : "some");
        out.set("alarm", alarm);
    }

    void reset(const trapline::Inputs &, trapline::Outputs &out) override
    {
        level = 0;
        show(out, false);
    }

    void step(const trapline::Inputs &in, trapline::Outputs &out) override
    {
        const int amount = static_cast<int>(in.integer("amount"));
        const std::string cmd = in.text("cmd");
        bool alarm = false;
        if (!in.boolean("lock")) {
            alarm = cmd == "fill" && level + amount > FULL;
            if (cmd == "fill" && level + amount <= BRIM) level += amount;
            if (cmd == "drain" && level >= amount) level -= amount;
        }
        show(out, alarm);
    }
};

} // namespace

int main()
{
    Tank tank;
    return trapline::serve(tank);
}
