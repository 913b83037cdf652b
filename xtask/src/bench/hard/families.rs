//! Families of models with too many states for explicit search and too irregular sets of states for
//! diagrams: wide words, arrays and much control, as SMV text. Each size has true and false
//! properties.

use std::fmt::Write;

/// A family of models.
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// The sizes that are measured, from easy to hard.
    pub sizes: &'static [usize],
    /// The model of a size.
    pub text: fn(usize) -> String,
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "accumulator", sizes: &[8, 16, 32], text: accumulator },
    Family { name: "gcd", sizes: &[4, 8, 16], text: gcd },
    Family { name: "crc", sizes: &[8, 16, 32], text: crc },
    Family { name: "multiplier", sizes: &[4, 6, 8, 12], text: multiplier },
    Family { name: "pipeline", sizes: &[2, 4, 8], text: pipeline },
    Family { name: "ring-buffer", sizes: &[4, 8, 16, 32], text: ring_buffer },
    Family { name: "processor", sizes: &[8, 16, 32], text: processor },
    Family { name: "sorter", sizes: &[4, 5, 6, 8], text: sorter },
    Family { name: "cache", sizes: &[4, 8, 16], text: cache },
    Family { name: "interlock", sizes: &[10, 30, 100], text: interlock },
    Family { name: "lift", sizes: &[8, 16, 32], text: lift },
    Family { name: "even-counter", sizes: &[8, 16, 32, 60], text: even_counter },
    Family { name: "wrapping-counter", sizes: &[8, 16, 32], text: wrapping_counter },
];

/// One text for each index, with something between them.
fn join(n: usize, between: &str, each: impl Fn(usize) -> String) -> String {
    (0..n).map(each).collect::<Vec<String>>().join(between)
}

/// A constant, with as many of its low bits as the word has.
fn word(n_bits: usize, value: u64) -> String {
    format!("0ud{n_bits}_{}", value & (u64::MAX >> (64 - n_bits)))
}

/// The type of words.
fn words(n_bits: usize) -> String {
    format!("unsigned word[{n_bits}]")
}

/// A sum that stops at a limit and at zero; buttons choose whether to add, to subtract or to wait.
/// It remembers its largest value.
fn accumulator(n_bits: usize) -> String {
    let (word_type, zero) = (words(n_bits), word(n_bits, 0));
    let (limit, sought) = (word(n_bits, 3 << (n_bits - 2)), word(n_bits, 0x1234_5678_9abc_de5a));
    format!(
        "MODULE main\n\
         IVAR x : {word_type}; button : {{none, start, hold, clear, reverse}};\n\
         VAR mode : {{idle, adding, subtracting, held}}; sum : {word_type}; peak : {word_type};\n  \
         saturated : boolean;\n\
         DEFINE limit := {limit}; room := limit - sum; is_too_much := x > room;\n\
         ASSIGN init(mode) := idle; init(sum) := {zero}; init(peak) := {zero};\n  \
         init(saturated) := FALSE;\n  \
         next(mode) := case\n    button = clear : idle;\n    \
         button = start & mode in {{idle, held}} : adding;\n    \
         button = reverse & mode = adding : subtracting;\n    \
         button = reverse & mode = subtracting : adding;\n    \
         button = hold & mode != idle : held;\n    TRUE : mode;\n  esac;\n  \
         next(sum) := case\n    button = clear : {zero};\n    \
         mode = adding : is_too_much ? limit : sum + x;\n    \
         mode = subtracting : x > sum ? {zero} : sum - x;\n    TRUE : sum;\n  esac;\n  \
         next(peak) := case\n    button = clear : {zero};\n    \
         mode = adding & is_too_much : limit;\n    \
         mode = adding & sum + x > peak : sum + x;\n    TRUE : peak;\n  esac;\n  \
         next(saturated) := case\n    button = clear : FALSE;\n    \
         mode = adding & is_too_much : TRUE;\n    TRUE : saturated;\n  esac;\n\
         INVARSPEC sum <= limit\n\
         INVARSPEC sum <= peak\n\
         INVARSPEC saturated -> peak = limit\n\
         INVARSPEC mode = idle -> sum = {zero} & !saturated\n\
         INVARSPEC !(mode = held & sum = {sought} & saturated)\n\
         INVARSPEC peak = limit -> saturated\n\
         LTLSPEC G (saturated -> X (saturated | mode = idle))\n\
         LTLSPEC G (saturated -> F !saturated)\n"
    )
}

