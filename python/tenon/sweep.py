"""Sweeps: a scene run for many values of its parameters, one table of results. `python3 -m tenon.sweep STUDY.yaml`."""
from __future__ import annotations

import argparse
import concurrent.futures
import csv
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ._core import Error, Model, Sim, State

KEYS = {"scene", "set", "parameters", "grid", "n", "seed", "duration", "results"}


def read(study: str | Path | dict[str, Any]) -> dict[str, Any]:
    """A study as a dict: read from YAML, its scene's path made absolute, its keys checked."""
    folder = Path.cwd()
    if not isinstance(study, dict):
        import yaml

        folder = Path(study).resolve().parent
        study = yaml.safe_load(Path(study).read_text(encoding="utf-8"))
    unknown = set(study) - KEYS
    if unknown or not {"scene", "results"} <= set(study):
        raise ValueError(f"a study has scene, results and {sorted(KEYS - {'scene', 'results'})}, not {sorted(unknown)}")
    scene = str(study["scene"])
    return {**study, "scene": scene if "\n" in scene else str(folder / scene)}


def _values(of: Any, n: int, seed: list[int]) -> list[Any]:
    """A parameter's values: a list, {from, to, n}, or n draws {uniform: [low, high]}, {normal: [mean, deviation]}."""
    if isinstance(of, list):
        return of
    if set(of) == {"from", "to", "n"}:
        return np.linspace(of["from"], of["to"], of["n"]).tolist()
    rng = np.random.default_rng(seed)
    if set(of) == {"uniform"}:
        return rng.uniform(*of["uniform"], n).tolist()
    if set(of) == {"normal"}:
        return rng.normal(*of["normal"], n).tolist()
    raise ValueError(f"a parameter is a list, {{from, to, n}}, {{uniform: [low, high]}} or {{normal: [mean, deviation]}}, not {of}")


def runs(study: dict[str, Any]) -> list[dict[str, Any]]:
    """The parameters of each run, in order. grid: full (default) takes all combinations, paired the k-th of each."""
    parameters = study.get("parameters", {})
    n, seed = int(study.get("n", 1)), int(study.get("seed", 0))
    columns = [_values(of, n, [seed, k]) for k, of in enumerate(parameters.values())]
    if study.get("grid", "full") == "paired":
        if len({len(column) for column in columns}) > 1:
            raise ValueError(f"grid paired: as many values of each parameter, not {[len(column) for column in columns]}")
        rows = zip(*columns)
    else:
        rows = itertools.product(*columns)
    return [dict(zip(parameters, row)) for row in rows]


class _History:
    """What expressions of results see of a run, a row a step from the start on."""

    def __init__(self, model: Model, duration: float) -> None:
        state, sim = State(model), Sim(model)
        time, poses, coordinates, reports = [state.time], [state.poses.copy()], [state.coordinates.copy()], []
        while state.time < duration - 1e-9:
            sim.step(state)
            time.append(state.time), poses.append(state.poses.copy()), coordinates.append(state.coordinates.copy())
            reports.append(sim.report)
        self.model, self.time, self.reports = model, np.array(time), reports
        self.poses, self.coordinates = np.array(poses), np.array(coordinates)

    def names(self) -> dict[str, Any]:
        return {"np": np, "time": self.time, "min": np.min, "max": np.max, "mean": np.mean, "abs": np.abs,
                "body": lambda name: self.poses[:, self.model.body(name)],
                "coordinate": lambda name: self.coordinates[:, self.model.coordinate(name)],
                "energy": lambda name: np.array([r["energy"][name] for r in self.reports]),
                "certificate": lambda name: np.array([r["certificate"][name] for r in self.reports]),
                "contacts": np.array([r["n_contacts"] for r in self.reports])}


