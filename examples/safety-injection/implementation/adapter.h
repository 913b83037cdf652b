/* Connects the tests with the implementation. */
#include "safety_injection.h"

static struct safety_injection si;

static bool is_on(const char *value)
{
    return strcmp(value, "On") == 0;
}

static void note(struct outputs *outputs)
{
    static const char *const names[] = { "TooLow", "Permitted", "High" };
    outputs->Pressure = names[si.pressure];
    outputs->SafetyInjection = si_injects(&si) ? "On" : "Off";
}

static void adapter_reset(const struct inputs *inputs, struct outputs *outputs)
{
    si_start(&si, is_on(inputs->Block), is_on(inputs->Reset));
    note(outputs);
}

static void adapter_step(const struct inputs *inputs, struct outputs *outputs)
{
    si_sample(&si, is_on(inputs->Block), is_on(inputs->Reset), (int)inputs->WaterPres);
    note(outputs);
}
