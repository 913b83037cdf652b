use trapline_lang::*;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let mb = text.len() as f64 / 1e6;
    for _ in 0..5 {
        let mut s = trapline_source::Sources::new();
        s.add(&path, &text).unwrap();
        let f = s.file_at(0).unwrap();
        let mut d = trapline_source::Diagnostics::new();
        let t0 = std::time::Instant::now();
        let p = smv::parse(f, &mut d);
        let t1 = t0.elapsed();
        let o = smv::lower(&p, &[], &Options::default(), &mut d);
        let t2 = t0.elapsed();
        println!(
            "{mb:.1} MB parse {:.1} MB/s, lower {:.1} MB/s, both {:.1} MB/s  errors={} vars={} exprs={}",
            mb / t1.as_secs_f64(),
            mb / (t2 - t1).as_secs_f64(),
            mb / t2.as_secs_f64(),
            d.n_errors(),
            o.model.vars.len(),
            o.model.exprs.len()
        );
        for e in d.list().iter().take(3) {
            println!("{}", e.message)
        }
    }
}
