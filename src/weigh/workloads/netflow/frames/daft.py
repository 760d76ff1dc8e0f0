"""netflow for Daft: ``events`` is a lazy frame, and so is every answer."""

from datetime import datetime

from daft import col, lit


def eq_user(events, user):
    return _count(events, col("user_name") == user)


def eq_src_ip(events, ip):
    return _count(events, col("src_ip") == ip)


def eq_dst_ip(events, ip):
    return _count(events, col("dst_ip") == ip)


def eq_dst_port(events, port):
    return _count(events, col("dst_port") == port)


def eq_action(events, action):
    return _count(events, col("action") == action)


def eq_proto(events, proto):
    return _count(events, col("proto") == proto)


def user_action_proto(events, user, action, proto):
    condition = (col("user_name") == user) & (col("action") == action) & (col("proto") == proto)
    return _count(events, condition)


def ne_user(events, user):
    return _count(events, col("user_name") != user)


def in_users(events, a, b, c, d):
    return _count(events, col("user_name").is_in([a, b, c, d]))


def user_prefix(events, pattern):
    return _count(events, col("user_name").startswith(pattern.removesuffix("%")))


def no_user(events):
    return _count(events, col("user_name").is_null())


def bytes_range(events, low, high):
    return _count(events, (col("bytes") >= low) & (col("bytes") < high))


def time_window(events, begin, end):
    return by_action(events.where((col("ts") >= _instant(begin)) & (col("ts") < _instant(end))))


def by_action(events):
    return (
        events.groupby("action")
        .agg(col("bytes").count("all").alias("events"), col("bytes").sum().alias("total_bytes"))
        .sort("action")
    )


def by_proto(events):
    return (
        events.groupby("proto")
        .agg(col("packets").count("all").alias("events"), col("packets").sum().alias("total_packets"))
        .sort("proto")
    )


def duration_by_proto(events):
    return (
        events.groupby("proto")
        .agg(col("duration").sum().alias("total_duration"), col("duration").mean().alias("mean_duration"))
        .sort("proto")
    )


def score_by_action(events):
    return (
        events.groupby("action")
        .agg(
            col("score").count().alias("scored"),
            col("score").sum().alias("total_score"),
            col("score").mean().alias("mean_score"),
        )
        .sort("action")
    )


def extremes_by_action(events):
    return (
        events.groupby("action")
        .agg(
            col("ts").min().alias("first_ts"),
            col("ts").max().alias("last_ts"),
            col("bytes").min().alias("least_bytes"),
            col("bytes").max().alias("most_bytes"),
            col("duration").min().alias("shortest"),
            col("duration").max().alias("longest"),
            col("event_id").max().alias("highest_id"),
        )
        .sort("action")
    )


def distinct(events):
    return events.agg(
        col("user_name").count_distinct().alias("users"),
        col("src_ip").count_distinct().alias("sources"),
        col("dst_port").count_distinct().alias("ports"),
    )


def sources_by_action(events):
    return events.groupby("action").agg(col("src_ip").count_distinct().alias("sources")).sort("action")


def top_talkers(events):
    return (
        events.groupby("src_ip")
        .agg(col("bytes").sum().alias("total_bytes"), col("bytes").count("all").alias("events"))
        .sort(["total_bytes", "src_ip"], desc=[True, False])
        .limit(25)
    )


def top_users(events):
    return (
        events.where(col("user_name").not_null())
        .groupby("user_name")
        .agg(col("event_id").count("all").alias("events"))
        .sort(["events", "user_name"], desc=[True, False])
        .limit(25)
    )


def top_ports(events):
    return (
        events.groupby("dst_port").agg(col("event_id").count("all").alias("events")).sort("events", desc=True).limit(25)
    )


def denied_and_allowed(events, a, b, c, begin, end):
    chosen = events.where(
        col("user_name").is_in([a, b, c]) & (col("ts") >= _instant(begin)) & (col("ts") < _instant(end))
    )
    pairs = _joined(chosen, "deny", "allow").groupby("user_name")
    return pairs.agg(col("action").count("all").alias("pairs")).sort("user_name")


def at_the_ends(events, action, first, last):
    inside = (col("ts") >= _instant(first)) & (col("ts") <= _instant(last))
    return _count(events, (col("action") == action) & inside)


def past_the_ends(events, action, first, last):
    outside = (col("ts") < _instant(first)) | (col("ts") > _instant(last))
    return _count(events, (col("action") == action) & outside)


def nameless(events, text):
    return _count(events, col("user_name").fill_null(text) == "")


def alike(events, pattern):
    return _count(events, col("user_name").like(pattern))


def users_of_action(events, action):
    chosen = events.where(col("action") == action)
    return chosen.groupby("user_name").agg(col("event_id").count("all").alias("events"))


def unscored(events):
    return (
        events.where(col("score").is_null())
        .groupby("action")
        .agg(
            col("score").count("all").alias("events"),
            col("score").count().alias("scored"),
            col("score").sum().alias("total_score"),
            col("score").max().alias("highest_score"),
        )
        .sort("action")
    )


def same_user(events, one, other):
    return _joined(events, one, other).agg(col("action").count("all").alias("pairs"))


def _joined(events, one, other):
    left = events.where(col("action") == one).select("user_name", "action")
    right = events.where(col("action") == other).select("user_name")
    return left.join(right, on="user_name")


def _count(events, condition):
    return events.where(condition).agg(col("event_id").count("all").alias("events"))


def _instant(text):
    return lit(datetime.fromisoformat(text))
