//! Batch means are what the definition says, however its samples came.

#![expect(clippy::cast_precision_loss, reason = "series are short")]

use weigh_stats::{BatchMeans, Error, MOST_BATCHES, Moments};

/// A linear congruential generator (Knuth's MMIX constants): the same numbers on every machine.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 33).unwrap()) / f64::from(u32::MAX >> 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from((self.0 >> 20) % bound as u64).unwrap() * usize::from(self.next() >= 0.0)
    }
}

/// A slow wave, noise and a skew, far from zero.
fn series(length: usize, seed: u64) -> Vec<f64> {
    let mut draw = Draw(seed);
    let mut level = 0.0;
    (0..length)
        .map(|_| {
            level = 0.99 * level + draw.next() - 0.5;
            1000.0 + level + draw.next().powi(4)
        })
        .collect()
}

fn batch_means(samples: &[f64]) -> BatchMeans {
    let mut means = BatchMeans::new();
    means.push(samples).unwrap();
    means
}

fn batches(samples: &[f64], size: usize) -> Vec<f64> {
    samples.chunks_exact(size).map(|batch| batch.iter().sum::<f64>() / size as f64).collect()
}

fn close(left: f64, right: f64, scale: f64) -> bool {
    (left - right).abs() <= 1e-9 * scale.abs()
}

#[track_caller]
fn same(left: &[Moments], right: &[Moments]) {
    assert_eq!(left.len(), right.len());
    for (a, b) in left.iter().zip(right) {
        assert_eq!((a.batches, a.pairs), (b.batches, b.pairs));
        assert!(close(a.mean, b.mean, b.mean), "{a:?} {b:?}");
        assert!(close(a.squares, b.squares, b.squares), "{a:?} {b:?}");
        assert!(close(a.differences, b.differences, b.differences), "{a:?} {b:?}");
        assert!(close(a.cubes, b.cubes, b.squares.powf(1.5)), "{a:?} {b:?}");
    }
}

#[test]
fn moments_are_those_of_the_definition() {
    for length in [1, 2, 3, 7, 100, 1023, 4095, 4096, 4097, 20_000] {
        let samples = series(length, 1);
        let levels = batch_means(&samples).moments();
        assert_eq!(levels.len(), length.ilog2() as usize + 1);
        for (level, found) in levels.iter().enumerate() {
            let means = batches(&samples, 1 << level);
            let count = means.len() as f64;
            let mean = means.iter().sum::<f64>() / count;
            let central = |power| means.iter().map(|value| (value - mean).powi(power)).sum::<f64>();
            let steps = means.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>();
            assert_eq!((found.batches, found.pairs), (means.len() as u64, means.len() as u64 - 1));
            assert!(close(found.mean, mean, mean));
            assert!((found.squares - central(2)).abs() <= 1e-8 * central(2) + 1e-12);
            assert!((found.cubes - central(3)).abs() <= 1e-7 * central(2).powf(1.5) + 1e-12);
            assert!((found.differences - steps).abs() <= 1e-8 * steps + 1e-12);
        }
    }
}

#[test]
fn batches_are_those_of_the_definition() {
    for (length, most, size) in [
        (3, 512, 1),
        (512, 512, 1),
        (1024, 1024, 1),
        (1025, 1024, 2),
        (1025, 512, 2),
        (1026, 512, 4),
        (300_000, 512, 1024),
    ] {
        let samples = series(length, 2);
        let found = batch_means(&samples).batches(most);
        assert_eq!(found.size, size as u64);
        let wanted = batches(&samples, size);
        assert_eq!(found.means.len(), wanted.len());
        assert!(found.means.iter().zip(&wanted).all(|(a, b)| close(*a, *b, *b)));
    }
}

#[test]
fn slices_make_no_difference() {
    let samples = series(50_000, 3);
    let whole = batch_means(&samples);
    for seed in 0..20 {
        let (mut draw, mut cut, mut left) = (Draw(seed), BatchMeans::new(), samples.as_slice());
        while !left.is_empty() {
            let _ = draw.next();
            let (slice, after) = left.split_at(draw.below(9000).min(left.len()));
            cut.push(slice).unwrap();
            left = after;
        }
        assert_eq!(cut.moments(), whole.moments());
        assert_eq!(cut.batches(512), whole.batches(512));
    }
}

#[test]
fn aligned_parts_merge_into_the_whole() {
    let samples = series(100_000, 4);
    for (seam, end) in
        [(65_536, 100_000), (32_768, 65_536), (65_536, 131_071), (8192, 12_000), (5, 4000), (0, 9000)]
    {
        let samples = &samples[..end.min(samples.len())];
        let (left, right) = samples.split_at(seam);
        let (mut parts, whole) = (batch_means(left), batch_means(samples));
        parts.merge(&batch_means(right));
        assert_eq!(parts.count(), whole.count());
        same(&parts.moments(), &whole.moments());
        let (a, b) = (parts.batches(512), whole.batches(512));
        assert_eq!((a.size, a.means.len()), (b.size, b.means.len()));
        assert!(a.means.iter().zip(&b.means).all(|(a, b)| close(*a, *b, *b)));
    }
}

