#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]
use fairgate::model::{DeviceChoice, Opening, RuntimeChoice, open};
use fairgate::*;
use std::path::Path;
const A: [(&str, &str, &str, usize, u64, f64); 8] = [
    ("C-a", "census", "age", 28, 514, 23.8),
    ("C-r", "census", "race", 18, 214, 8.9),
    ("C-g", "census", "sex", 13, 159, 11.0),
    ("G-g", "credit", "personstatussex", 12, 111, 4.0),
    ("G-a", "credit", "ageinyears", 23, 374, 16.6),
    ("H-a", "heart", "age", 6, 79, 2.9),
    ("H-g", "heart", "sex", 3, 32, 3.0),
    ("D-a", "diabetes", "age", 28, 610, 26.6),
];
fn main() {
    let o = std::env::var("FAIRGATE_ORACLE").unwrap();
    let o = Path::new(&o);
    let big = std::env::var("BIG").is_ok();
    let variants: Vec<&str> = match std::env::var("V").as_deref() {
        Ok("p") => vec!["paper"],
        Ok("w") => vec!["walk"],
        _ => vec!["paper", "walk"],
    };
    let jobs: usize = std::env::var("J").map_or(1, |v| v.parse().unwrap());
    let doms: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(o.join("domains.json")).unwrap()).unwrap();
    for v in variants {
        let mut logs = 0.0;
        let mut logt = 0.0;
        let mut n = 0.0;
        for (b, m, p, g, best, art) in A {
            if let Ok(only) = std::env::var("ONLY")
                && !only.split(',').any(|x| x == b)
            {
                continue;
            }
            let mut t = format!(
                "[model.m]\npath='{m}.onnx'\n[dataset.d]\npath='seeds/{b}.csv'\n[dataset.d.attributes]\n"
            );
            for (k, d) in doms[m].as_object().unwrap() {
                t += &format!("{k} = {{ min = {}, max = {} }}\n", d["min"], d["max"]);
            }
            t += &format!(
                "[benchmark.{b}]\nmodel='m'\ndataset='d'\nprotected=['{p}']\nsearch={{variant='{v}'}}\n"
            );
            let spec = Spec::parse(&t, &o.join("x.toml")).unwrap();
            let pl = &plan(&spec, &Filter::default()).unwrap()[0];
            let d = Dataset::load(&pl.dataset).unwrap();
            let mut people = d.people.clone();
            if big {
                let mut st = 12345u64;
                let mut r = || {
                    st ^= st << 13;
                    st ^= st >> 7;
                    st ^= st << 17;
                    st
                };
                people = (0..1000)
                    .flat_map(|_| {
                        d.schema
                            .attributes()
                            .iter()
                            .map(|a| (r() >> 11) % a.domain.size())
                            .map(|x| x as u32)
                            .collect::<Vec<_>>()
                    })
                    .collect();
            }
            let (mut f, mut q, mut s, mut ms, mut te, mut gl) = (0, 0, 0.0, 0.0, 0, 0);
            let seeds = if big { 1 } else { 3 };
            for seed in 1..=seeds {
                let mut bm = Benchmark::new(b, d.schema.clone(), &[p], people.clone()).unwrap();
                bm.search = pl.benchmark.search;
                bm.seed = seed;
                bm.budget.domain_sample = 1;
                if !big {
                    bm.budget.global_seeds = 30;
                    bm.budget.local_steps = 30;
                }
                let model = open(&Opening {
                    path: &pl.model.path.value,
                    runtime: if std::env::var("RT").is_ok() {
                        RuntimeChoice::Onnxruntime
                    } else {
                        RuntimeChoice::Embedded
                    },
                    device: DeviceChoice::Cpu,
                    output: None,
                    workers: jobs,
                })
                .unwrap();
                let pool = (jobs > 1).then(|| {
                    rayon::ThreadPoolBuilder::new()
                        .num_threads(jobs)
                        .build()
                        .unwrap()
                });
                let r = bm
                    .run(
                        model.model.as_ref(),
                        &Run {
                            workers: pool.as_ref(),
                            ..Run::default()
                        },
                    )
                    .unwrap();
                if std::env::var("SPREAD").is_ok() {
                    let all: Vec<_> = r.findings.counterexamples().map(|c| c.person).collect();
                    let st = (all.len() / 1500).max(1);
                    let sm: Vec<_> = all.iter().step_by(st).collect();
                    let sizes: Vec<f64> = d
                        .schema
                        .attributes()
                        .iter()
                        .map(|a| (a.domain.size() - 1).max(1) as f64)
                        .collect();
                    let (mut l1, mut ham, mut k) = (0.0, 0.0, 0.0);
                    for i in 0..sm.len() {
                        for j in 0..i {
                            for a in 0..sizes.len() {
                                let dd = (f64::from(sm[i][a]) - f64::from(sm[j][a])).abs();
                                l1 += dd / sizes[a];
                                ham += f64::from(u8::from(dd > 0.0));
                            }
                            k += 1.0;
                        }
                    }
                    let vals: usize = (0..sizes.len())
                        .map(|a| {
                            all.iter()
                                .map(|p| p[a])
                                .collect::<std::collections::BTreeSet<_>>()
                                .len()
                        })
                        .sum();
                    println!(
                        "   spread {v} {b}: l1 {:.3} hamming {:.3} distinct values {vals} of {}",
                        l1 / k,
                        ham / k,
                        sizes.iter().sum::<f64>() + sizes.len() as f64
                    );
                }
                f += r.counterexamples;
                q += r.counts.queries;
                s += r.seconds;
                ms += r.counts.model_seconds;
                te += r.tested;
                gl += r.global.found;
            }
            let k = f64::from(seeds as u32);
            logs += (f as f64 / k / best as f64).ln();
            logt += (f as f64 / s / art).ln();
            n += 1.0;
            println!(
                "{v} {b}: global {:.1} (artifact {g}) found {:.0} (best {best}) tested {:.0} q {:.0} q/found {:.1} {:.2}s wall/model {:.2} {:.0}/s x{:.0}",
                gl as f64 / k,
                f as f64 / k,
                te as f64 / k,
                q as f64 / k,
                q as f64 / f as f64,
                s / k,
                s / ms,
                f as f64 / s,
                f as f64 / s / art
            );
        }
        println!(
            "{v}: geomean found/best {:.2}, speed x{:.0}",
            (logs / n).exp(),
            (logt / n).exp()
        );
    }
}