/// The greatest common divisor of any two numbers by subtraction.
fn gcd(n_bits: usize) -> String {
    let word_type = words(n_bits);
    let [zero, three] = [0, 3].map(|value| word(n_bits, value));
    format!(
        "MODULE main\n\
         FROZENVAR first : {word_type}; second : {word_type};\n\
         VAR a : {word_type}; b : {word_type};\n\
         DEFINE is_done := a = b;\n\
         INIT first != {zero} & second != {zero}\n\
         ASSIGN init(a) := first; init(b) := second;\n  \
         next(a) := a > b ? a - b : a;\n  next(b) := b > a ? b - a : b;\n\
         INVARSPEC a <= first & b <= second\n\
         INVARSPEC a != {zero} & b != {zero}\n\
         INVARSPEC first[0:0] = 0ud1_0 & second[0:0] = 0ud1_0 -> a[0:0] = 0ud1_0\n\
         INVARSPEC is_done & a[1:0] = 0ud2_0 -> first[1:0] = 0ud2_0 & second[1:0] = 0ud2_0\n\
         INVARSPEC !(is_done & a = {three} & first > second & second > {three})\n\
         INVARSPEC is_done -> a = first | a = second | a < {three}\n\
         LTLSPEC F is_done\n\
         LTLSPEC G (a > b -> X a <= b)\n"
    )
}

/// A checksum of a stream of bits, computed from both ends of the word, and a shift register that
/// runs through everything except zero.
fn crc(n_bits: usize) -> String {
    let (polynomial, taps): (u64, u64) = match n_bits {
        8 => (0x07, 0xb8),
        16 => (0x1021, 0xb400),
        _ => (0x04c1_1db7, 0xa300_0000),
    };
    let mirrored = polynomial.reverse_bits() >> (64 - n_bits);
    let far = (0..40).fold(1_u64, |value, _| (value >> 1) ^ if value & 1 == 1 { taps } else { 0 });
    let mirror = join(n_bits, " :: ", |bit| format!("sum[{bit}:{bit}]"));
    let word_type = words(n_bits);
    let [zero, one, polynomial, mirrored, taps, far, ones, sought] =
        [0, 1, polynomial, mirrored, taps, far, u64::MAX, 0xdead_beef]
            .map(|value| word(n_bits, value));
    let top = n_bits - 1;
    format!(
        "MODULE main\nIVAR bit : boolean; enable : boolean;\n\
         VAR sum : {word_type}; mirrored : {word_type}; noise : {word_type};\n\
         DEFINE feeds := bool(sum[{top}:{top}]) xor bit; feeds_back := bool(mirrored[0:0]) xor bit;\n\
         ASSIGN init(sum) := {ones}; init(mirrored) := {ones}; init(noise) := {one};\n  \
         next(sum) := enable ? (sum << 1) xor (feeds ? {polynomial} : {zero}) : sum;\n  \
         next(mirrored) := enable\n    \
         ? (mirrored >> 1) xor (feeds_back ? {mirrored} : {zero}) : mirrored;\n  \
         next(noise) := enable\n    \
         ? (noise >> 1) xor (bool(noise[0:0]) ? {taps} : {zero}) : noise;\n\
         INVARSPEC noise != {zero}\n\
         INVARSPEC mirrored = ({mirror})\n\
         INVARSPEC !(noise = {far})\n\
         INVARSPEC !(sum = {sought})\n\
         LTLSPEC G (noise = {one} -> X noise != {zero})\n\
         LTLSPEC G F noise = {one}\n"
    )
}

