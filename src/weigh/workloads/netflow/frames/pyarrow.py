"""netflow for PyArrow: ``events`` is a dataset, of which each function reads what it needs as a table."""

from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc


def eq_user(events, user):
    return _count(events, pc.field("user_name") == user)


def eq_src_ip(events, ip):
    return _count(events, pc.field("src_ip") == ip)


def eq_dst_ip(events, ip):
    return _count(events, pc.field("dst_ip") == ip)


def eq_dst_port(events, port):
    return _count(events, pc.field("dst_port") == port)


def eq_action(events, action):
    return _count(events, pc.field("action") == action)


def eq_proto(events, proto):
    return _count(events, pc.field("proto") == proto)


def user_action_proto(events, user, action, proto):
    condition = (pc.field("user_name") == user) & (pc.field("action") == action) & (pc.field("proto") == proto)
    return _count(events, condition)


def ne_user(events, user):
    return _count(events, pc.field("user_name") != user)


def in_users(events, a, b, c, d):
    return _count(events, pc.field("user_name").isin([a, b, c, d]))


def user_prefix(events, pattern):
    return _count(events, pc.starts_with(pc.field("user_name"), pattern.removesuffix("%")))


def no_user(events):
    return _count(events, pc.field("user_name").is_null())


def bytes_range(events, low, high):
    return _count(events, (pc.field("bytes") >= low) & (pc.field("bytes") < high))


def time_window(events, begin, end):
    window = (pc.field("ts") >= _instant(begin)) & (pc.field("ts") < _instant(end))
    return _events_and_bytes(events.to_table(columns=["action", "bytes"], filter=window))


def by_action(events):
    return _events_and_bytes(events.to_table(columns=["action", "bytes"]))


def by_proto(events):
    groups = events.to_table(columns=["proto", "packets"]).group_by("proto")
    return _named(groups.aggregate([([], "count_all"), ("packets", "sum")]), "proto", "events", "total_packets")


def duration_by_proto(events):
    groups = events.to_table(columns=["proto", "duration"]).group_by("proto")
    found = groups.aggregate([("duration", "sum"), ("duration", "mean")])
    return _named(found, "proto", "total_duration", "mean_duration")


def score_by_action(events):
    groups = events.to_table(columns=["action", "score"]).group_by("action")
    found = groups.aggregate([("score", "count"), ("score", "sum"), ("score", "mean")])
    return _named(found, "action", "scored", "total_score", "mean_score")


def extremes_by_action(events):
    rows = events.to_table(columns=["action", "ts", "bytes", "duration", "event_id"])
    found = rows.group_by("action").aggregate(
        [
            ("ts", "min"),
            ("ts", "max"),
            ("bytes", "min"),
            ("bytes", "max"),
            ("duration", "min"),
            ("duration", "max"),
            ("event_id", "max"),
        ]
    )
    names = ("first_ts", "last_ts", "least_bytes", "most_bytes", "shortest", "longest", "highest_id")
    return _named(found, "action", *names)


def distinct(events):
    rows = events.to_table(columns=["user_name", "src_ip", "dst_port"])
    counts = [pc.count_distinct(column, mode="only_valid").as_py() for column in rows.columns]
    return pa.table({"users": counts[:1], "sources": counts[1:2], "ports": counts[2:]})


def sources_by_action(events):
    groups = events.to_table(columns=["action", "src_ip"]).group_by("action")
    found = groups.aggregate([("src_ip", "count_distinct", pc.CountOptions(mode="only_valid"))])
    return _named(found, "action", "sources")


def top_talkers(events):
    groups = events.to_table(columns=["src_ip", "bytes"]).group_by("src_ip")
    found = groups.aggregate([("bytes", "sum"), ([], "count_all")])
    found = found.rename_columns(["src_ip", "total_bytes", "events"])
    return found.sort_by([("total_bytes", "descending"), ("src_ip", "ascending")]).slice(0, 25)


def top_users(events):
    rows = events.to_table(columns=["user_name"], filter=pc.field("user_name").is_valid())
    found = rows.group_by("user_name").aggregate([([], "count_all")]).rename_columns(["user_name", "events"])
    return found.sort_by([("events", "descending"), ("user_name", "ascending")]).slice(0, 25)


def top_ports(events):
    groups = events.to_table(columns=["dst_port"]).group_by("dst_port")
    found = groups.aggregate([([], "count_all")]).rename_columns(["dst_port", "events"])
    return found.sort_by([("events", "descending")]).slice(0, 25)


def denied_and_allowed(events, a, b, c, begin, end):
    users = pc.field("user_name").isin([a, b, c])
    window = (pc.field("ts") >= _instant(begin)) & (pc.field("ts") < _instant(end))
    pairs = _joined(events, users & window, "deny", "allow")
    return _named(pairs.group_by("user_name").aggregate([([], "count_all")]), "user_name", "pairs")


def at_the_ends(events, action, first, last):
    inside = (pc.field("ts") >= _instant(first)) & (pc.field("ts") <= _instant(last))
    return _count(events, (pc.field("action") == action) & inside)


def past_the_ends(events, action, first, last):
    outside = (pc.field("ts") < _instant(first)) | (pc.field("ts") > _instant(last))
    return _count(events, (pc.field("action") == action) & outside)


def nameless(events, text):
    return _count(events, pc.coalesce(pc.field("user_name"), pc.scalar(text)) == "")


def alike(events, pattern):
    return _count(events, pc.match_like(pc.field("user_name"), pattern))


def users_of_action(events, action):
    rows = events.to_table(columns=["user_name"], filter=pc.field("action") == action)
    return rows.group_by("user_name").aggregate([([], "count_all")]).rename_columns(["user_name", "events"])


def unscored(events):
    rows = events.to_table(columns=["action", "score"], filter=pc.field("score").is_null())
    found = rows.group_by("action").aggregate(
        [([], "count_all"), ("score", "count"), ("score", "sum"), ("score", "max")]
    )
    return _named(found, "action", "events", "scored", "total_score", "highest_score")


def same_user(events, one, other):
    return pa.table({"pairs": [_joined(events, pc.scalar(True), one, other).num_rows]})


def _joined(events, condition, one, other):
    left = events.to_table(columns=["user_name"], filter=condition & (pc.field("action") == one))
    right = events.to_table(columns=["user_name"], filter=condition & (pc.field("action") == other))
    return left.join(right, keys="user_name", join_type="inner")


def _count(events, condition):
    return pa.table({"events": [events.count_rows(filter=condition)]})


def _events_and_bytes(rows):
    found = rows.group_by("action").aggregate([([], "count_all"), ("bytes", "sum")])
    return _named(found, "action", "events", "total_bytes")


def _named(found, *names):
    """Groups under these names, sorted by the first."""
    return found.rename_columns(list(names)).sort_by(names[0])


def _instant(text):
    return pa.scalar(datetime.fromisoformat(text), pa.timestamp("us"))
