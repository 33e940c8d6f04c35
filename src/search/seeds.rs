//! Seeds: people drawn from the dataset's clusters in turn (Algorithm 3, lines 2 to 4).

use linfa::DatasetBase;
use linfa::traits::{Fit, Predict};
use linfa_clustering::{KMeans, KMeansInit};
use ndarray_for_linfa::Array2;

use super::Task;
use super::random::{Purpose, Stream, below, stream};
use crate::schema::{Code, Space};

/// Clusters are found from at most this many people, evenly spread over the dataset.
const CLUSTERED: usize = 10_000;

/// At most this many passes of k-means; seeds only need to be spread, not perfectly clustered.
const PASSES: u64 = 100;

/// The seeds that a task asks for.
pub(super) fn of(task: &Task<'_>) -> Vec<Vec<Code>> {
    let mut stream = stream(task.seed, task.benchmark, Purpose::Seeds, 0);
    draw(
        task.space,
        task.people,
        task.budget.global_seeds,
        task.settings.clusters,
        &mut stream,
    )
}

/// Draws `wanted` people from the clusters of `people` in turn; all people if there are fewer.
///
/// `people` holds the rows of the dataset one after another.
fn draw(
    space: &Space,
    people: &[Code],
    wanted: usize,
    clusters: usize,
    stream: &mut Stream,
) -> Vec<Vec<Code>> {
    let width = space.schema().width();
    let rows: Vec<&[Code]> = people.chunks_exact(width).collect();
    if rows.len() <= wanted {
        return rows.into_iter().map(<[Code]>::to_vec).collect();
    }
    let mut queues: Vec<Vec<usize>> = vec![Vec::new(); clusters];
    for (row, cluster) in memberships(space, &rows, clusters).into_iter().enumerate() {
        queues[cluster].push(row);
    }
    for queue in &mut queues {
        shuffle(queue, stream);
    }
    let mut seeds = Vec::with_capacity(wanted);
    while seeds.len() < wanted {
        for queue in &mut queues {
            if seeds.len() < wanted
                && let Some(row) = queue.pop()
            {
                seeds.push(rows[row].to_vec());
            }
        }
    }
    seeds
}

/// The cluster of every person. One cluster if k-means cannot do better.
fn memberships(space: &Space, rows: &[&[Code]], clusters: usize) -> Vec<usize> {
    let stride = rows.len().div_ceil(CLUSTERED);
    let sample: Vec<&[Code]> = rows.iter().copied().step_by(stride).collect();
    // The generator inside has a fixed seed of its own, so the clusters depend on the data alone.
    let fitted = KMeans::params(clusters.min(sample.len()))
        .n_runs(1)
        .init_method(KMeansInit::KMeansPlusPlus)
        .max_n_iterations(PASSES)
        .tolerance(1e-3)
        .fit(&DatasetBase::from(matrix(space, &sample)));
    match fitted {
        Ok(model) => model.predict(&matrix(space, rows)).to_vec(),
        // Not converged: the seeds are then drawn from the whole dataset, which is as valid.
        Err(_) => vec![0; rows.len()],
    }
}

fn matrix(space: &Space, rows: &[&[Code]]) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), space.schema().width()), |(row, attribute)| {
        f64::from(space.value(attribute, rows[row][attribute]))
    })
}

/// Fisher and Yates' shuffle.
fn shuffle(items: &mut [usize], stream: &mut Stream) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(stream, last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Domain, Schema};

    fn space() -> Space {
        let range = |max| Domain::Integers { min: 0, max };
        let schema = Schema::new(vec![
            Attribute::new("a", range(99)),
            Attribute::new("sex", range(1)),
        ]);
        Space::new(schema, &[1]).unwrap()
    }

    fn people(of: impl IntoIterator<Item = Code>) -> Vec<Code> {
        of.into_iter().flat_map(|a| [a, a % 2]).collect()
    }

    #[test]
    fn fewer_people_than_seeds_are_all_seeds() {
        let seeds = draw(
            &space(),
            &people(0..5),
            10,
            4,
            &mut stream(1, "x", Purpose::Seeds, 0),
        );
        assert_eq!(seeds.len(), 5);
    }

    #[test]
    fn every_cluster_has_its_turn() {
        // 900 people at 0..3 and 100 near 90: two clusters, drawn in turn.
        let crowd = (0..900).map(|i| i % 3).chain((0..100).map(|i| 88 + i % 3));
        let seeds = draw(
            &space(),
            &people(crowd),
            40,
            2,
            &mut stream(1, "x", Purpose::Seeds, 0),
        );
        let far = seeds.iter().filter(|seed| seed[0] > 50).count();
        assert_eq!((seeds.len(), far), (40, 20));
    }

    #[test]
    fn the_same_stream_draws_the_same_seeds() {
        let draw = || {
            draw(
                &space(),
                &people(0..100),
                30,
                4,
                &mut stream(7, "x", Purpose::Seeds, 0),
            )
        };
        assert_eq!(draw(), draw());
    }

    #[test]
    fn identical_people_are_no_trouble_for_the_clusters() {
        let same = vec![5; 200];
        let seeds = draw(
            &space(),
            &people(same),
            50,
            4,
            &mut stream(1, "x", Purpose::Seeds, 0),
        );
        assert_eq!(seeds.len(), 50);
    }
}