/// A product by shifting and adding. That it is the product is hard for everybody, and a number
/// with two factors makes it factorise.
fn multiplier(n_bits: usize) -> String {
    // The product of the two largest primes.
    let product = match n_bits {
        4 => 11 * 13,
        6 => 59 * 61,
        8 => 241 * 251,
        _ => 4091 * 4093,
    };
    let (narrow, wide) = (words(n_bits), words(2 * n_bits));
    let (zero, one, none) = (word(n_bits, 0), word(n_bits, 1), word(2 * n_bits, 0));
    let product = word(2 * n_bits, product);
    format!(
        "MODULE main\nFROZENVAR first : {narrow}; second : {narrow};\n\
         VAR a : {wide}; b : {narrow}; sum : {wide};\n\
         DEFINE is_done := b = {zero};\n  \
         product := extend(first, {n_bits}) * extend(second, {n_bits});\n\
         ASSIGN init(a) := extend(first, {n_bits}); init(b) := second; init(sum) := {none};\n  \
         next(a) := is_done ? a : a << 1; next(b) := b >> 1;\n  \
         next(sum) := b[0:0] = 0ud1_1 ? sum + a : sum;\n\
         INVARSPEC is_done -> sum = product\n\
         INVARSPEC first[0:0] = 0ud1_0 -> sum[0:0] = 0ud1_0\n\
         INVARSPEC first = {zero} -> sum = {none}\n\
         INVARSPEC !(is_done & sum = {product} & first > {one} & second > {one})\n\
         LTLSPEC F is_done\n"
    )
}

/// Instructions on four registers take some steps to arrive, and one that needs or changes what is
/// under way has to wait. Beside it a machine without a pipeline.
fn pipeline(n_stages: usize) -> String {
    const N_REGISTERS: usize = 4;
    let n_bits = 4 * n_stages;
    let (word_type, zero, last) = (words(n_bits), word(n_bits, 0), n_stages - 1);
    let under_way = |register: &str| {
        join(n_stages, " | ", |idx| format!("(valid[{idx}] & target[{idx}] = {register})"))
    };
    let mut text = format!(
        "MODULE main\nIVAR comes : boolean; to : 0..3; from : 0..3; x : {word_type};\n\
         VAR registers : array 0..3 of {word_type}; plain : array 0..3 of {word_type};\n  \
         valid : array 0..{last} of boolean; target : array 0..{last} of 0..3;\n  \
         value : array 0..{last} of {word_type};\n\
         DEFINE waits := {} | {};\n  starts := comes & !waits;\n",
        under_way("to"),
        under_way("from")
    );
    text += "ASSIGN next(valid[0]) := starts; next(target[0]) := to;\n  \
             next(value[0]) := registers[from] + x;\n";
    for idx in 0..n_stages {
        let _ = writeln!(
            text,
            "  init(valid[{idx}]) := FALSE; init(target[{idx}]) := 0; init(value[{idx}]) := {zero};"
        );
        if let Some(before) = idx.checked_sub(1) {
            let _ = writeln!(
                text,
                "  next(valid[{idx}]) := valid[{before}]; next(target[{idx}]) := \
                 target[{before}]; next(value[{idx}]) := value[{before}];"
            );
        }
    }
    for idx in 0..N_REGISTERS {
        let _ = writeln!(
            text,
            "  init(registers[{idx}]) := {zero}; init(plain[{idx}]) := {zero};\n  \
             next(registers[{idx}]) := valid[{last}] & target[{last}] = {idx} ? value[{last}] : \
             registers[{idx}];\n  \
             next(plain[{idx}]) := starts & to = {idx} ? plain[from] + x : plain[{idx}];"
        );
    }
    for idx in 0..N_REGISTERS {
        let _ = writeln!(text, "DEFINE comes{idx} := {};", under_way(&idx.to_string()));
    }
    let arrived =
        join(N_REGISTERS, " & ", |idx| format!("(!comes{idx} -> registers[{idx}] = plain[{idx}])"));
    let full = join(n_stages.min(N_REGISTERS), " & ", |idx| format!("valid[{idx}]"));
    let _ = writeln!(
        text,
        "INVARSPEC {arrived}\n\
         INVARSPEC valid[0] & valid[{last}] -> target[0] != target[{last}]\n\
         INVARSPEC valid[{last}] -> value[{last}] = plain[target[{last}]]\n\
         INVARSPEC !({full})\n\
         INVARSPEC registers[1] = plain[1]\n\
         INVARSPEC !(registers[3] = {} & registers[2] = {})\n\
         LTLSPEC G (comes0 -> F !comes0)",
        word(n_bits, 0xcafe_f00d),
        word(n_bits, 0x0bad_cafe),
    );
    text
}

