/* The advisory logic of advisory.smv. */
#ifndef ADVISORY_H
#define ADVISORY_H

#include <stdbool.h>

enum selection { SELECT_OFF, SELECT_ALERT, SELECT_FULL };
enum intent { INTENT_NONE, INTENT_ABOVE, INTENT_BELOW };
enum advisory { CLEAR, TRAFFIC, CLIMB, DESCEND, LEVEL };

struct cycle {
    int own_level, other_level;
    int own_rate, other_rate;
    int distance, closing;
    int height;
    enum selection selected;
    bool reliable;
    bool equipped;
    enum intent intent;
    bool heavy;
};

/* Back to the state before the first cycle. */
void advisory_reset(void);

/* One cycle: takes what was measured, and returns what the pilot is told. */
enum advisory advise(const struct cycle *in);

#endif
