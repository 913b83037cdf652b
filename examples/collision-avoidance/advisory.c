/* The advisory logic of advisory.smv. */
#include "advisory.h"

#include <stdlib.h>

#define COAST_CYCLES 2    /* a lost track is used for so long */
#define CONFIRM_CYCLES 2  /* a threat must persist for so long */
#define MAX_SEEN 3
#define TOP_LEVEL 7

#define NEAR_REACH 5
#define NEAR_GAP 4
#define DANGER_GAP 2
#define LIMIT_RESOLVING 4
#define LIMIT_LOW 2
#define LIMIT_NORMAL 3

#define GROUND_HEIGHT 1   /* below it we are low */
#define SAFE_HEIGHT 3     /* until we reach this */

enum sense { SENSE_NONE, SENSE_UP, SENSE_DOWN };

/* What is remembered from cycle to cycle. */
static struct {
    int lost;             /* cycles without a reliable track */
    int seen;             /* cycles in danger so far */
    bool was_low;
    enum advisory held;   /* the advisory before */
    enum sense sense;     /* the way out that was chosen */
    bool reversed;        /* it was changed once: not again */
} state;

void advisory_reset(void)
{
    state.lost = COAST_CYCLES;
    state.seen = 0;
    state.was_low = true;
    state.held = CLEAR;
    state.sense = SENSE_NONE;
    state.reversed = false;
}

/* ---- The track ---- */

static bool is_usable(const struct cycle *in)
{
    return in->reliable || state.lost < COAST_CYCLES;
}

static void update_track(const struct cycle *in)
{
    if (in->reliable)
        state.lost = 0;
    else if (state.lost < COAST_CYCLES)
        state.lost++;
}

static int gap(const struct cycle *in)
{
    return in->other_level - in->own_level;
}

static int next_gap(const struct cycle *in)
{
    return gap(in) + in->other_rate - in->own_rate;
}

static int reach(const struct cycle *in)
{
    return in->distance - in->closing;
}

/* ---- The threat ---- */

static bool is_low(const struct cycle *in)
{
    return in->height < GROUND_HEIGHT || (state.was_low && in->height < SAFE_HEIGHT);
}

static bool is_resolving(void)
{
    return state.held == CLIMB || state.held == DESCEND || state.held == LEVEL;
}

static int limit(const struct cycle *in)
{
    if (is_resolving())
        return LIMIT_RESOLVING;
    if (is_low(in))
        return LIMIT_LOW;
    return LIMIT_NORMAL;
}

static bool is_near(const struct cycle *in)
{
    return is_usable(in) && reach(in) <= NEAR_REACH && abs(gap(in)) <= NEAR_GAP;
}

static bool is_danger(const struct cycle *in)
{
    return is_near(in) && reach(in) <= limit(in) && abs(next_gap(in)) <= DANGER_GAP;
}

static bool is_confirmed(const struct cycle *in)
{
    return is_danger(in)
        && (state.seen >= CONFIRM_CYCLES || reach(in) <= 0 || is_resolving());
}

static void update_threat(bool danger)
{
    if (!danger)
        state.seen = 0;
    else if (state.seen < MAX_SEEN)
        state.seen++;
}

/* ---- The way out ---- */

static bool goes_up(const struct cycle *in)
{
    if (state.reversed)
        return state.sense == SENSE_UP;
    if (in->equipped && in->intent != INTENT_NONE)
        return in->intent == INTENT_BELOW;
    if (state.sense == SENSE_NONE)
        return next_gap(in) < 0 || (next_gap(in) == 0 && in->own_rate > 0);
    return state.sense == SENSE_UP;
}

static bool can_climb(const struct cycle *in)
{
    return !in->heavy && in->own_level < TOP_LEVEL;
}

static bool can_descend(const struct cycle *in)
{
    return !is_low(in) && in->own_level > 0;
}

static void update_sense(bool confirmed, bool up)
{
    if (!confirmed) {
        state.sense = SENSE_NONE;
        state.reversed = false;
        return;
    }
    if ((state.sense == SENSE_UP && !up) || (state.sense == SENSE_DOWN && up))
        state.reversed = true;
    state.sense = up ? SENSE_UP : SENSE_DOWN;
}

/* ---- The advisory ---- */

static enum advisory choose(const struct cycle *in, bool confirmed, bool up)
{
    if (in->selected == SELECT_OFF)
        return CLEAR;
    if (!is_near(in))
        return is_resolving() ? TRAFFIC : CLEAR;
    if (!confirmed || in->selected == SELECT_ALERT)
        return TRAFFIC;
    if (up && can_climb(in))
        return CLIMB;
    if (!up && can_descend(in))
        return DESCEND;
    return LEVEL;
}

enum advisory advise(const struct cycle *in)
{
    bool low = is_low(in);
    bool danger = is_danger(in);
    bool confirmed = is_confirmed(in);
    bool up = goes_up(in);
    enum advisory advisory = choose(in, confirmed, up);

    update_track(in);
    update_threat(danger);
    update_sense(confirmed, up);
    state.was_low = low;
    state.held = advisory;
    return advisory;
}
