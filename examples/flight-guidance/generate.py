#!/usr/bin/env python3
"""Writes full.smv: a flight guidance system with two sides and more than 300 state variables.

The tables say which switches, modes, sensors and alerts a side has; the rest is text.
Without arguments the model goes to standard output:

    python3 generate.py > full.smv
"""

import re

# The switches of a panel; if several are pressed in the same cycle, the first one counts.
SWITCHES = ["Goa", "Engage", "Director", "Transfer", "Appr", "Bc", "Nav", "Lnav", "Hdg", "Trk",
            "Alt", "Flc", "Vs", "Fpa", "Vnav", "Source", "Yaw", "Page", "Sync", "Ack"]

# Lateral modes: the default one, those that are active at once, and those that are armed first:
# the switch, the source they need, and the sensors that let them capture.
LATERAL_DEFAULT = "ROLL"
LATERAL_PLAIN = [("HDG", "Hdg"), ("TRK", "Trk"), ("LGA", "Goa")]
LATERAL_ARMED = [("LAPPR", "Appr", "LOC", ["beam"]),
                 ("LBC", "Bc", "LOC", ["back_beam"]),
                 ("NAV", "Nav", "VOR", ["course"]),
                 ("LNAV", "Lnav", "FMS", ["leg"])]

# Vertical modes, likewise; ALTSEL is written out below.
VERTICAL_DEFAULT = "PITCH"
VERTICAL_PLAIN = [("VS", "Vs"), ("FPA", "Fpa"), ("FLC", "Flc"), ("ALT", "Alt"), ("VGA", "Goa")]
VERTICAL_ARMED = [("VAPPR", "Appr", ["glide"]), ("VNAV", "Vnav", ["path"])]

SENSORS = [("beam", "the localizer is near"), ("back_beam", "its back course is near"),
           ("course", "the radial is near"), ("leg", "the leg of the flight plan is near"),
           ("glide", "the glide slope is near"), ("path", "the descent path is near"),
           ("near_target", "the selected altitude comes near"),
           ("at_target", "the selected altitude is reached")]
RECEIVERS = [("vor", "VOR"), ("loc", "LOC"), ("fms", "FMS")]
KNOBS = ["heading", "radial", "altitude", "speed"]
SERVOS = ["roll_servo", "pitch_servo", "yaw_servo"]

ALERTS = [("receiver_alert", "guidance_lost"), ("servo_alert", "servo_failed"),
          ("bus_alert", "!bus_up"), ("speed_alert", "overspeed"),
          ("altitude_alert", "vertical.ALTSEL.state = Track & !sensors.at_target.good")]

LATERAL = [LATERAL_DEFAULT] + [m[0] for m in LATERAL_PLAIN] + [m[0] for m in LATERAL_ARMED]
VERTICAL = ([VERTICAL_DEFAULT] + [m[0] for m in VERTICAL_PLAIN] + ["ALTSEL"]
            + [m[0] for m in VERTICAL_ARMED])
STATES = {"ALTSEL": "{Cleared, Armed, Capture, Track}"}
for armed_mode in LATERAL_ARMED + VERTICAL_ARMED:
    STATES[armed_mode[0]] = "{Cleared, Armed, Active}"


def states(mode):
    return STATES.get(mode, "{Cleared, Active}")


def table(rows):
    """The rows of a case."""
    return "\n".join(f"    {guard} : {value};" for guard, value in rows)


def aligned(text):
    """Puts the values of each case below each other."""
    def align(case):
        rows = [row.rsplit(" : ", 1) for row in case.group(2).splitlines()]
        width = max(len(guard.rstrip()) for guard, _ in rows)
        body = "".join(f"{guard.rstrip():{width}} : {value}\n" for guard, value in rows)
        return case.group(1) + body + case.group(3)
    return re.sub(r"(:= case\n)(.*?)(  esac;)", align, text, flags=re.DOTALL)


