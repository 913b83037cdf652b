//! A stopwatch of 100 minutes, for a goal that is far away.

/// The trap's shortest counterexample: one step for the button, 6,000 for the first minute.
pub const DEPTH: usize = 6001;

/// The model; the trap is its only property.
pub const TEXT: &str = "\
MODULE main
VAR
  start_stop : boolean; reset_lap : boolean;  -- buttons
  running : boolean; lap : boolean;
  hundredths : 0..99; seconds : 0..59; minutes : 0..99;
DEFINE
  reset := reset_lap & !running;
  second_over := running & hundredths = 99;
  minute_over := second_over & seconds = 59;
ASSIGN
  init(running) := FALSE; next(running) := start_stop ? !running : running;
  init(lap) := FALSE; next(lap) := reset_lap ? running & !lap : lap;
  init(hundredths) := 0;
  next(hundredths) := case
    reset : 0;
    running : (hundredths + 1) mod 100;
    TRUE : hundredths;
  esac;
  init(seconds) := 0;
  next(seconds) := case
    reset : 0;
    second_over : (seconds + 1) mod 60;
    TRUE : seconds;
  esac;
  init(minutes) := 0;
  next(minutes) := case
    reset : 0;
    minute_over : (minutes + 1) mod 100;
    TRUE : minutes;
  esac;
INVARSPEC !(minutes = 1 & seconds = 0 & hundredths = 0)
";

/// What the trap denies.
pub const GOAL: &str = "minutes = 1 & seconds = 0 & hundredths = 0";
