"""A summary of the results of many seeds."""
import collections
import json

COLUMNS = ["predict", "history", "weights", "state", "back"]


def load(path):
    """The last line of each seed."""
    results = {}
    if path.exists():
        for line in path.read_text().splitlines():
            result = json.loads(line)
            results[result["seed"]] = result
    return results


def reached(result, column):
    """Whether the column was compared, and whether it agreed."""
    stages = {"predict": 0, "train": 1, "history": 1, "change": 2, "weights": 2, "state": 3, "load back": 4, "back": 4}
    own = {"predict": 0, "history": 1, "weights": 2, "state": 3, "back": 4}[column]
    if result["outcome"] == "agrees":
        return column in result["columns"], True
    failed = stages[result["stage"]]
    if result["outcome"] == "differs" and result.get("columns") and " by " in result["message"]:
        names = {"weights": ("weights by", "change by")}.get(column, (f"{column} by",))
        return column in result["columns"], not any(name in result["message"] for name in names)
    return own <= failed, own < failed


def table(results):
    lines = ["| | compared | agree | |", "|---|---|---|---|"]
    for column in COLUMNS:
        seen = [agreed for there, agreed in (reached(r, column) for r in results) if there]
        lines.append(f"| {column} | {len(seen)} | {sum(seen)} | {100 * sum(seen) / max(1, len(seen)):.2f} % |")
    good = sum(r["outcome"] == "agrees" for r in results)
    return "\n".join([*lines, f"| all | {len(results)} | {good} | {100 * good / max(1, len(results)):.2f} % |"])


def causes(results):
    groups = collections.defaultdict(list)
    for result in results:
        if result["outcome"] != "agrees":
            groups[result["cause"]].append(result)
    lines = []
    for cause, members in sorted(groups.items(), key=lambda item: -len(item[1])):
        lines.append(f"{len(members):4} {cause}   seeds {', '.join(str(r['seed']) for r in members[:8])}")
        lines.append(f"       {members[0]['message'][:220]}")
    return "\n".join(lines)


def summary(results):
    suitable = [r for r in results.values() if r["outcome"] != "unsuitable"]
    rest = len(results) - len(suitable)
    return f"{len(results)} seeds, {rest} without a program that Keras trains\n\n{table(suitable)}\n\n{causes(suitable)}"