def columns(pairs, between, indent="  ", end=";"):
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{indent}{name:{width}} {between} {value}{end}" for name, value in pairs)


def is_active(mode, prefix=""):
    if mode == "ALTSEL":
        return f"{prefix}ALTSEL.state in {{Capture, Track}}"
    return f"{prefix}{mode}.state = Active"


def any_of(items):
    return " | ".join(items)


def number_of(modes):
    """How many of the modes are active."""
    return "count(" + ",\n                       ".join(is_active(m) for m in modes) + ")"


def wrapped(names):
    """A list of names, ten on a line."""
    return ",\n  ".join(", ".join(names[at:at + 10]) for at in range(0, len(names), 10))


def lines_of(items, between):
    """A long disjunction or conjunction, on lines of its own."""
    return f"\n      {between} ".join(items)


def roles():
    """The pragmas of what nobody sees; the IVARs are inputs without one."""
    names = [f"panel.{s.lower()}.{v}" for s in SWITCHES for v in ("last", "held")]
    names += [f"sensors.{n}.{v}" for n, _ in SENSORS for v in ("timer", "good")]
    names += [f"receivers.{n}.{v}" for n, _ in RECEIVERS for v in ("timer", "good")]
    names += [f"knobs.{n}.timer" for n in KNOBS]
    names += [f"{n}.{v}" for n in SERVOS for v in ("state", "timer")]
    names += [f"bus.{n}" for n in ["up", "timer"] + LATERAL + VERTICAL]
    names += ["lateral", "vertical", "source"]
    lines = []
    for side in ("left", "right"):
        of_side = [f"{side}.{n}" for n in names]
        lines += ["-- @internal " + " ".join(of_side[at:at + 4]) for at in range(0, len(of_side), 4)]
    return "\n".join(lines + ["-- @internal modes independent"])


def main_module():
    return MAIN.replace("ROLES", roles())


MAIN = """\
-- A flight guidance system with two sides: panels, sensors, receivers, mode logic, autopilot,
-- displays and alerts. Written by generate.py; do not edit.
--
-- Each side has everything. The active one commands; the other one follows what it hears on the
-- bus between them, so that it can take over. On an approach that both sides see, each commands
-- for itself.
MODULE main

-- @output left.lamps right.lamps left.flashes right.flashes left.alerts right.alerts
-- @output left.director left.bars left.damper left.page left.caution
-- @output right.director right.bars right.damper right.page right.caution
-- @output left.lateral_shown left.vertical_shown right.lateral_shown right.vertical_shown
-- @output ap throttle active
ROLES

IVAR
  disconnect : boolean;      -- the switch on the yoke
  overspeed  : boolean;
  lamp_test  : boolean;

VAR
  left  : side(right, active = Left, independent, modes, starts, stops, ap, overspeed, lamp_test);
  right : side(left, active = Right, independent, modes, starts, stops, ap, overspeed, lamp_test);
  ap    : autopilot(engage_switch, disconnect, overspeed, servo_failed);

  active      : {Left, Right};
  independent : boolean;
  modes       : {Off, On};
  throttle    : {Manual, Speed, Climb, Full};

DEFINE
  wanted := left.director_next = On | right.director_next = On | ap.state_next = Engaged;
  starts := modes = Off & wanted;
  stops  := modes = On & !wanted;

  engage_switch := active = Left ? left.command = Engage : right.command = Engage;
  servo_failed  := active = Left ? left.servo_failed : right.servo_failed;
  transfers     := (left.command = Transfer | right.command = Transfer) & !independent;
  go_around     := active = Left ? left.vertical.VGA.state = Active : right.vertical.VGA.state = Active;
  both_receive  := left.receiver = LOC & right.receiver = LOC;
  speed_set     := active = Left ? left.knobs.speed.changed : right.knobs.speed.changed;
  level_change  := active = Left ? left.vertical.FLC.state = Active : right.vertical.FLC.state = Active;

ASSIGN
  init(modes) := Off;
  next(modes) := case
    starts : On;
    stops  : Off;
    TRUE   : modes;
  esac;

  init(active) := Left;
  next(active) := case
    transfers & active = Left  : Right;
    transfers & active = Right : Left;
    TRUE                       : active;
  esac;

  init(independent) := FALSE;
  next(independent) := case
    left.on_approach & right.on_approach & both_receive & left.bus.up & right.bus.up : TRUE;
    !left.on_approach & !right.on_approach                            : FALSE;
    TRUE                                                              : independent;
  esac;

  init(throttle) := Manual;
  next(throttle) := case
    modes = Off                                  : Manual;
    overspeed                                    : Speed;
    go_around                                    : Full;
    level_change & throttle in {Speed, Manual} & !speed_set : Climb;
    throttle = Full & ap.state = Disengaged      : Manual;
    throttle = Manual & ap.state = Engaged       : Speed;
    throttle = Climb & (speed_set | !level_change) : Speed;
    TRUE                                         : throttle;
  esac;

INVARSPEC NAME autopilot_shows_modes := ap.state = Engaged -> modes = On & left.director = On & right.director = On
INVARSPEC NAME off_is_off := modes = Off -> left.lateral.none_active & right.vertical.none_active
INVARSPEC NAME bars_follow_director := left.director = Off <-> left.bars = Hidden
INVARSPEC NAME at_most_one_lateral_mode := left.lateral.n_active <= 1
INVARSPEC NAME at_most_one_vertical_mode := right.vertical.n_active <= 1
"""


