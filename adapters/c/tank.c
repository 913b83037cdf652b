/* The tank of ../example/tank.smv. With -DWRONG it does not fill to the brim. */
#include "trapline_sut.h"

#define FULL 5
#ifdef WRONG
#define BRIM (FULL - 1)
#else
#define BRIM FULL
#endif

static int level;

static void show(trapline_outputs *out, int alarm)
{
    trapline_number(out, "level", level);
    trapline_symbol(out, "mode", level == 0 ? "empty" : level == FULL ? "full" : "some");
    trapline_bool(out, "alarm", alarm);
}

static void reset(const trapline_inputs *in, trapline_outputs *out)
{
    (void)in;
    level = 0;
    show(out, 0);
}

static void step(const trapline_inputs *in, trapline_outputs *out)
{
    int amount = (int)trapline_int(in, "amount");
    int alarm = 0;
    if (!trapline_true(in, "lock")) {
        if (trapline_is(in, "cmd", "fill")) {
            alarm = level + amount > FULL;
            if (level + amount <= BRIM) level += amount;
        } else if (trapline_is(in, "cmd", "drain") && level >= amount) {
            level -= amount;
        }
    }
    show(out, alarm);
}

int main(void) { return trapline_serve(reset, step); }
