/* The safety injection system, as somebody might implement it. With -DWRONG, the reset switch no
 * longer ends an override. */
#ifndef SAFETY_INJECTION_H
#define SAFETY_INJECTION_H

#include <stdbool.h>

enum pressure { TOO_LOW, PERMITTED, HIGH };

struct safety_injection {
    bool block;
    bool reset;
    enum pressure pressure;
    bool is_overridden;
};

static inline void si_start(struct safety_injection *si, bool block, bool reset)
{
    si->block = block;
    si->reset = reset;
    si->pressure = PERMITTED;
    si->is_overridden = false;
}

static inline void si_sample(struct safety_injection *si, bool block, bool reset, int water_pressure)
{
    bool blocked = !si->block && block;
    bool was_reset = !si->reset && reset;
    si->pressure = water_pressure < 90 ? TOO_LOW : water_pressure < 100 ? PERMITTED : HIGH;
    if (si->pressure == HIGH) {
        si->is_overridden = false;
    } else if (was_reset) {
#ifndef WRONG
        si->is_overridden = false;
#endif
    } else if (blocked && !si->reset && !reset) {
        si->is_overridden = true;
    }
    si->block = block;
    si->reset = reset;
}

static inline bool si_injects(const struct safety_injection *si)
{
    return si->pressure == TOO_LOW && !si->is_overridden;
}

#endif