def small_modules():
    return """\
-- A switch. It is pressed once it was seen in two cycles, and again only after it was released as
-- long.
MODULE switch_input

IVAR
  raw : boolean;

VAR
  last : boolean;
  held : boolean;

DEFINE
  pressed := raw & last & !held;

ASSIGN
  init(last) := FALSE;
  next(last) := raw;

  init(held) := FALSE;
  next(held) := case
    raw & last   : TRUE;
    !raw & !last : FALSE;
    TRUE         : held;
  esac;

-- A condition that counts when it was true in three cycles.
MODULE sensor

IVAR
  raw : boolean;

VAR
  timer : 0..2;
  good  : boolean;

ASSIGN
  init(timer) := 0;
  next(timer) := case
    !raw      : 0;
    timer < 2 : timer + 1;
    TRUE      : timer;
  esac;

  init(good) := FALSE;
  next(good) := case
    !raw      : FALSE;
    timer = 2 : TRUE;
    TRUE      : good;
  esac;

-- A knob. Its value has changed once it was turned and has rested for two cycles.
MODULE knob

IVAR
  turned : boolean;

VAR
  timer : 0..2;

DEFINE
  changed := timer = 1 & !turned;

ASSIGN
  init(timer) := 0;
  next(timer) := case
    turned    : 2;
    timer > 0 : timer - 1;
    TRUE      : timer;
  esac;

-- The monitor of a servo: a deviation is suspect, and a failure if it stays. Engaging the autopilot
-- anew is another chance for it.
MODULE servo(retry)

IVAR
  deviates : boolean;

VAR
  state : {Good, Suspect, Failed};
  timer : 0..3;

ASSIGN
  init(state) := Good;
  next(state) := case
    state = Failed & retry & !deviates     : Good;
    state = Good & deviates                : Suspect;
    state = Suspect & !deviates            : Good;
    state = Suspect & timer = 3            : Failed;
    TRUE                                   : state;
  esac;

  init(timer) := 0;
  next(timer) := case
    state != Suspect : 0;
    timer < 3        : timer + 1;
    TRUE             : timer;
  esac;

-- A lamp in a switch.
MODULE lamp(lit, test)

VAR
  state : {Dark, Lit, Test};

ASSIGN
  init(state) := Dark;
  next(state) := case
    test : Test;
    lit  : Lit;
    TRUE : Dark;
  esac;

-- The annunciation of a mode flashes for three cycles after it became active, or until the crew
-- acknowledges it.
MODULE flash(is_active, acknowledged)

VAR
  shown : boolean;
  timer : 0..3;

ASSIGN
  init(shown) := FALSE;
  next(shown) := is_active;

  init(timer) := 0;
  next(timer) := case
    is_active & !shown : 3;
    acknowledged     : 0;
    timer > 0        : timer - 1;
    TRUE             : timer;
  esac;

-- An alert is new until the crew has seen it.
MODULE alert(cause, acknowledged)

VAR
  state : {Clear, New, Seen};

ASSIGN
  init(state) := Clear;
  next(state) := case
    state = Clear & cause        : New;
    state = New & acknowledged   : Seen;
    state = New & !cause         : Clear;
    state = Seen & !cause        : Clear;
    TRUE                         : state;
  esac;

-- The autopilot of both sides. The crew is warned when it lets go: for a cycle if they asked for
-- it, else until they use the switch on the yoke.
MODULE autopilot(engage_switch, disconnect, overspeed, servo_failed)

VAR
  state   : {Disengaged, Engaged};
  warning : {Quiet, Brief, Lasting};

DEFINE
  engages     := engage_switch & state = Disengaged & !disconnect & !overspeed & !servo_failed;
  asked_to_go := state = Engaged & (engage_switch | disconnect);
  lets_go     := state = Engaged & (overspeed | servo_failed);

  state_next := case
    engages               : Engaged;
    asked_to_go | lets_go : Disengaged;
    TRUE                  : state;
  esac;

ASSIGN
  init(state) := Disengaged;
  next(state) := state_next;

  init(warning) := Quiet;
  next(warning) := case
    asked_to_go                    : Brief;
    lets_go                        : Lasting;
    engages                        : Quiet;
    warning = Brief                : Quiet;
    warning = Lasting & disconnect : Quiet;
    TRUE                           : warning;
  esac;

-- A mode that is active as soon as it is selected. A side that follows takes over what it hears.
MODULE mode(stops, follows, heard, selects, replaced, leaves)

VAR
  state : {Cleared, Active};

ASSIGN
  init(state) := Cleared;
  next(state) := case
    stops                     : Cleared;
    follows                   : heard;
    state = Cleared & selects : Active;
    state = Active & replaced : Cleared;
    state = Active & leaves   : Cleared;
    TRUE                      : state;
  esac;

-- The mode that is active if no other one is.
MODULE default_mode(stops, follows, heard, falls_back, replaced)

VAR
  state : {Cleared, Active};

ASSIGN
  init(state) := Cleared;
  next(state) := case
    stops                       : Cleared;
    follows                     : heard;
    falls_back                  : Active;
    state = Active & replaced   : Cleared;
    TRUE                        : state;
  esac;

-- A mode that waits for its condition once it is selected.
MODULE armed_mode(stops, follows, heard, arms, captures, clears)

VAR
  state : {Cleared, Armed, Active};

ASSIGN
  init(state) := Cleared;
  next(state) := case
    stops                    : Cleared;
    follows                  : heard;
    state = Cleared & arms   : Armed;
    state = Armed & captures : Active;
    state = Armed & clears   : Cleared;
    state = Active & clears  : Cleared;
    TRUE                     : state;
  esac;

-- Altitude select: armed, capturing and tracking the altitude that the crew selected.
MODULE altitude_select(stops, follows, heard, arms, captures, tracks, clears)

VAR
  state : {Cleared, Armed, Capture, Track};

ASSIGN
  init(state) := Cleared;
  next(state) := case
    stops                     : Cleared;
    follows                   : heard;
    state = Cleared & arms    : Armed;
    state = Armed & captures  : Capture;
    state != Cleared & clears : Cleared;
    state = Capture & tracks  : Track;
    TRUE                      : state;
  esac;
"""