/// A ring buffer; one item, which somebody chooses while it goes in, is watched until it comes
/// out.
fn ring_buffer(depth: usize) -> String {
    let n_bits = depth.max(8);
    let (word_type, zero, last) = (words(n_bits), word(n_bits, 0), depth - 1);
    let mut text = format!(
        "MODULE main\nIVAR push : boolean; pop : boolean; choose : boolean; data : {word_type};\n\
         VAR cells : array 0..{last} of {word_type}; head : 0..{last}; tail : 0..{last};\n  \
         used : 0..{depth}; watched : boolean; place : 0..{last}; ahead : 0..{last};\n  \
         seen : {word_type};\n\
         DEFINE pushes := push & used < {depth}; pops := pop & used > 0; out := cells[head];\n  \
         starts := pushes & choose & !watched; ends := pops & watched & place = head;\n\
         ASSIGN init(head) := 0; init(tail) := 0; init(used) := 0; init(watched) := FALSE;\n  \
         init(place) := 0; init(ahead) := 0; init(seen) := {zero};\n  \
         next(tail) := pushes ? (tail + 1) mod {depth} : tail;\n  \
         next(head) := pops ? (head + 1) mod {depth} : head;\n  \
         next(used) := case\n    pushes & !pops : used + 1;\n    \
         pops & !pushes : used - 1;\n    TRUE : used;\n  esac;\n  \
         next(watched) := starts ? TRUE : ends ? FALSE : watched;\n  \
         next(place) := starts ? tail : place;\n  next(seen) := starts ? data : seen;\n  \
         next(ahead) := case\n    starts : pops ? used - 1 : used;\n    \
         watched & pops & ahead > 0 : ahead - 1;\n    TRUE : ahead;\n  esac;\n"
    );
    for idx in 0..depth {
        let _ = writeln!(
            text,
            "  init(cells[{idx}]) := {zero}; \
             next(cells[{idx}]) := pushes & tail = {idx} ? data : cells[{idx}];"
        );
    }
    let _ = writeln!(
        text,
        "INVARSPEC watched & head = place -> out = seen\n\
         INVARSPEC watched -> place = (head + ahead) mod {depth}\n\
         INVARSPEC tail = (head + used) mod {depth}\n\
         INVARSPEC watched & ahead = 0 -> out = seen & used > 0\n\
         INVARSPEC !(watched & ahead = {last})\n\
         INVARSPEC used = {depth} -> out = seen\n\
         LTLSPEC G (watched -> F !watched)\n\
         LTLSPEC G (used = {depth} -> X used >= {last})"
    );
    text
}

/// A processor with eight registers, of which the first is always zero, and any program. It can
/// load four bits at a time.
fn processor(n_bits: usize) -> String {
    let (word_type, zero) = (words(n_bits), word(n_bits, 0));
    let [shift, sought] = [4, 0xc0de_a5b7 >> (32 - n_bits)];
    let mut text = format!(
        "MODULE main\nIVAR code : {{load, add, mix, shift, skip}}; to : 0..7; from : 0..7;\n  \
         x : {};\n\
         VAR registers : array 0..7 of {word_type}; last : 0..7; value : {word_type};\n  \
         is_zero : boolean; writes_before : boolean;\n\
         DEFINE writes := code != skip & to != 0;\n  result := case\n    \
         code = load : extend(x, {});\n    \
         code = add : registers[to] + registers[from];\n    \
         code = mix : registers[to] xor registers[from];\n    \
         TRUE : registers[from] << {shift};\n  esac;\n\
         ASSIGN init(last) := 0; init(value) := {zero}; init(is_zero) := TRUE;\n  \
         init(writes_before) := FALSE; next(writes_before) := writes;\n  \
         next(last) := writes ? to : last; next(value) := writes ? result : value;\n  \
         next(is_zero) := writes ? result = {zero} : is_zero;\n",
        words(4),
        n_bits - 4
    );
    for idx in 0..8 {
        let _ = writeln!(
            text,
            "  init(registers[{idx}]) := {zero}; \
             next(registers[{idx}]) := writes & to = {idx} ? result : registers[{idx}];"
        );
    }
    let _ = writeln!(
        text,
        "INVARSPEC registers[0] = {zero}\n\
         INVARSPEC registers[last] = value\n\
         INVARSPEC is_zero <-> value = {zero}\n\
         INVARSPEC writes_before -> last != 0\n\
         INVARSPEC !(registers[1] = {})\n\
         INVARSPEC is_zero -> last = 0\n\
         LTLSPEC G (writes_before -> X (writes_before | last != 0))\n\
         LTLSPEC G F is_zero",
        word(n_bits, sought)
    );
    text
}

