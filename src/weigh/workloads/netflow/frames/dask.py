"""netflow for Dask: ``events`` is a lazy frame; an answer is one as well, or small enough to be one of pandas."""

import re

import dask
import pandas as pd


def eq_user(events, user):
    return _count(events["user_name"] == user)


def eq_src_ip(events, ip):
    return _count(events["src_ip"] == ip)


def eq_dst_ip(events, ip):
    return _count(events["dst_ip"] == ip)


def eq_dst_port(events, port):
    return _count(events["dst_port"] == port)


def eq_action(events, action):
    return _count(events["action"] == action)


def eq_proto(events, proto):
    return _count(events["proto"] == proto)


def user_action_proto(events, user, action, proto):
    return _count((events["user_name"] == user) & (events["action"] == action) & (events["proto"] == proto))


def ne_user(events, user):
    return _count(events["user_name"].notnull() & (events["user_name"] != user))


def in_users(events, a, b, c, d):
    return _count(events["user_name"].isin([a, b, c, d]))


def user_prefix(events, pattern):
    return _count(events["user_name"].str.startswith(pattern.removesuffix("%"), na=False))


def no_user(events):
    return _count(events["user_name"].isnull())


def bytes_range(events, low, high):
    return _count((events["bytes"] >= low) & (events["bytes"] < high))


def time_window(events, begin, end):
    return by_action(events[(events["ts"] >= pd.Timestamp(begin)) & (events["ts"] < pd.Timestamp(end))])


def by_action(events):
    found = events.groupby("action").agg(events=("bytes", "size"), total_bytes=("bytes", "sum"))
    return found.reset_index().sort_values("action")


def by_proto(events):
    found = events.groupby("proto").agg(events=("packets", "size"), total_packets=("packets", "sum"))
    return found.reset_index().sort_values("proto")


def duration_by_proto(events):
    found = events.groupby("proto").agg(total_duration=("duration", "sum"), mean_duration=("duration", "mean"))
    return found.reset_index().sort_values("proto")


def score_by_action(events):
    scores = events.groupby("action")["score"]
    # A sum of nothing is 0 in Dask unless it must have a value, and NULL in SQL.
    scored, total, mean = dask.compute(scores.count(), scores.sum(min_count=1), scores.mean())
    found = pd.DataFrame({"scored": scored, "total_score": total, "mean_score": mean})
    return found.rename_axis("action").reset_index().sort_values("action")


def extremes_by_action(events):
    found = events.groupby("action").agg(
        first_ts=("ts", "min"),
        last_ts=("ts", "max"),
        least_bytes=("bytes", "min"),
        most_bytes=("bytes", "max"),
        shortest=("duration", "min"),
        longest=("duration", "max"),
        highest_id=("event_id", "max"),
    )
    return found.reset_index().sort_values("action")


def distinct(events):
    columns = {"users": "user_name", "sources": "src_ip", "ports": "dst_port"}
    counts = dask.compute(*(events[column].nunique() for column in columns.values()))
    return pd.DataFrame({name: [count] for name, count in zip(columns, counts, strict=True)})


def sources_by_action(events):
    found = events.groupby("action")["src_ip"].nunique()
    return found.rename("sources").reset_index().sort_values("action")


def top_talkers(events):
    sources = events.groupby("src_ip").agg(total_bytes=("bytes", "sum"), events=("bytes", "size")).reset_index()
    return sources.compute().sort_values(["total_bytes", "src_ip"], ascending=[False, True]).head(25)


def top_users(events):
    # Groups of what is missing are left out unless they are asked for.
    users = events.groupby("user_name").size().rename("events").reset_index()
    return users.compute().sort_values(["events", "user_name"], ascending=[False, True]).head(25)


def top_ports(events):
    ports = events["dst_port"].value_counts().compute().sort_values(ascending=False)
    return ports.head(25).rename("events").reset_index()


def denied_and_allowed(events, a, b, c, begin, end):
    window = (events["ts"] >= pd.Timestamp(begin)) & (events["ts"] < pd.Timestamp(end))
    pairs = _joined(events[events["user_name"].isin([a, b, c]) & window], "deny", "allow")
    return pairs.groupby("user_name").size().rename("pairs").reset_index().sort_values("user_name")


def at_the_ends(events, action, first, last):
    inside = (events["ts"] >= pd.Timestamp(first)) & (events["ts"] <= pd.Timestamp(last))
    return _count((events["action"] == action) & inside)


def past_the_ends(events, action, first, last):
    outside = (events["ts"] < pd.Timestamp(first)) | (events["ts"] > pd.Timestamp(last))
    return _count((events["action"] == action) & outside)


def nameless(events, text):
    return _count(events["user_name"].fillna(text) == "")


def alike(events, pattern):
    return _count(events["user_name"].str.fullmatch(_like(pattern), na=False, flags=re.DOTALL))


def users_of_action(events, action):
    chosen = events[events["action"] == action]
    return chosen.groupby("user_name", dropna=False).size().rename("events").reset_index()


def unscored(events):
    chosen = events[events["score"].isnull()]
    scores = chosen.groupby("action")["score"]
    size, count, total, highest = dask.compute(
        chosen.groupby("action").size(), scores.count(), scores.sum(min_count=1), scores.max()
    )
    found = pd.DataFrame({"events": size, "scored": count, "total_score": total, "highest_score": highest})
    return found.rename_axis("action").reset_index().sort_values("action")


def same_user(events, one, other):
    return pd.DataFrame({"pairs": [len(_joined(events, one, other))]})


def _joined(events, one, other):
    # Dask joins what is missing with what is missing, as pandas does, and SQL does not.
    named = events.dropna(subset="user_name")
    left = named[named["action"] == one][["user_name"]]
    right = named[named["action"] == other][["user_name"]]
    return left.merge(right, on="user_name")


def _count(condition):
    return pd.DataFrame({"events": [int(condition.sum().compute())]})


def _like(pattern):
    """A pattern of SQL's LIKE as a regular expression."""
    return re.escape(pattern).replace("%", ".*").replace("_", ".")
