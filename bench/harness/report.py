"""Turns the rates of many runs into results.json and the tables of docs/performance.md.

Pure: measures nothing. Higher is better, but for entries in microseconds, whose names end in a
size ("all-reduce-64kB").
"""
import json
import re
import statistics

SIZE = re.compile(r"-\d+(B|kB|MB|GB|KiB|MiB|GiB)$")
REQUIRED = ("name", "unit", "ours", "rival", "limit")


def spread(values, others=0.0):
    """Median, least and most of the runs; `others` is the greatest share of the cores that other
    programs had meanwhile."""
    if not values:
        raise ValueError("no runs, so no median")
    return {"value": statistics.median(values), "least": min(values), "most": max(values),
            "others": round(others, 3)}


def lower_is_better(unit):
    return unit == "us"


def best(candidates, unit):
    """The best of those that were measured, or None."""
    measured = [one for one in candidates if one.get("value") is not None]
    if not measured:
        return None
    choose = min if lower_is_better(unit) else max
    return choose(measured, key=lambda one: one["value"])


def ratio(ours, other, unit):
    """How many times as good ours is."""
    return other / ours if lower_is_better(unit) else ours / other


def result(name, unit, ours, candidates, limit):
    """One entry. `ours` is spread()'s, candidates are {name, version, stock} with spread()'s keys
    or an `error`, limit is {name, value}.

    The rival is the best of the candidates whose models are written as everybody writes them
    (stock: True); the best of those rewritten by hand (False) stands beside it as rewrittenRival.
    What is no rival has None.
    """
    def named(one):
        return one and {key: one[key] for key in ("name", "version", "value")}

    return {
        "name": name, "unit": unit, "ours": ours["value"],
        "rival": named(best([one for one in candidates if one["stock"]], unit)), "limit": limit,
        "spread": {key: ours[key] for key in ("least", "most", "others")},
        "rewrittenRival": named(best([one for one in candidates if one["stock"] is False], unit)),
        "candidates": candidates,
    }


def _check_number(where, value):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e18:
        raise ValueError(f"{where} is {value!r}, not a number above 0")


def check(results):
    """Raises ValueError, with the entry and the fault, unless this is what results.json holds."""
    if not isinstance(results, list) or not results:
        raise ValueError("the results must be a list of entries")
    names = [entry.get("name") for entry in results]
    if len(set(names)) != len(names):
        raise ValueError("two entries have one name")
    for entry in results:
        name = entry.get("name")
        missing = [key for key in REQUIRED if key not in entry]
        if missing:
            raise ValueError(f"{name}: lacks {', '.join(missing)}")
        if lower_is_better(entry["unit"]) != bool(SIZE.search(name)):
            raise ValueError(f"{name}: unit {entry['unit']}; us belongs to names that end in a "
                             "size, and to no others")
        _check_number(f"{name}: ours", entry["ours"])
        for key, parts in (("rival", ("name", "version")), ("limit", ("name",))):
            if entry[key] is None and key == "rival":
                continue  # measured without rivals
            for part in parts:
                if not isinstance(entry[key].get(part), str) or not entry[key][part]:
                    raise ValueError(f"{name}: the {key} has no {part}")
            _check_number(f"{name}: {key}", entry[key].get("value"))


def to_json(results):
    check(results)
    return json.dumps(results, indent=1) + "\n"


def _range(one):
    return f"{one['value']:,.0f} ({one['least']:,.0f} to {one['most']:,.0f})"


def _row(entry):
    ours = {"value": entry["ours"], **entry["spread"]}
    cells = [f"`{entry['name']}`", entry["unit"], _range(ours)]
    for rival in (entry["rival"], entry["rewrittenRival"]):
        cells.append("" if rival is None else
                     f"{ratio(entry['ours'], rival['value'], entry['unit']):.2f}")
    limit = entry["limit"]
    cells.append(f"{limit['value']:,.0f}")
    cells.append(f"{100 * ratio(entry['ours'], limit['value'], entry['unit']):.0f} %")
    return cells


def _table(header, rows):
    rule = ["---", "---"] + ["---:"] * (len(header) - 2)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *rows)) + "\n"


def _candidate_row(entry, one):
    mark = " **(rival)**" if entry["rival"] and one["name"] == entry["rival"]["name"] else ""
    rate = _range(one) if one.get("value") is not None else "not measured: " + one["error"]
    times = (f"{ratio(entry['ours'], one['value'], entry['unit']):.2f}"
             if one.get("value") is not None else "")
    version = f" ({one['version']})" if one["version"] else ""
    return [f"`{entry['name']}`", f"{one['name']}{version}{mark}", rate, times]


def to_markdown(results):
    """Two tables: the entries, and all that they were compared with."""
    check(results)
    entries = _table(
        ["entry", "unit", "Sumac: median (least to most)", "times the rival",
         "times the best rewritten by hand", "limit", "of the limit"],
        [_row(entry) for entry in results])
    candidates = _table(
        ["entry", "compared with", "median (least to most)", "Sumac, times"],
        [_candidate_row(entry, one) for entry in results for one in entry["candidates"]])
    return entries + "\n" + candidates