/// Sorting by comparing neighbours in turns, which takes as many turns as there are items.
fn sorter(n_items: usize) -> String {
    let n_bits = 2 * n_items;
    let (word_type, last) = (words(n_bits), n_items - 1);
    let mut text = format!(
        "MODULE main\nFROZENVAR item : {word_type};\n\
         VAR a : array 0..{last} of {word_type}; turn : 0..{n_items};\n\
         DEFINE is_done := turn = {n_items};\n\
         INIT {}\n\
         ASSIGN init(turn) := 0; next(turn) := is_done ? turn : turn + 1;\n",
        join(n_items, " | ", |idx| format!("item = a[{idx}]"))
    );
    for idx in 0..n_items {
        // With whom it is compared in even and in odd turns.
        let exchange = |with: usize| match with {
            _ if with > last => format!("a[{idx}]"),
            _ if with > idx => format!("(a[{idx}] <= a[{with}] ? a[{idx}] : a[{with}])"),
            _ => format!("(a[{with}] <= a[{idx}] ? a[{idx}] : a[{with}])"),
        };
        let odd = if idx == 0 { 0 } else { ((idx - 1) ^ 1) + 1 };
        let odd = if odd == idx { format!("a[{idx}]") } else { exchange(odd) };
        let _ = writeln!(
            text,
            "  next(a[{idx}]) := is_done ? a[{idx}] : turn mod 2 = 0 ? {} : {odd};",
            exchange(idx ^ 1),
        );
    }
    let _ = writeln!(
        text,
        "INVARSPEC is_done -> {}\n\
         INVARSPEC {}\n\
         INVARSPEC is_done -> a[0] <= item & item <= a[{last}]\n\
         INVARSPEC !(is_done & a[1] = {} & a[{last}] = {} & item = a[2])\n\
         INVARSPEC turn = {last} -> item = a[0] | a[0] <= a[1] & a[1] != item\n\
         LTLSPEC F (is_done & a[0] <= a[{last}])",
        join(last, " & ", |idx| format!("a[{idx}] <= a[{}]", idx + 1)),
        join(n_items, " | ", |idx| format!("item = a[{idx}]")),
        word(n_bits, 17),
        word(n_bits, 200)
    );
    text
}

/// A cache that writes back late; of the memory behind it only one address is modelled, any one.
fn cache(n_lines: usize) -> String {
    let (n_tag_bits, n_bits, last) = (n_lines.min(12), 2 * n_lines, n_lines - 1);
    let (tag_type, word_type, zero) = (words(n_tag_bits), words(n_bits), word(n_bits, 0));
    let mut text = format!(
        "MODULE main\nFROZENVAR my_line : 0..{last}; my_tag : {tag_type};\n\
         IVAR line : 0..{last}; tag : {tag_type}; write : boolean; data : {word_type};\n  \
         elsewhere : {word_type};\n\
         VAR valid : array 0..{last} of boolean; dirty : array 0..{last} of boolean;\n  \
         tags : array 0..{last} of {tag_type}; values : array 0..{last} of {word_type};\n  \
         memory : {word_type}; wanted : {word_type};\n\
         DEFINE hits := valid[line] & tags[line] = tag;\n  \
         is_mine := line = my_line & tag = my_tag;\n  \
         is_cached := valid[my_line] & tags[my_line] = my_tag;\n  \
         value := write ? data : hits ? values[line] : is_mine ? memory : elsewhere;\n\
         ASSIGN init(memory) := {zero}; init(wanted) := {zero};\n  \
         next(wanted) := is_mine & write ? data : wanted;\n  \
         next(memory) := is_cached & dirty[my_line] & line = my_line & !hits\n    \
         ? values[my_line] : memory;\n"
    );
    for idx in 0..n_lines {
        let _ = writeln!(
            text,
            "  init(valid[{idx}]) := FALSE; init(dirty[{idx}]) := FALSE; init(tags[{idx}]) := \
             {}; init(values[{idx}]) := {zero};\n  \
             next(valid[{idx}]) := line = {idx} | valid[{idx}];\n  \
             next(dirty[{idx}]) := line = {idx} ? write | hits & dirty[{idx}] : dirty[{idx}];\n  \
             next(tags[{idx}]) := line = {idx} ? tag : tags[{idx}];\n  \
             next(values[{idx}]) := line = {idx} ? value : values[{idx}];",
            word(n_tag_bits, 0)
        );
    }
    let _ = writeln!(
        text,
        "INVARSPEC is_cached -> values[my_line] = wanted\n\
         INVARSPEC !is_cached -> memory = wanted\n\
         INVARSPEC is_cached & !dirty[my_line] -> memory = wanted\n\
         INVARSPEC {}\n\
         INVARSPEC !({} & is_cached)\n\
         INVARSPEC memory = wanted\n\
         LTLSPEC G (is_cached & dirty[my_line] -> F !is_cached)\n\
         LTLSPEC G (memory != wanted -> is_cached)",
        join(n_lines, " & ", |idx| format!("(dirty[{idx}] -> valid[{idx}])")),
        join(n_lines, " & ", |idx| format!("dirty[{idx}]")),
    );
    text
}