def bus_module():
    modes = [("lateral", m) for m in LATERAL] + [("vertical", m) for m in VERTICAL]
    variables = columns([(m, states(m)) for _, m in modes], ":")
    assigns = "\n".join(f"""
  init({m}) := Cleared;
  next({m}) := case
    stops : Cleared;
    up    : other.{group}.{m}.state;
    TRUE  : {m};
  esac;""" for group, m in modes)
    return f"""\
-- What a side hears of the other one. After a fault the bus counts as up again when it was good in
-- three cycles; until then what was heard last stays.
MODULE cross_side(other, stops)

IVAR
  fault : boolean;

VAR
  up    : boolean;
  timer : 0..2;
{variables}

ASSIGN
  init(up) := TRUE;
  next(up) := case
    fault     : FALSE;
    timer = 2 : TRUE;
    TRUE      : up;
  esac;

  init(timer) := 0;
  next(timer) := case
    fault     : 0;
    timer < 2 : timer + 1;
    TRUE      : timer;
  esac;
{assigns}
"""


def lateral_module():
    plain = [(m, f"mode(stops, follows, heard.{m}, selects_{m}, activation, leaves_{m})")
             for m, _ in LATERAL_PLAIN]
    armed = [(m, f"armed_mode(stops, follows, heard.{m}, arms_{m}, captures_{m}, clears_{m})")
             for m, *_ in LATERAL_ARMED]
    default = [(LATERAL_DEFAULT,
                f"default_mode(stops, follows, heard.{LATERAL_DEFAULT}, falls_back, activation)")]
    switches = ", ".join(s for _, s, *_ in LATERAL_PLAIN + LATERAL_ARMED)
    events = []
    for m, s in LATERAL_PLAIN:
        events.append((f"selects_{m}", f"enabled & command = {s} & {m}.state = Cleared"))
        leaves = f"command = {s}" if m != "LGA" else "(ap_engages | command = Sync)"
        if m == "TRK":
            leaves = "(command = Trk | knobs.heading.changed)"
        events.append((f"leaves_{m}", f"enabled & {m}.state = Active & {leaves}"))
    for m, s, source, sensors in LATERAL_ARMED:
        events.append((f"arms_{m}", f"enabled & command = {s} & receiver = {source} & {m}.state = Cleared"))
        conditions = " & ".join(f"sensors.{c}.good" for c in sensors)
        events.append((f"captures_{m}",
                       f"enabled & {m}.state = Armed & receiver = {source} & {conditions} & !pressed"))
    for m, s, source, _ in LATERAL_ARMED:
        lost = f"receiver != {source}" + (" | knobs.radial.changed" if m == "NAV" else "")
        others = any_of(f"arms_{o}" for o, *_ in LATERAL_ARMED if o != m)
        events.append((f"clears_{m}",
                       f"enabled & (command in {{{s}, Goa}} | {others}\n      | {m}.state = Active & (activation | {lost}))"))
    activation = any_of([f"selects_{m}" for m, _ in LATERAL_PLAIN]
                        + [f"captures_{m}" for m, *_ in LATERAL_ARMED])
    left = lines_of([f"leaves_{m}" for m, _ in LATERAL_PLAIN]
                    + [f"{m}.state = Active & clears_{m}" for m, *_ in LATERAL_ARMED], "|")
    none = lines_of([f"{m}.state != Active" for m in LATERAL], "&")
    number = number_of(LATERAL)
    return f"""\
-- The lateral modes of a side: basic roll, heading, track, go around, localizer, back course,
-- radio navigation and flight plan.
MODULE lateral_modes(starts, stops, enabled, follows, heard, command, receiver, sensors, knobs, ap_engages)

VAR
{columns(default + plain + armed, ":")}

DEFINE
  pressed := command in {{{switches}}};

{columns(events, ":=")}

  activation  := {activation};
  deselection := {left};
  none_active := {none};
  n_active    := {number};
  falls_back  := starts | enabled & !activation & (deselection | none_active);
"""


