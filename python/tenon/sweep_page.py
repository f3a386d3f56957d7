"""A sweep's page: plots of every result over every parameter, tables, in the style of `tenon report`."""
from __future__ import annotations

import json
import math
import platform
import statistics
from pathlib import Path
from typing import Any

from . import _core

CURVES = 8  # of one chart, as many as there are colours
SHOWN = 1000  # runs in the page's table; the table in the file has all


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else value if isinstance(value, str) else json.dumps(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _chart(result: str, along: str, curves: list[dict[str, Any]], line: bool) -> dict[str, Any]:
    values = [y for curve in curves for y in curve["y"] if y is not None]
    log = bool(values) and min(values) > 0 and max(values) > 1e3 * min(values)
    return {"title": f"{result} over {along}", "about": "", "x": along, "y": result, "log": log, "line": line, "curves": curves}


def _curves(study: dict[str, Any], table: dict[str, list[Any]], result: str, along: str) -> tuple[list[dict[str, Any]], bool]:
    """A line for each choice of the other parameters where they are few, else one cloud of points."""
    others = [name for name in study.get("parameters", {}) if name != along]
    groups: dict[str, list[tuple[float, float | None]]] = {}
    for k, (x, y) in enumerate(zip(table[along], table[result])):
        label = ", ".join(f"{name} = {_text(table[name][k])}" for name in others) or result
        groups.setdefault(label, []).append((x, y if math.isfinite(y) else None))
    places = [len({x for x, _ in points}) for points in groups.values()]
    line = len(groups) <= CURVES and min(places) > 1 and places == [len(points) for points in groups.values()]
    if not line:
        groups = {result: [point for points in groups.values() for point in points]}
    curves = []
    for label, points in groups.items():
        points.sort(key=lambda point: point[0])
        curves.append({"label": label, "x": [x for x, _ in points], "y": [y for _, y in points]})
    return curves, line


def _table(title: str, heads: list[str], rows: list[list[Any]], notes: list[str]) -> dict[str, Any]:
    return {"title": title, "heads": heads, "notes": notes,
            "rows": [{"cells": [_text(cell) for cell in row], "number": [_is_number(cell) for cell in row]} for row in rows]}


def _summary(study: dict[str, Any], table: dict[str, list[Any]]) -> dict[str, Any]:
    rows = []
    for name in study["results"]:
        values = [value for value in table[name] if math.isfinite(value)]
        figures = [min(values), statistics.median(values), statistics.fmean(values), max(values)] if values else ["–"] * 4
        rows.append([name, study["results"][name], len(values), *figures])
    failed = sum(bool(error) for error in table["error"])
    return _table("Results", ["result", "expression", "runs", "least", "median", "mean", "greatest"], rows,
                  [f"{len(table['run'])} runs, {failed} failed"])


def write(study: dict[str, Any], table: dict[str, list[Any]], path: str | Path) -> None:
    """The page at path, in place of an earlier one."""
    scene = study["scene"]
    along = [name for name in study.get("parameters", {}) if all(map(_is_number, table[name])) and len(set(table[name])) > 1]
    charts = [_chart(result, name, *_curves(study, table, result, name)) for result in study["results"] for name in along or ["run"]]
    rows = [list(row) for row in zip(*table.values())]
    notes = [f"the first {SHOWN} of {len(rows)}"] if len(rows) > SHOWN else []
    page = {"format": "tenon tables", "version": 1, "title": "Sweep" if "\n" in scene else f"Sweep of {Path(scene).name}",
            "tenon": _core.__version__, "machine": platform.platform(), "charts": charts,
            "tables": [_summary(study, table), _table("Runs", list(table), rows[:SHOWN], notes)]}
    _core.tables(json.dumps(page), path)