/// Stations in a ring with three variables each; even and odd ones get their right in turns, and
/// only while no neighbour has it.
fn interlock(n_stations: usize) -> String {
    let last = n_stations - 1;
    let mut text = String::from(
        "MODULE station(is_my_turn, left, right)\n\
         VAR asks : boolean; granted : boolean; active : boolean;\n\
         ASSIGN init(asks) := FALSE; init(granted) := FALSE; init(active) := FALSE;\n  \
         next(asks) := case\n    active : {TRUE, FALSE};\n    asks : TRUE;\n    \
         TRUE : {TRUE, FALSE};\n  esac;\n  \
         next(granted) := case\n    active & !asks : FALSE;\n    granted : TRUE;\n    \
         TRUE : asks & is_my_turn & !left & !right;\n  esac;\n  \
         next(active) := granted & asks;\n\
         MODULE main\nVAR turn : boolean;\nASSIGN init(turn) := FALSE; next(turn) := !turn;\n",
    );
    for idx in 0..n_stations {
        let (left, right) = ((idx + last) % n_stations, (idx + 1) % n_stations);
        let turn = if idx % 2 == 0 { "turn" } else { "!turn" };
        let _ = writeln!(text, "VAR s{idx} : station({turn}, s{left}.granted, s{right}.granted);");
    }
    let apart = join(n_stations, " & ", |idx| {
        format!("!(s{idx}.active & s{}.active)", (idx + 1) % n_stations)
    });
    let _ = writeln!(
        text,
        "INVARSPEC {apart}\n\
         INVARSPEC !(s0.active & s1.active)\n\
         INVARSPEC {}\n\
         INVARSPEC count({}) <= {}\n\
         INVARSPEC !({})\n\
         INVARSPEC !(s0.active & s3.active & s{}.active & !s{last}.asks)\n\
         LTLSPEC G (s0.asks -> F s0.active)\n\
         SPEC AG EF s0.active",
        join(n_stations, " & ", |idx| format!("(s{idx}.active -> s{idx}.granted)")),
        join(n_stations, ", ", |idx| format!("s{idx}.active")),
        n_stations / 2,
        join(n_stations / 2, " & ", |idx| format!("s{}.active", 2 * idx)),
        n_stations / 2 + 1,
    );
    text
}