def vertical_module():
    plain = [(m, f"mode(stops, follows, heard.{m}, selects_{m}, activation, leaves_{m})")
             for m, _ in VERTICAL_PLAIN]
    armed = [(m, f"armed_mode(stops, follows, heard.{m}, arms_{m}, captures_{m}, clears_{m})")
             for m, *_ in VERTICAL_ARMED]
    default = [(VERTICAL_DEFAULT,
                f"default_mode(stops, follows, heard.{VERTICAL_DEFAULT}, falls_back, activation)")]
    altsel = [("ALTSEL", "altitude_select(stops, follows, heard.ALTSEL, arms_ALTSEL, captures_ALTSEL,"
               "\n                          sensors.at_target.good, clears_ALTSEL)")]
    switches = ", ".join(s for _, s in VERTICAL_PLAIN)
    # At an overspeed nothing but FLC and going around can be selected, and FLC is by itself.
    events = []
    for m, s in VERTICAL_PLAIN:
        guard = f"enabled & command = {s} & {m}.state = Cleared"
        if m == "FLC":
            guard = "enabled & FLC.state = Cleared & VAPPR.state != Active\n      & (command = Flc | overspeed & command != Goa)"
        elif m != "VGA":
            guard += " & VAPPR.state != Active & !overspeed"
        events.append((f"selects_{m}", guard))
        leaves = f"command = {s}"
        if m == "FLC":
            leaves = "command = Flc & !overspeed"
        if m == "VGA":
            leaves = "(ap_engages | command = Sync)"
        if m == "ALT":
            leaves = "(command = Alt | knobs.altitude.changed)"
        events.append((f"leaves_{m}", f"enabled & {m}.state = Active & {leaves}"))
    events.append(("arms_VAPPR", "lateral.arms_LAPPR"))
    events.append(("arms_VNAV", "enabled & command = Vnav & VNAV.state = Cleared & VAPPR.state != Active"))
    events.append(("captures_VAPPR", "enabled & VAPPR.state = Armed & lateral.LAPPR.state = Active & !lateral.clears_LAPPR"
                   "\n      & sensors.glide.good & !pressed & !overspeed"))
    events.append(("captures_VNAV", "enabled & VNAV.state = Armed & lateral.LNAV.state = Active & sensors.path.good"
                   "\n      & !pressed & !overspeed & !captures_VAPPR & VAPPR.state != Active"))
    events.append(("captures_ALTSEL", "enabled & ALTSEL.state = Armed & sensors.near_target.good & !pressed & !overspeed"
                   "\n      & !captures_VAPPR & !captures_VNAV"))
    changing = any_of(f"{m}.state = Active" for m in [VERTICAL_DEFAULT, "VS", "FPA", "FLC", "VGA"])
    events.append(("arms_ALTSEL", f"enabled & !activation & !sensors.near_target.good\n      & ({changing})"))
    events.append(("clears_ALTSEL", "enabled & (selects_ALT | selects_VGA | captures_VAPPR | captures_VNAV"
                   "\n      | ALTSEL.state in {Capture, Track} & (activation | knobs.altitude.changed))"))
    events.append(("clears_VAPPR", "enabled & (lateral.clears_LAPPR | selects_VGA"
                   "\n      | VAPPR.state = Active & activation)"))
    events.append(("clears_VNAV", "enabled & (command = Vnav | selects_VGA | arms_VAPPR"
                   "\n      | VNAV.state = Active & activation)"))
    activation = (any_of(f"selects_{m}" for m, _ in VERTICAL_PLAIN)
                  + "\n      | captures_VAPPR | captures_VNAV | captures_ALTSEL")
    left = lines_of([f"leaves_{m}" for m, _ in VERTICAL_PLAIN]
                    + [f"{m}.state = Active & clears_{m}" for m, *_ in VERTICAL_ARMED]
                    + ["ALTSEL.state in {Capture, Track} & clears_ALTSEL"], "|")
    none = lines_of([f"!({is_active(m)})" for m in VERTICAL], "&")
    number = number_of(VERTICAL)
    return f"""\
-- The vertical modes of a side: basic pitch, vertical speed, flight path angle, flight level change,
-- altitude hold, go around, altitude select, glide slope and descent path.
MODULE vertical_modes(starts, stops, enabled, follows, heard, command, lateral, sensors, knobs, overspeed, ap_engages)

VAR
{columns(default + plain + altsel + armed, ":")}

DEFINE
  pressed := command in {{{switches}}};

{columns(events, ":=")}

  activation  := {activation};
  deselection := {left};
  none_active := {none};
  n_active    := {number};
  falls_back  := starts | enabled & !activation & (deselection | none_active);
"""


