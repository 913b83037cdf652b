use trapline_lang::*;
fn main() {
    let mut bad = 0;
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(t) => t,
            Err(_) => {
                println!("{path}: not utf8");
                continue;
            }
        };
        let mut s = trapline_source::Sources::new();
        s.add(&path, &text).unwrap();
        let f = s.file_at(0).unwrap();
        let mut d = trapline_source::Diagnostics::new();
        let o =
            smv::read(&Input { file: f, expressions: &[], options: Options::default() }, &mut d);
        let short = path.rsplit('/').next().unwrap();
        let mut und = 0;
        if !d.has_errors() {
            let r = trapline_engine::wellformed::check(&o.model, Default::default(), &mut d);
            und = r.undecided.len();
        }
        if d.has_errors() {
            bad += 1;
            let e =
                d.list().iter().find(|x| x.severity == trapline_source::Severity::Error).unwrap();
            println!(
                "ERR {short}:{}: [{}] {}",
                s.place(e.labels[0].span.start).unwrap().line,
                e.code,
                e.message
            );
        } else {
            println!(
                "ok {short} und={und} vars={} assigns={} sites={} props={} warn={}",
                o.model.vars.len(),
                o.model.assigns.len(),
                o.model.sites.len(),
                o.model.properties.len(),
                d.n_warnings()
            );
        }
    }
    println!("bad {bad}");
}