/// A lift that goes on in its direction while somebody there asks for it.
fn lift(n_floors: usize) -> String {
    let top = n_floors - 1;
    let mut text = format!(
        "MODULE main\nIVAR press : 0..{n_floors};\n\
         VAR asked : array 0..{top} of boolean; floor : 0..{top}; up : boolean;\n  \
         state : {{rest, moving, open}};\n\
         DEFINE here := asked[floor];\n  above := {};\n  below := {};\n\
         ASSIGN init(floor) := 0; init(up) := TRUE; init(state) := rest;\n  \
         next(state) := case\n    state = open : rest;\n    here : open;\n    \
         above | below : moving;\n    TRUE : rest;\n  esac;\n  \
         next(up) := case\n    state = open | here : up;\n    up & !above & below : FALSE;\n    \
         !up & !below & above : TRUE;\n    TRUE : up;\n  esac;\n  \
         next(floor) := case\n    state = open | here : floor;\n    \
         above & (up | !below) : floor + 1;\n    below : floor - 1;\n    TRUE : floor;\n  esac;\n",
        join(top, " | ", |idx| format!("(floor < {0} & asked[{0}])", idx + 1)),
        join(top, " | ", |idx| format!("(floor > {idx} & asked[{idx}])")),
    );
    for idx in 0..n_floors {
        let _ = writeln!(
            text,
            "  init(asked[{idx}]) := FALSE; next(asked[{idx}]) := case\n    \
             state = open & floor = {idx} : FALSE;\n    press = {idx} : TRUE;\n    \
             TRUE : asked[{idx}];\n  esac;"
        );
    }
    let _ = writeln!(
        text,
        "INVARSPEC state = moving -> here | above | below\n\
         INVARSPEC state = moving & up -> here | above\n\
         INVARSPEC state = open -> here\n\
         INVARSPEC !(state = open & floor = {top})\n\
         INVARSPEC !({})\n\
         INVARSPEC state = rest -> !here\n\
         LTLSPEC G (asked[{top}] -> F (state = open & floor = {top}))\n\
         LTLSPEC G (asked[0] -> F (state = open & floor = {}))",
        join(n_floors / 2, " & ", |idx| format!("asked[{}]", 2 * idx)),
        n_floors / 2
    );
    text
}

/// A counter in steps of two that its guard stops at the limit only because it is even, and two
/// counters that take turns.
fn even_counter(n_bits: usize) -> String {
    let word_type = words(n_bits);
    let [zero, one, two, limit, depth, odd] =
        [0, 1, 2, 3 << (n_bits - 2), 120, 121].map(|value| word(n_bits, value));
    format!(
        "MODULE main\nIVAR go : boolean; back : boolean;\n\
         VAR c : {word_type}; x : {word_type}; y : {word_type}; turn : boolean;\n\
         ASSIGN init(c) := {zero}; init(x) := {zero}; init(y) := {zero}; init(turn) := FALSE;\n  \
         next(c) := case\n    go & !back & c < {limit} : c + {two};\n    \
         back & !go & c > {zero} : c - {two};\n    TRUE : c;\n  esac;\n  \
         next(turn) := go ? !turn : turn;\n  \
         next(x) := go & !turn ? x + {one} : x;\n  next(y) := go & turn ? y + {one} : y;\n\
         INVARSPEC c <= {limit}\n\
         INVARSPEC c[0:0] = 0ud1_0\n\
         INVARSPEC x - y <= {one}\n\
         INVARSPEC c != {odd}\n\
         INVARSPEC c != {depth}\n\
         INVARSPEC x = y -> c != {two}\n\
         LTLSPEC G (turn -> x = y + {one})\n\
         LTLSPEC G (x = y -> F x != y)\n"
    )
}

/// A counter that starts shortly before it wraps.
fn wrapping_counter(n_bits: usize) -> String {
    let word_type = words(n_bits);
    let [zero, one, start, most, end, beyond] =
        [0, 1, u64::MAX - 39, u64::MAX, 20, 30].map(|value| word(n_bits, value));
    format!(
        "MODULE main\nIVAR go : boolean; stop : boolean;\n\
         VAR c : {word_type}; age : {{young, old, over}}; running : boolean;\n\
         DEFINE ticks := running & age != over;\n\
         ASSIGN init(c) := {start}; init(age) := young; init(running) := FALSE;\n  \
         next(running) := case\n    go : TRUE;\n    stop : FALSE;\n    TRUE : running;\n  esac;\n  \
         next(c) := ticks ? c + {one} : c;\n  \
         next(age) := case\n    ticks & age = young & c = {most} : old;\n    \
         ticks & age = old & c = {end} : over;\n    TRUE : age;\n  esac;\n\
         INVARSPEC age = young -> c >= {start}\n\
         INVARSPEC age = old -> c <= {end}\n\
         INVARSPEC c != {beyond}\n\
         INVARSPEC age != old\n\
         INVARSPEC age != over\n\
         INVARSPEC !(age = old & c = {end} & !running)\n\
         LTLSPEC G (age = over -> G c > {zero})\n\
         LTLSPEC F age = over\n"
    )
}