def group_modules():
    panel = columns([(s.lower(), "switch_input") for s in SWITCHES], ":")
    command = table([(f"{s.lower()}.pressed", s) for s in SWITCHES] + [("TRUE", "None")])
    sensors = "\n".join(f"  {n:11} : sensor;     -- {what}" for n, what in SENSORS)
    receivers = columns([(n, "sensor") for n, _ in RECEIVERS], ":")
    knobs = columns([(n, "knob") for n in KNOBS], ":")
    lit = [(s.lower(), is_active(m, "lateral.")) for m, s in LATERAL_PLAIN if m != "LGA"]
    lit += [(s.lower(), f"lateral.{m}.state != Cleared") for m, s, *_ in LATERAL_ARMED]
    lit += [(s.lower(), is_active(m, "vertical.")) for m, s in VERTICAL_PLAIN if m != "VGA"]
    lit += [("vnav", "vertical.VNAV.state != Cleared"),
            ("goa", "lateral.LGA.state = Active | vertical.VGA.state = Active"),
            ("alts", "vertical.ALTSEL.state != Cleared")]
    lamps = columns([(n, f"lamp({e}, test)") for n, e in lit], ":")
    flashes = columns([(m, f"flash({is_active(m, g + '.')}, acknowledged)")
                       for g, ms in (("lateral", LATERAL), ("vertical", VERTICAL)) for m in ms], ":")
    return f"""\
-- The switches of a side, the first of which counts if several are pressed in the same cycle.
MODULE panel_switches

VAR
{panel}

CONSTANTS
  None, {wrapped(SWITCHES)};

DEFINE
  command := case
{command}
  esac;

MODULE sensor_set

VAR
{sensors}

MODULE receiver_set

VAR
{receivers}

MODULE knob_set

VAR
{knobs}

-- The lamps of the panel.
MODULE lamp_set(lateral, vertical, test)

VAR
{lamps}

-- The annunciations of the modes.
MODULE flash_set(lateral, vertical, acknowledged)

VAR
{flashes}
"""


