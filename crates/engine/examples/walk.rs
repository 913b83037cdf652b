use trapline_lang::*;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    for path in std::env::args().skip(2) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut s = trapline_source::Sources::new();
        s.add(&path, &text).unwrap();
        let f = s.file_at(0).unwrap();
        let mut d = trapline_source::Diagnostics::new();
        let o =
            smv::read(&Input { file: f, expressions: &[], options: Options::default() }, &mut d);
        let short = path.rsplit('/').next().unwrap();
        if d.has_errors() {
            println!("ERR {short}");
            continue;
        }
        let m = &o.model;
        let t0 = std::time::Instant::now();
        let sim = trapline_engine::simulate::Simulator::new(m);
        let mut rng = fastrand::Rng::with_seed(1);
        let lim = trapline_engine::solve::Limits::default();
        let mut states = vec![];
        let mut end = "";
        match sim.initial(&[], &mut rng, &lim) {
            Ok(Some(c)) => states.push(c.state),
            Ok(None) => end = "noinit",
            Err(e) => {
                println!("STOP {short} init {e:?}");
                continue;
            }
        }
        while states.len() <= n && end == "" {
            let from = states.last().unwrap().clone();
            match sim.step(&from, &[], &mut rng, &lim) {
                Ok(Some(c)) => {
                    *states.last_mut().unwrap() = c.from.unwrap();
                    states.push(c.state);
                }
                Ok(None) => {
                    end = "dead";
                }
                Err(e) => {
                    println!("STOP {short} step {} {e:?}", states.len());
                    end = "stop"
                }
            }
        }
        let tr = trapline_model::trace::Trace { states, loop_start: None };
        let k = tr.states.len();
        let r = if k > 0 { trapline_model::replay::replay(m, &tr) } else { Ok(()) };
        println!("{short} {} states {end} replay={} {:?}", k, r.is_ok(), t0.elapsed());
        if let Err(v) = r {
            println!("   BAD {v:?}");
        }
    }
}