#[test]
fn many_aligned_parts_merge_into_the_whole_and_go_on() {
    let samples = series(90_000, 5);
    let mut parts = BatchMeans::new();
    for part in samples[..81_920].chunks(8192) {
        parts.merge(&batch_means(part));
    }
    parts.push(&samples[81_920..]).unwrap();
    same(&parts.moments(), &batch_means(&samples).moments());
}

#[test]
fn parts_that_are_not_aligned_keep_the_samples_and_lose_less_than_a_batch_a_level() {
    let samples = series(70_000, 6);
    for seam in [1, 4097, 30_000, 65_000] {
        let (left, right) = samples.split_at(seam);
        let (mut parts, whole) = (batch_means(left), batch_means(&samples));
        parts.merge(&batch_means(right));
        let (found, wanted) = (parts.moments(), whole.moments());
        same(&found[..1], &wanted[..1]);
        for (level, (a, b)) in found.iter().zip(&wanted).enumerate() {
            assert!(a.batches <= b.batches && a.batches + 1 >= b.batches, "level {level}: {a:?} {b:?}");
            assert!(a.pairs < a.batches);
        }
        let batches = parts.batches(512);
        assert!(batches.means.len() as u64 * batches.size + 2 * batches.size > 70_000);
        assert!(batches.means.len() <= 512);
    }
}

#[test]
fn no_batch_and_no_pair_spans_a_seam_that_is_not_aligned() {
    let samples = series(40_000, 9);
    let (left, rest) = samples.split_at(5000);
    let (right, more) = rest.split_at(20_000);
    let mut parts = batch_means(left);
    parts.merge(&batch_means(right));
    parts.push(more).unwrap();
    for (level, found) in parts.moments().iter().enumerate().take(14) {
        let size = 1 << level;
        let (before, after) = (batches(left, size), batches(rest, size));
        let steps = |means: &[f64]| means.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>();
        let (pairs, differences) = if 5000 % size == 0 {
            let whole = [before.clone(), after.clone()].concat();
            (whole.len() - 1, steps(&whole))
        } else {
            (
                (before.len() + after.len()).saturating_sub(2).max(after.len() - 1),
                steps(&before) + steps(&after),
            )
        };
        assert_eq!(
            (found.batches, found.pairs),
            ((before.len() + after.len()) as u64, pairs as u64),
            "{level}"
        );
        assert!(close(found.differences, differences, differences), "{level}");
    }
}

#[test]
fn order_is_seen_above_the_first_level_only() {
    let samples = series(40_000, 7);
    let mut sorted = samples.clone();
    sorted.sort_by(f64::total_cmp);
    let (drawn, ordered) = (batch_means(&samples).moments(), batch_means(&sorted).moments());
    assert!(close(drawn[0].variance().unwrap(), ordered[0].variance().unwrap(), 1.0));
    assert!(ordered[8].variance().unwrap() > 1.5 * drawn[8].variance().unwrap());
    assert!(ordered[0].correlation().unwrap() > 0.99);
    assert!(drawn[0].correlation().unwrap() < ordered[0].correlation().unwrap());
}

#[test]
fn a_sample_that_is_no_number_is_refused_and_nothing_is_taken() {
    let mut means = batch_means(&[1.0, 2.0]);
    let error = means.push(&[3.0, f64::INFINITY, f64::NAN]).unwrap_err();
    assert_eq!(error, Error::NotFinite { at: 1, value: f64::INFINITY });
    assert_eq!(error.to_string(), "sample 1 is inf, not a finite number");
    assert_eq!(means.count(), 2);
}

#[test]
fn few_samples_have_no_variance() {
    assert!(BatchMeans::new().moments().is_empty());
    assert!(BatchMeans::new().batches(8).means.is_empty());
    let one = batch_means(&[4.0]).moments()[0];
    assert_eq!((one.mean, one.variance(), one.correlation(), one.skewness()), (4.0, None, None, None));
    let constant = batch_means(&vec![4.0; 5000]).moments()[0];
    assert_eq!((constant.variance(), constant.correlation()), (Some(0.0), None));
}

#[test]
fn memory_does_not_grow_with_the_series() {
    let mut means = BatchMeans::new();
    let samples = series(1 << 18, 8);
    for _ in 0..4 {
        means.push(&samples).unwrap();
    }
    assert_eq!(means.count(), 1 << 20);
    assert_eq!(means.moments().len(), 21);
    assert!(means.batches(usize::MAX).means.len() <= MOST_BATCHES);
}
