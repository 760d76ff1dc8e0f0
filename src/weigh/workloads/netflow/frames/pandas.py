"""netflow for pandas: ``events`` is the path of the Parquet files, of which each function reads what it needs."""

import re

import pandas as pd


def eq_user(events, user):
    return _count_equal(events, user_name=user)


def eq_src_ip(events, ip):
    return _count_equal(events, src_ip=ip)


def eq_dst_ip(events, ip):
    return _count_equal(events, dst_ip=ip)


def eq_dst_port(events, port):
    return _count_equal(events, dst_port=port)


def eq_action(events, action):
    return _count_equal(events, action=action)


def eq_proto(events, proto):
    return _count_equal(events, proto=proto)


def user_action_proto(events, user, action, proto):
    return _count_equal(events, user_name=user, action=action, proto=proto)


def ne_user(events, user):
    users = pd.read_parquet(events, columns=["user_name"])["user_name"]
    return _count(users.notna() & (users != user))


def in_users(events, a, b, c, d):
    return _count(pd.read_parquet(events, columns=["user_name"])["user_name"].isin([a, b, c, d]))


def user_prefix(events, pattern):
    users = pd.read_parquet(events, columns=["user_name"])["user_name"]
    return _count(users.str.startswith(pattern.removesuffix("%"), na=False))


def no_user(events):
    return _count(pd.read_parquet(events, columns=["user_name"])["user_name"].isna())


def bytes_range(events, low, high):
    return _count(pd.read_parquet(events, columns=["bytes"])["bytes"].between(low, high, inclusive="left"))


def time_window(events, begin, end):
    rows = pd.read_parquet(events, columns=["ts", "action", "bytes"])
    return _events_and_bytes(rows[rows["ts"].between(begin, end, inclusive="left")])


def by_action(events):
    return _events_and_bytes(pd.read_parquet(events, columns=["action", "bytes"]))


def by_proto(events):
    rows = pd.read_parquet(events, columns=["proto", "packets"])
    return rows.groupby("proto", as_index=False).agg(events=("packets", "size"), total_packets=("packets", "sum"))


def duration_by_proto(events):
    rows = pd.read_parquet(events, columns=["proto", "duration"])
    return rows.groupby("proto", as_index=False).agg(
        total_duration=("duration", "sum"), mean_duration=("duration", "mean")
    )


def score_by_action(events):
    scores = pd.read_parquet(events, columns=["action", "score"]).groupby("action")["score"]
    # A sum of nothing is 0 in pandas unless it must have a value, and NULL in SQL.
    found = {"scored": scores.count(), "total_score": scores.sum(min_count=1), "mean_score": scores.mean()}
    return pd.DataFrame(found).reset_index()


def extremes_by_action(events):
    rows = pd.read_parquet(events, columns=["action", "ts", "bytes", "duration", "event_id"])
    return rows.groupby("action", as_index=False).agg(
        first_ts=("ts", "min"),
        last_ts=("ts", "max"),
        least_bytes=("bytes", "min"),
        most_bytes=("bytes", "max"),
        shortest=("duration", "min"),
        longest=("duration", "max"),
        highest_id=("event_id", "max"),
    )


def distinct(events):
    rows = pd.read_parquet(events, columns=["user_name", "src_ip", "dst_port"])
    counts = rows.nunique()
    return pd.DataFrame({"users": [counts["user_name"]], "sources": [counts["src_ip"]], "ports": [counts["dst_port"]]})


def sources_by_action(events):
    rows = pd.read_parquet(events, columns=["action", "src_ip"])
    return rows.groupby("action", as_index=False).agg(sources=("src_ip", "nunique"))


def top_talkers(events):
    rows = pd.read_parquet(events, columns=["src_ip", "bytes"])
    sources = rows.groupby("src_ip", as_index=False).agg(total_bytes=("bytes", "sum"), events=("bytes", "size"))
    return sources.sort_values(["total_bytes", "src_ip"], ascending=[False, True]).head(25)


def top_users(events):
    # Groups of what is missing are left out unless they are asked for.
    users = pd.read_parquet(events, columns=["user_name"]).groupby("user_name", as_index=False).size()
    return (
        users.rename(columns={"size": "events"}).sort_values(["events", "user_name"], ascending=[False, True]).head(25)
    )


def top_ports(events):
    ports = pd.read_parquet(events, columns=["dst_port"])["dst_port"]
    return ports.value_counts().head(25).rename("events").reset_index()


def denied_and_allowed(events, a, b, c, begin, end):
    rows = pd.read_parquet(events, columns=["user_name", "action", "ts"])
    rows = rows[rows["user_name"].isin([a, b, c]) & rows["ts"].between(begin, end, inclusive="left")]
    denied = rows.loc[rows["action"] == "deny", ["user_name"]]
    allowed = rows.loc[rows["action"] == "allow", ["user_name"]]
    pairs = denied.merge(allowed, on="user_name").groupby("user_name", as_index=False).size()
    return pairs.rename(columns={"size": "pairs"})


def at_the_ends(events, action, first, last):
    rows = pd.read_parquet(events, columns=["action", "ts"])
    return _count((rows["action"] == action) & rows["ts"].between(first, last))


def past_the_ends(events, action, first, last):
    rows = pd.read_parquet(events, columns=["action", "ts"])
    return _count((rows["action"] == action) & ((rows["ts"] < first) | (rows["ts"] > last)))


def nameless(events, text):
    return _count(pd.read_parquet(events, columns=["user_name"])["user_name"].fillna(text) == "")


def alike(events, pattern):
    users = pd.read_parquet(events, columns=["user_name"])["user_name"]
    return _count(users.str.fullmatch(_like(pattern), na=False, flags=re.DOTALL))


def users_of_action(events, action):
    rows = pd.read_parquet(events, columns=["user_name", "action"])
    users = rows[rows["action"] == action].groupby("user_name", as_index=False, dropna=False).size()
    return users.rename(columns={"size": "events"})


def unscored(events):
    rows = pd.read_parquet(events, columns=["action", "score"])
    groups = rows[rows["score"].isna()].groupby("action")["score"]
    found = {
        "events": groups.size(),
        "scored": groups.count(),
        "total_score": groups.sum(min_count=1),
        "highest_score": groups.max(),
    }
    return pd.DataFrame(found).reset_index()


def same_user(events, one, other):
    # pandas joins what is missing with what is missing, and SQL does not.
    rows = pd.read_parquet(events, columns=["user_name", "action"]).dropna(subset="user_name")
    left = rows.loc[rows["action"] == one, ["user_name"]]
    right = rows.loc[rows["action"] == other, ["user_name"]]
    return pd.DataFrame({"pairs": [len(left.merge(right, on="user_name"))]})


def _count_equal(events, **values):
    rows = pd.read_parquet(events, columns=list(values))
    conditions = [rows[column] == value for column, value in values.items()]
    return _count(pd.concat(conditions, axis=1).all(axis=1))


def _count(condition):
    return pd.DataFrame({"events": [int(condition.sum())]})


def _events_and_bytes(rows):
    return rows.groupby("action", as_index=False).agg(events=("bytes", "size"), total_bytes=("bytes", "sum"))


def _like(pattern):
    """A pattern of SQL's LIKE as a regular expression."""
    return re.escape(pattern).replace("%", ".*").replace("_", ".")
