//! The fewest tests, then the fewest steps, that still do everything.
