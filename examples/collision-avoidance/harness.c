/* Connects advisory.c to `trapline run`.
 *
 *     cc -o advisory examples/collision-avoidance/advisory.c examples/collision-avoidance/harness.c
 */
#include "advisory.h"

#include "../../adapters/c/trapline_sut.h"

static struct cycle read_cycle(const trapline_inputs *in)
{
    struct cycle cycle = {
        .own_level = (int)trapline_int(in, "own_level"),
        .other_level = (int)trapline_int(in, "other_level"),
        .own_rate = (int)trapline_int(in, "own_rate"),
        .other_rate = (int)trapline_int(in, "other_rate"),
        .distance = (int)trapline_int(in, "distance"),
        .closing = (int)trapline_int(in, "closing"),
        .height = (int)trapline_int(in, "height"),
        .selected = trapline_is(in, "selected", "off")     ? SELECT_OFF
                    : trapline_is(in, "selected", "alert") ? SELECT_ALERT
                                                           : SELECT_FULL,
        .reliable = trapline_true(in, "reliable"),
        .equipped = trapline_true(in, "equipped"),
        .intent = trapline_is(in, "intent", "none")    ? INTENT_NONE
                  : trapline_is(in, "intent", "above") ? INTENT_ABOVE
                                                       : INTENT_BELOW,
        .heavy = trapline_true(in, "heavy"),
    };
    return cycle;
}

static void step(const trapline_inputs *in, trapline_outputs *out)
{
    static const char *const names[] = {"clear", "traffic", "climb", "descend", "level"};
    struct cycle cycle = read_cycle(in);
    trapline_symbol(out, "advisory", names[advise(&cycle)]);
}

/* The inputs of state 0 come with the reset. */
static void reset(const trapline_inputs *in, trapline_outputs *out)
{
    advisory_reset();
    step(in, out);
}

int main(void) { return trapline_serve(reset, step); }
