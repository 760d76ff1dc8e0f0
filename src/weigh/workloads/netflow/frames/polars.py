"""netflow for Polars: ``events`` is a lazy frame, and so is every answer."""

import re
from datetime import datetime

import polars as pl


def eq_user(events, user):
    return _count(events, pl.col("user_name") == user)


def eq_src_ip(events, ip):
    return _count(events, pl.col("src_ip") == ip)


def eq_dst_ip(events, ip):
    return _count(events, pl.col("dst_ip") == ip)


def eq_dst_port(events, port):
    return _count(events, pl.col("dst_port") == port)


def eq_action(events, action):
    return _count(events, pl.col("action") == action)


def eq_proto(events, proto):
    return _count(events, pl.col("proto") == proto)


def user_action_proto(events, user, action, proto):
    return _count(events, pl.col("user_name") == user, pl.col("action") == action, pl.col("proto") == proto)


def ne_user(events, user):
    return _count(events, pl.col("user_name") != user)


def in_users(events, a, b, c, d):
    return _count(events, pl.col("user_name").is_in([a, b, c, d]))


def user_prefix(events, pattern):
    return _count(events, pl.col("user_name").str.starts_with(pattern.removesuffix("%")))


def no_user(events):
    return _count(events, pl.col("user_name").is_null())


def bytes_range(events, low, high):
    return _count(events, pl.col("bytes") >= low, pl.col("bytes") < high)


def time_window(events, begin, end):
    return (
        events.filter(pl.col("ts").is_between(_instant(begin), _instant(end), closed="left"))
        .group_by("action")
        .agg(pl.len().alias("events"), pl.col("bytes").sum().alias("total_bytes"))
        .sort("action")
    )


def by_action(events):
    return (
        events.group_by("action")
        .agg(pl.len().alias("events"), pl.col("bytes").sum().alias("total_bytes"))
        .sort("action")
    )


def by_proto(events):
    # A sum of 32-bit integers is one of 32 bits in Polars, and wraps around.
    total = pl.col("packets").cast(pl.Int64).sum()
    return events.group_by("proto").agg(pl.len().alias("events"), total.alias("total_packets")).sort("proto")


def duration_by_proto(events):
    return (
        events.group_by("proto")
        .agg(
            pl.col("duration").sum().alias("total_duration"),
            pl.col("duration").mean().alias("mean_duration"),
        )
        .sort("proto")
    )


def score_by_action(events):
    return (
        events.group_by("action")
        .agg(
            pl.col("score").count().alias("scored"),
            _sum_or_null("score").alias("total_score"),
            pl.col("score").mean().alias("mean_score"),
        )
        .sort("action")
    )


def extremes_by_action(events):
    return (
        events.group_by("action")
        .agg(
            pl.col("ts").min().alias("first_ts"),
            pl.col("ts").max().alias("last_ts"),
            pl.col("bytes").min().alias("least_bytes"),
            pl.col("bytes").max().alias("most_bytes"),
            pl.col("duration").min().alias("shortest"),
            pl.col("duration").max().alias("longest"),
            pl.col("event_id").max().alias("highest_id"),
        )
        .sort("action")
    )


def distinct(events):
    return events.select(
        pl.col("user_name").drop_nulls().n_unique().alias("users"),
        pl.col("src_ip").drop_nulls().n_unique().alias("sources"),
        pl.col("dst_port").drop_nulls().n_unique().alias("ports"),
    )


def sources_by_action(events):
    return events.group_by("action").agg(pl.col("src_ip").drop_nulls().n_unique().alias("sources")).sort("action")


def top_talkers(events):
    return (
        events.group_by("src_ip")
        .agg(pl.col("bytes").sum().alias("total_bytes"), pl.len().alias("events"))
        .sort("total_bytes", "src_ip", descending=[True, False])
        .head(25)
    )


def top_users(events):
    return (
        events.filter(pl.col("user_name").is_not_null())
        .group_by("user_name")
        .agg(pl.len().alias("events"))
        .sort("events", "user_name", descending=[True, False])
        .head(25)
    )


def top_ports(events):
    return events.group_by("dst_port").agg(pl.len().alias("events")).sort("events", descending=True).head(25)


def denied_and_allowed(events, a, b, c, begin, end):
    chosen = events.filter(
        pl.col("user_name").is_in([a, b, c]),
        pl.col("ts").is_between(_instant(begin), _instant(end), closed="left"),
    )
    denied = chosen.filter(pl.col("action") == "deny").select("user_name")
    allowed = chosen.filter(pl.col("action") == "allow").select("user_name")
    return denied.join(allowed, on="user_name").group_by("user_name").agg(pl.len().alias("pairs")).sort("user_name")


def at_the_ends(events, action, first, last):
    return _count(
        events,
        pl.col("action") == action,
        pl.col("ts").is_between(_instant(first), _instant(last)),
    )


def past_the_ends(events, action, first, last):
    outside = (pl.col("ts") < _instant(first)) | (pl.col("ts") > _instant(last))
    return _count(events, pl.col("action") == action, outside)


def nameless(events, text):
    return _count(events, pl.col("user_name").fill_null(text) == "")


def alike(events, pattern):
    return _count(events, pl.col("user_name").str.contains(_like(pattern)))


def users_of_action(events, action):
    return events.filter(pl.col("action") == action).group_by("user_name").agg(pl.len().alias("events"))


def unscored(events):
    return (
        events.filter(pl.col("score").is_null())
        .group_by("action")
        .agg(
            pl.len().alias("events"),
            pl.col("score").count().alias("scored"),
            _sum_or_null("score").alias("total_score"),
            pl.col("score").max().alias("highest_score"),
        )
        .sort("action")
    )


def same_user(events, one, other):
    left = events.filter(pl.col("action") == one).select("user_name")
    right = events.filter(pl.col("action") == other).select("user_name")
    return left.join(right, on="user_name").select(pl.len().alias("pairs"))


def _count(events, *conditions):
    return events.filter(*conditions).select(pl.len().alias("events"))


def _sum_or_null(column):
    """A sum of nothing is 0 in Polars, and NULL in SQL."""
    return pl.when(pl.col(column).count() > 0).then(pl.col(column).sum())


def _instant(text):
    return datetime.fromisoformat(text)


def _like(pattern):
    """A pattern of SQL's LIKE as a regular expression."""
    return f"(?s)^{re.escape(pattern).replace('%', '.*').replace('_', '.')}$"