def run(study: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """One run: its results as floats, and "error": "" or the reason why there are none."""
    try:
        options = [*study.get("set", []), *(f"{key}={json.dumps(value)}" for key, value in parameters.items())]
        scene = study["scene"]
        model = Model(text=scene, set=options) if "\n" in scene else Model(scene, set=options)
        names = _History(model, float(study.get("duration", model.duration))).names()
        values = {name: float(eval(text, {"__builtins__": {}}, names)) for name, text in study["results"].items()}
        return {**values, "error": ""}
    except (Error, OSError, ArithmeticError, LookupError, NameError, SyntaxError, TypeError, ValueError) as error:
        return {**dict.fromkeys(study["results"], float("nan")), "error": str(error).splitlines()[0]}


def _finished(path: Path, study: str) -> dict[int, dict[str, Any]]:
    """Rows of an earlier sweep of the same study; a last line that was cut off is left out."""
    done: dict[int, dict[str, Any]] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if not lines or lines[0] != study:
        path.write_text(study + "\n", encoding="utf-8")
        return done
    for line in lines[1:]:
        try:
            number, row = json.loads(line)
            done[number] = row
        except ValueError:
            continue
    path.write_text("".join(f"{line}\n" for line in [study, *(json.dumps([k, row]) for k, row in done.items())]), encoding="utf-8")
    return done


def _write(out: Path, table: dict[str, list[Any]]) -> None:
    if out.suffix == ".h5":
        import h5py

        with h5py.File(out, "w") as file:
            for name, column in table.items():
                file[name.replace("/", "_")] = [str(v) for v in column] if isinstance(column[0], (str, list)) else column
        return
    with open(out, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values()))


def sweep(study: str | Path | dict[str, Any], executor: concurrent.futures.Executor | None = None,
          out: str | Path | None = None) -> dict[str, list[Any]]:
    """Runs a study (docs/python.md) and returns its table, a list for each column: run, parameters, results, error.

    executor: any of concurrent.futures' form, such as ProcessPoolExecutor, Dask's client.get_executor() or
    mpi4py.futures.MPIPoolExecutor; None: in this process. out: FILE.csv or FILE.h5 for the table; what has been run is
    kept in FILE.rows beside it, so that a sweep that was interrupted goes on where it ended."""
    study = read(study)
    all_runs = runs(study)
    rows = Path(f"{out}.rows") if out else None
    done = _finished(rows, json.dumps(study)) if rows else {}
    todo = [k for k in range(len(all_runs)) if k not in done]

    def finish(number: int, row: dict[str, Any]) -> None:
        done[number] = row
        if rows:
            with open(rows, "a", encoding="utf-8") as file:
                file.write(json.dumps([number, row]) + "\n")

    if executor is None:
        for k in todo:
            finish(k, run(study, all_runs[k]))
    else:
        waiting = {executor.submit(run, study, all_runs[k]): k for k in todo}
        for future in concurrent.futures.as_completed(waiting):
            finish(waiting[future], future.result())
    table: dict[str, list[Any]] = {"run": list(range(len(all_runs)))}
    for name in study.get("parameters", {}):
        table[name] = [parameters[name] for parameters in all_runs]
    for name in [*study["results"], "error"]:
        table[name] = [done[k][name] for k in range(len(all_runs))]
    if out:
        _write(Path(out), table)
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="tenon.sweep", description="Run a study: a scene for many values of its parameters.")
    parser.add_argument("study", help="STUDY.yaml")
    parser.add_argument("-o", "--out", help="table, FILE.csv or FILE.h5 (default: the study's name with .csv)")
    parser.add_argument("-j", "--workers", type=int, help="processes (default: one a processor)")
    arguments = parser.parse_args()
    out = arguments.out or Path(arguments.study).with_suffix(".csv").name
    try:
        with concurrent.futures.ProcessPoolExecutor(arguments.workers) as executor:
            table = sweep(arguments.study, executor, out)
    except (ValueError, OSError) as error:
        print(f"tenon.sweep: {error}", file=sys.stderr)
        return 2
    failed = sum(bool(error) for error in table["error"])
    print(f"{out}: {len(table['run'])} runs, {failed} failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