def side_module():
    servos = columns([(s, "servo(command = Engage)") for s in SERVOS], ":")
    failed = any_of(f"{s}.state = Failed" for s in SERVOS)
    receiver = table([(f"source = {v} & receivers.{n}.good", v) for n, v in RECEIVERS] + [("TRUE", "Lost")])
    following = [b for _, b in RECEIVERS]
    source = table([(f"panel.command = Source & source = {a}", b)
                    for a, b in zip(following, following[1:] + following[:1])] + [("TRUE", "source")])
    lateral = table([("modes = Off", "None")] + [(is_active(m, "lateral."), m + "_") for m in LATERAL[1:]]
                    + [("TRUE", LATERAL_DEFAULT + "_")])
    vertical = table([("modes = Off", "None")] + [(is_active(m, "vertical."), m + "_") for m in VERTICAL[1:]]
                     + [("TRUE", VERTICAL_DEFAULT + "_")])
    alerts = columns([(n, f"alert({c}, command = Ack)") for n, c in ALERTS], ":")
    causes = lines_of([f"{n}.state = New" for n, _ in ALERTS], "|")
    guided = lines_of([f"lateral.{m}.state = Active" for m, *_ in LATERAL_ARMED], "|")
    names = wrapped([m + "_" for m in LATERAL + VERTICAL])
    pages = ["Map", "Plan", "Rose", "Arc"]
    page = table([(f"command = Page & page = {a}", b) for a, b in zip(pages, pages[1:] + pages[:1])]
                 + [("on_approach & page = Plan", "Rose"), ("TRUE", "page")])
    return f"""\
-- One side.
MODULE side(other, is_active, independent, modes, starts, stops, autopilot, overspeed, lamp_test)

VAR
  panel     : panel_switches;
  sensors   : sensor_set;
  receivers : receiver_set;
  knobs     : knob_set;
  bus       : cross_side(other, stops);
{servos}

  director : {{Off, On}};
  bars     : {{Hidden, Shown, Flagged}};   -- those of the director; flagged if they can't be trusted
  source   : {{{", ".join(following)}}};
  damper   : {{Off, On}};                 -- of yaw
  page     : {{{", ".join(pages)}}};    -- what the display shows
  caution  : {{Dark, Lit}};

  lateral  : lateral_modes(starts, stops, enabled, follows, bus, command, receiver, sensors, knobs,
                           autopilot.engages);
  vertical : vertical_modes(starts, stops, enabled, follows, bus, command, lateral, sensors, knobs, overspeed,
                            autopilot.engages);
  lamps    : lamp_set(lateral, vertical, lamp_test);
  flashes  : flash_set(lateral, vertical, command = Ack);
  alerts   : alert_set(command, guidance_lost, servo_failed, bus.up, overspeed, lateral, vertical, sensors);

CONSTANTS
  Lost, {names};

DEFINE
  command  := panel.command;
  commands := is_active | independent;
  enabled  := commands & modes = On & !stops;
  follows  := !commands & modes = On & bus.up;

  servo_failed := {failed};

  receiver := case
{receiver}
  esac;

  on_approach   := lateral.LAPPR.state = Active & vertical.VAPPR.state = Active;
  guided        := {guided};
  guidance_lost := guided & receiver = Lost;

  turn_on := autopilot.engages | overspeed | command = Goa;

  -- As long as the autopilot is engaged, the directors show what it does.
  director_next := case
    turn_on                                                                   : On;
    command = Director & director = Off                                       : On;
    command = Director & director = On & autopilot.state = Disengaged         : Off;
    TRUE                                                                      : director;
  esac;

  lateral_shown := case
{lateral}
  esac;

  vertical_shown := case
{vertical}
  esac;

ASSIGN
  init(director) := Off;
  next(director) := director_next;

  init(bars) := Hidden;
  next(bars) := case
    director_next = Off            : Hidden;
    guidance_lost                  : Flagged;
    bars = Hidden                  : Shown;
    bars = Flagged & !guidance_lost : Shown;
    TRUE                           : bars;
  esac;

  init(source) := {following[0]};
  next(source) := case
{source}
  esac;

  init(damper) := Off;
  next(damper) := case
    yaw_servo.state = Failed                                         : Off;
    autopilot.engages                                                : On;
    command = Yaw & damper = Off                                     : On;
    command = Yaw & damper = On & autopilot.state = Disengaged       : Off;
    TRUE                                                             : damper;
  esac;

  init(page) := {pages[0]};
  next(page) := case
{page}
  esac;

  init(caution) := Dark;
  next(caution) := case
    alerts.any_new   : Lit;
    command = Ack    : Dark;
    TRUE             : caution;
  esac;

-- The alerts of a side.
MODULE alert_set(command, guidance_lost, servo_failed, bus_up, overspeed, lateral, vertical, sensors)

VAR
{alerts}

DEFINE
  any_new := {causes};
"""


def model():
    parts = [main_module(), side_module(), group_modules(), lateral_module(), vertical_module(),
             bus_module(), small_modules()]
    return aligned("\n".join(parts))


if __name__ == "__main__":
    print(model(), end="")
