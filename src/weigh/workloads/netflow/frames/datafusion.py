"""netflow for DataFusion: ``events`` is a lazy frame, and so is every answer."""

import re
from datetime import datetime

from datafusion import col, lit
from datafusion import functions as f


def eq_user(events, user):
    return _count(events, col("user_name") == lit(user))


def eq_src_ip(events, ip):
    return _count(events, col("src_ip") == lit(ip))


def eq_dst_ip(events, ip):
    return _count(events, col("dst_ip") == lit(ip))


def eq_dst_port(events, port):
    return _count(events, col("dst_port") == lit(port))


def eq_action(events, action):
    return _count(events, col("action") == lit(action))


def eq_proto(events, proto):
    return _count(events, col("proto") == lit(proto))


def user_action_proto(events, user, action, proto):
    condition = (col("user_name") == lit(user)) & (col("action") == lit(action)) & (col("proto") == lit(proto))
    return _count(events, condition)


def ne_user(events, user):
    return _count(events, col("user_name") != lit(user))


def in_users(events, a, b, c, d):
    return _count(events, f.in_list(col("user_name"), [lit(a), lit(b), lit(c), lit(d)]))


def user_prefix(events, pattern):
    return _count(events, f.starts_with(col("user_name"), lit(pattern.removesuffix("%"))))


def no_user(events):
    return _count(events, col("user_name").is_null())


def bytes_range(events, low, high):
    return _count(events, (col("bytes") >= lit(low)) & (col("bytes") < lit(high)))


def time_window(events, begin, end):
    return by_action(events.filter((col("ts") >= _instant(begin)) & (col("ts") < _instant(end))))


def by_action(events):
    return events.aggregate(
        [col("action")], [f.count_star().alias("events"), f.sum(col("bytes")).alias("total_bytes")]
    ).sort(col("action"))


def by_proto(events):
    return events.aggregate(
        [col("proto")], [f.count_star().alias("events"), f.sum(col("packets")).alias("total_packets")]
    ).sort(col("proto"))


def duration_by_proto(events):
    return events.aggregate(
        [col("proto")],
        [f.sum(col("duration")).alias("total_duration"), f.avg(col("duration")).alias("mean_duration")],
    ).sort(col("proto"))


def score_by_action(events):
    return events.aggregate(
        [col("action")],
        [
            f.count(col("score")).alias("scored"),
            f.sum(col("score")).alias("total_score"),
            f.avg(col("score")).alias("mean_score"),
        ],
    ).sort(col("action"))


def extremes_by_action(events):
    return events.aggregate(
        [col("action")],
        [
            f.min(col("ts")).alias("first_ts"),
            f.max(col("ts")).alias("last_ts"),
            f.min(col("bytes")).alias("least_bytes"),
            f.max(col("bytes")).alias("most_bytes"),
            f.min(col("duration")).alias("shortest"),
            f.max(col("duration")).alias("longest"),
            f.max(col("event_id")).alias("highest_id"),
        ],
    ).sort(col("action"))


def distinct(events):
    return events.aggregate(
        [],
        [
            f.count(col("user_name"), distinct=True).alias("users"),
            f.count(col("src_ip"), distinct=True).alias("sources"),
            f.count(col("dst_port"), distinct=True).alias("ports"),
        ],
    )


def sources_by_action(events):
    return events.aggregate([col("action")], [f.count(col("src_ip"), distinct=True).alias("sources")]).sort(
        col("action")
    )


def top_talkers(events):
    sources = events.aggregate(
        [col("src_ip")], [f.sum(col("bytes")).alias("total_bytes"), f.count_star().alias("events")]
    )
    return sources.sort(col("total_bytes").sort(ascending=False), col("src_ip")).limit(25)


def top_users(events):
    users = events.filter(col("user_name").is_not_null()).aggregate(
        [col("user_name")], [f.count_star().alias("events")]
    )
    return users.sort(col("events").sort(ascending=False), col("user_name")).limit(25)


def top_ports(events):
    ports = events.aggregate([col("dst_port")], [f.count_star().alias("events")])
    return ports.sort(col("events").sort(ascending=False)).limit(25)


def denied_and_allowed(events, a, b, c, begin, end):
    chosen = events.filter(
        f.in_list(col("user_name"), [lit(a), lit(b), lit(c)]),
        col("ts") >= _instant(begin),
        col("ts") < _instant(end),
    )
    pairs = _joined(chosen, "deny", "allow").aggregate([col("user_name")], [f.count_star().alias("pairs")])
    return pairs.sort(col("user_name"))


def at_the_ends(events, action, first, last):
    inside = (col("ts") >= _instant(first)) & (col("ts") <= _instant(last))
    return _count(events, (col("action") == lit(action)) & inside)


def past_the_ends(events, action, first, last):
    outside = (col("ts") < _instant(first)) | (col("ts") > _instant(last))
    return _count(events, (col("action") == lit(action)) & outside)


def nameless(events, text):
    return _count(events, f.coalesce(col("user_name"), lit(text)) == lit(""))


def alike(events, pattern):
    return _count(events, f.regexp_like(col("user_name"), lit(_like(pattern))))


def users_of_action(events, action):
    return events.filter(col("action") == lit(action)).aggregate([col("user_name")], [f.count_star().alias("events")])


def unscored(events):
    return (
        events.filter(col("score").is_null())
        .aggregate(
            [col("action")],
            [
                f.count_star().alias("events"),
                f.count(col("score")).alias("scored"),
                f.sum(col("score")).alias("total_score"),
                f.max(col("score")).alias("highest_score"),
            ],
        )
        .sort(col("action"))
    )


def same_user(events, one, other):
    return _joined(events, one, other).aggregate([], [f.count_star().alias("pairs")])


def _joined(events, one, other):
    left = events.filter(col("action") == lit(one)).select("user_name")
    right = events.filter(col("action") == lit(other)).select(col("user_name").alias("other_name"))
    return left.join(right, left_on="user_name", right_on="other_name", how="inner")


def _count(events, condition):
    return events.filter(condition).aggregate([], [f.count_star().alias("events")])


def _instant(text):
    return lit(datetime.fromisoformat(text))


def _like(pattern):
    """A pattern of SQL's LIKE as a regular expression."""
    return f"(?s)^{re.escape(pattern).replace('%', '.*').replace('_', '.')}$"
