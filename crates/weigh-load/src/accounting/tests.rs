use super::*;
use crate::recorder::Times;

const MS: u64 = SECOND / 1000;

/// Of one operation, over 10 s with intervals of 1 s, begun at 5 s.
fn begun(arrivals: Arrivals, most_in_flight: usize) -> (Accounting, Arc<Shared>) {
    let times = (10 * SECOND, SECOND, SECOND);
    let shared = Arc::new(Shared::new(arrivals, 1, false, times));
    let mut accounting = Accounting::new(&shared, 1, most_in_flight, crate::clock::Spent::default);
    accounting.begin(5 * SECOND, 0, 1);
    (accounting, shared)
}

fn trace(moments: &[u64]) -> Arrivals {
    Arrivals::Trace(Arc::from(moments))
}

/// How many times, and the longest, to the precision of a histogram.
fn seen(times: &Times) -> (u64, u64) {
    (times.histogram().len(), times.histogram().max() / MS)
}

#[test]
fn times_count_from_when_a_request_was_due_and_lag_is_whose_it_was() {
    let (mut accounting, shared) = begun(trace(&[0, SECOND / 2]), 2);
    let at = |ms: u64| 5 * SECOND + ms * MS;
    // Due at 0 ms, a connection is free at 20, it is sent at 25, answered at 125.
    let first = accounting.take(at(22), at(20), None).unwrap().send(0, at(25));
    accounting.sent(&first);
    assert_eq!(accounting.take(at(22), at(0), None), None, "not due yet");
    accounting.finish(&first, Outcome::Right { verified: 3 }, at(125));
    // Due at 500, a connection had been free for long, it is sent at 510 and given up at 710.
    let second = accounting.take(at(510), at(125), None).unwrap().send(0, at(510));
    accounting.sent(&second);
    accounting.time_out(&second, at(710));
    accounting.arrive(at(999));
    accounting.end_intervals(at(1000));
    let delivered = shared.collect();
    let tally = &delivered[0].recorder.tallies[0];
    assert_eq!((tally.count, tally.timeouts), (1, 1));
    assert_eq!((seen(&tally.response), seen(&tally.service)), ((2, 210), (2, 200)));
    assert_eq!((seen(&tally.lag_free), seen(&tally.lag_late)), ((2, 20), (2, 10)));
    assert_eq!(seen(&tally.failed), (0, 0));
    assert_eq!((accounting.totals.verified, accounting.totals.done, accounting.totals.in_time), (3, 2, 2));
}

#[test]
fn a_failure_has_a_histogram_of_its_own() {
    let (mut accounting, shared) = begun(trace(&[0]), 1);
    let request = accounting.take(5 * SECOND, 0, None).unwrap().send(0, 5 * SECOND);
    accounting.finish(&request, Outcome::Failed("down".into()), 5 * SECOND + 7 * MS);
    accounting.close(16 * SECOND);
    let delivered = shared.collect();
    let tally = &delivered[0].recorder.tallies[0];
    assert_eq!((seen(&tally.failed), seen(&tally.response), tally.errors["down"]), ((1, 7), (0, 0), 1));
}

#[test]
fn what_may_not_be_sent_was_not_free() {
    let (mut accounting, _) = begun(trace(&[0, 0]), 1);
    let first = accounting.take(5 * SECOND, 0, None).unwrap().send(0, 5 * SECOND);
    assert!(!accounting.may_send());
    accounting.finish(&first, Outcome::Missing, 6 * SECOND);
    assert!(accounting.may_send());
    // Its connection has been free from the beginning, and it might be sent from 6 s on.
    assert_eq!(accounting.take(7 * SECOND, 0, None), Some(Due { at: 5 * SECOND, free: 6 * SECOND }));
}

#[test]
fn a_closed_loop_is_due_when_it_may_be_sent() {
    let (mut accounting, _) = begun(Arrivals::Closed, 1);
    assert_eq!(accounting.next_due(), Some(5 * SECOND));
    let at = 9 * SECOND;
    assert_eq!(accounting.take(at + MS, at, None), Some(Due { at, free: at }));
    accounting.finish(&Due { at, free: at }.send(0, at), Outcome::Missing, 15 * SECOND + 1);
    assert_eq!(accounting.take(15 * SECOND, 0, None), None, "after the end");
    assert!(accounting.is_over(15 * SECOND));
    let totals = accounting.close(15 * SECOND + 1);
    assert_eq!((totals.scheduled, totals.sent, totals.unsent, totals.in_time), (1, 1, 0, 0));
}

#[test]
fn what_was_due_is_sent_for_a_second_after_the_end_and_then_counted_as_unsent() {
    let (mut accounting, _) = begun(Arrivals::Constant { rate: 1.0 }, 1);
    accounting.arrive(20 * SECOND);
    let late = accounting.take(15 * SECOND + 999 * MS, 0, None).unwrap().send(0, 16 * SECOND);
    assert!(!accounting.is_over(18 * SECOND), "one is in flight");
    accounting.finish(&late, Outcome::Missing, 17 * SECOND);
    assert_eq!(accounting.take(16 * SECOND, 0, None), None);
    assert!(!accounting.is_over(15 * SECOND) && accounting.is_over(16 * SECOND));
    accounting.measure_queue();
    let totals = accounting.close(18 * SECOND);
    assert_eq!((totals.scheduled, totals.sent, totals.unsent, totals.max_queue), (10, 1, 9, 9));
    assert_eq!((totals.in_flight_at_end, totals.ended), (0, 18 * SECOND));
}

#[test]
fn after_a_stop_nothing_more_is_due_and_answers_are_waited_for_half_a_second() {
    let (mut accounting, _) = begun(Arrivals::Constant { rate: 1.0 }, 2);
    let _unanswered = accounting.take(5 * SECOND, 0, None).unwrap();
    accounting.stop(7 * SECOND + MS);
    accounting.stop(9 * SECOND);
    accounting.arrive(12 * SECOND);
    assert!(!accounting.is_over(7 * SECOND + 500 * MS));
    assert!(accounting.is_over(7 * SECOND + 501 * MS));
    let totals = accounting.close(8 * SECOND);
    assert_eq!((totals.scheduled, totals.unsent, totals.in_flight_at_end), (3, 2, 1));
}

#[test]
fn what_comes_after_the_end_of_an_interval_counts_in_the_next() {
    let (mut accounting, shared) = begun(trace(&[0, 0, SECOND / 2, SECOND]), 2);
    let mut sent = || {
        let request = accounting.take(5 * SECOND, 0, None).unwrap().send(0, 5 * SECOND);
        accounting.sent(&request);
        request
    };
    let (one, other) = (sent(), sent());
    for (request, at) in [(one, 7 * SECOND), (other, 8 * SECOND)] {
        accounting.end_intervals(at);
        accounting.finish(&request, Outcome::Missing, at);
    }
    accounting.end_intervals(9 * SECOND);
    let delivered: Vec<_> = shared
        .collect()
        .iter()
        .map(|one| {
            let tally = &one.recorder.tallies[0];
            (one.interval, one.to / SECOND, seen(&tally.lag_late).0, tally.count, one.in_flight, one.queued)
        })
        .collect();
    // What is due at the end of an interval waits in the next.
    assert_eq!(delivered, [(0, 6, 2, 0, 2, 1), (1, 7, 0, 0, 2, 2), (2, 8, 0, 1, 1, 2), (3, 9, 0, 1, 0, 2)]);
}

#[test]
fn what_waited_while_the_schedule_stood_still_is_due_later_by_as_much() {
    let (mut accounting, shared) = begun(trace(&[0, 4 * SECOND, 9_900 * MS]), 1);
    let at = |ms: u64| 5 * SECOND + ms * MS;
    accounting.end_intervals(at(9_950));
    assert_eq!(shared.collect().len(), 9);
    // From 3 s to 10 s nothing could be sent; for 5 s of that the schedule stood still.
    accounting.shift(5 * SECOND);
    assert_eq!((accounting.end(), accounting.boundary()), (at(15_000), at(10_000)));
    let first = accounting.take(at(10_000), at(10_000), None).unwrap().send(0, at(10_000));
    accounting.finish(&first, Outcome::Right { verified: 0 }, at(10_001));
    let second = accounting.take(at(10_001), at(10_001), None).unwrap().send(0, at(10_001));
    assert_eq!((first.due.at, second.due.at), (at(5_000), at(9_000)));
    accounting.finish(&second, Outcome::Right { verified: 0 }, at(10_002));
    assert_eq!(accounting.next_due(), Some(at(14_900)));
    assert!(!accounting.is_over(at(14_000)));
}
