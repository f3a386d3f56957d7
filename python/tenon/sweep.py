"""Sweeps: a scene run for many values of its parameters, one table of results. `tenon sweep STUDY.yaml` is main()."""
from __future__ import annotations

import argparse
import concurrent.futures
import csv
import itertools
import json
import multiprocessing
import numbers
import math
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

from . import sweep_page
from ._core import Error, Model, Sim, State
from .scene import _plain


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and bool(np.isfinite(value))


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= least


def _is_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value)


MOST = 10**6  # runs

# What stands under each key: a test, and words for it.
KEYS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "scene": (lambda v: isinstance(v, (str, os.PathLike)), "the path or the text of a scene"),
    "set": (_is_texts, "a list of overrides path=value"),
    "parameters": (lambda v: isinstance(v, dict), "a mapping of scene paths to values"),
    "grid": (lambda v: v in ("full", "paired"), "'full' or 'paired'"),
    "n": (lambda v: _is_count(v, 1) and v <= MOST, f"a whole number from 1 to {MOST}"),
    "seed": (lambda v: _is_count(v, 0), "a whole number of at least 0"),
    "duration": (lambda v: _is_number(v) and v >= 0, "a time in s, without a unit"),
    "results": (lambda v: isinstance(v, dict) and len(v) > 0 and _is_texts([*v.values()]), "a mapping of names to expressions"),
}


def _load(path: Path) -> tuple[Any, Callable[[str], str]]:
    """A study's file, and the place of a key in it for messages."""
    import yaml

    class Loader(yaml.SafeLoader):
        """Numbers as in scene files, YAML 1.2: 1e-3 is one."""

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), [*"-+.0123456789"])
    try:
        text = path.read_text(encoding="utf-8")
        study, root = yaml.load(text, Loader), yaml.compose(text, Loader)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: error: no text in UTF-8") from error
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        raise ValueError(f"{path}:{at.line + 1}:{at.column + 1}: error: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: error: {str(error).splitlines()[0]}") from error
    marks = {key.value: key.start_mark for key, _ in root.value} if isinstance(study, dict) else {}

    def place(key: str) -> str:
        return f"{path}:{marks[key].line + 1}:{marks[key].column + 1}: error: " if key in marks else f"{path}: error: "

    return study, place


def read(study: str | Path | dict[str, Any]) -> dict[str, Any]:
    """A study as a dict: read from YAML, its scene's path made absolute, its keys checked."""
    folder, place = Path.cwd(), lambda key: ""
    if not isinstance(study, dict):
        folder = Path(study).resolve().parent
        study, place = _load(Path(study))
    if not isinstance(study, dict):
        raise ValueError(f"{place('')}a study is a mapping of keys to values")
    for key in study:
        if key not in KEYS:
            raise ValueError(f"{place(key)}a study has no key '{key}': it has {', '.join(KEYS)}")
        if not KEYS[key][0](study[key]):
            raise ValueError(f"{place(key)}'{key}' must be {KEYS[key][1]}, not {study[key]!r:.80}")
    for key in ("scene", "results"):
        if key not in study:
            raise ValueError(f"{place('')}a study needs '{key}': {KEYS[key][1]}")
    scene = str(study["scene"])
    taken = {"run", "error", *study.get("parameters", {})} & {*study["results"]}
    if taken:
        raise ValueError(f"{place('results')}'{min(taken)}' is another column of the table: give the result another name")
    for name, text in study["results"].items():
        try:
            compile(text, name, "eval")
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"{place('results')}{name}: {text!r:.80} is no expression: {error.args[0]}") from error
    try:
        study = json.loads(json.dumps({**study, "scene": scene}, default=_plain))  # numpy's numbers, no dates
        runs(study)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place('parameters')}{error}") from error
    if "\n" not in scene and not (folder / scene).is_file():
        raise ValueError(f"{place('scene')}there is no scene {folder / scene}")
    return {**study, "scene": scene if "\n" in scene else str(folder / scene)}


def _values(of: Any, n: int, seed: list[int]) -> list[Any]:
    """A parameter's values: a list, {from, to, n}, or n draws {uniform: [low, high]}, {normal: [mean, deviation]}."""
    if isinstance(of, (list, tuple)) and of:
        return [*of]
    if isinstance(of, dict) and set(of) == {"from", "to", "n"} and _is_count(of["n"], 1) and of["n"] <= MOST and all(map(_is_number, of.values())):
        values = np.linspace(of["from"], of["to"], of["n"]).tolist()
        whole = all(isinstance(of[end], numbers.Integral) for end in ("from", "to")) # seeds and counts must be so
        return [int(v) if whole and v.is_integer() else v for v in values]
    rng = np.random.default_rng(seed)
    for name, draw in (("uniform", rng.uniform), ("normal", rng.normal)):
        if isinstance(of, dict) and [*of] == [name] and isinstance(of[name], (list, tuple)) and [*map(_is_number, of[name])] == [True, True]:
            return draw(*of[name], n).tolist()
    raise ValueError(f"a parameter is a list, {{from, to, n}}, {{uniform: [low, high]}} or {{normal: [mean, deviation]}}, not {of!r:.80}")


def runs(study: dict[str, Any]) -> list[dict[str, Any]]:
    """The parameters of each run, in order. grid: full (default) takes all combinations, paired the k-th of each."""
    parameters, n, seed = study.get("parameters", {}), study.get("n", 1), study.get("seed", 0)
    columns = [_values(of, n, [seed, k]) for k, of in enumerate(parameters.values())]
    if study.get("grid", "full") == "paired":
        if len({len(column) for column in columns}) > 1:
            raise ValueError(f"grid paired: as many values of each parameter, not {[len(column) for column in columns]}")
        rows = zip(*columns)
    else:
        rows = itertools.product(*columns)
        if math.prod(map(len, columns)) > MOST:
            raise ValueError(f"{math.prod(map(len, columns))} combinations of values: a sweep has at most {MOST} runs")
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


def _model(study: dict[str, Any], parameters: dict[str, Any]) -> Model:
    options = [*study.get("set", []), *(f"{key}={json.dumps(value)}" for key, value in parameters.items())]
    scene = study["scene"]
    return Model(text=scene, set=options) if "\n" in scene else Model(scene, set=options)


def run(study: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """One run: its results as floats, and "error": "" or the reason why there are none."""
    try:
        model = _model(study, parameters)
        names = _History(model, float(study.get("duration", model.duration))).names()
        values = {name: float(eval(text, {"__builtins__": {}}, names)) for name, text in study["results"].items()}
        return {**values, "error": ""}
    except (Error, OSError, ArithmeticError, LookupError, NameError, SyntaxError, TypeError, ValueError) as error:
        return {**dict.fromkeys(study["results"], float("nan")), "error": str(error).splitlines()[0]}


def _begin(study: dict[str, Any], all_runs: list[dict[str, Any]]) -> str:
    """What the rows of an earlier sweep must begin with to count: the same study of the same scene."""
    try:
        model = _model(study, all_runs[0])
        scene = [model.hash, model.duration]
    except (Error, OSError, IndexError):
        scene = None
    return json.dumps({"tenon sweep": study, "scene": scene})


def _finished(path: Path, begin: str) -> dict[int, dict[str, Any]]:
    """Rows of an earlier sweep that began so; a last line that was cut off is left out."""
    done: dict[int, dict[str, Any]] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if lines and lines[0] == begin:
        for line in lines[1:]:
            try:
                number, row = json.loads(line)
                done[number] = row
            except ValueError:
                continue
    path.write_text("".join(f"{line}\n" for line in [begin, *(json.dumps([k, row]) for k, row in done.items())]), encoding="utf-8")
    return done


def _refuse(path: Path, kind: str, *begins: bytes) -> None:
    """A file that is there and no such thing is not written over."""
    if path.exists():
        with open(path, "rb") as file:
            found = file.read(64)
        if found and not found.startswith(begins):
            raise FileExistsError(f"cannot write {path}: it exists and is no {kind}")


def _check_places(out: Path, rows: Path) -> None:
    """Before anything is run."""
    if out.suffix not in (".csv", ".h5"):
        raise ValueError(f"{out}: a table is FILE.csv or FILE.h5")
    _refuse(rows, "list of a sweep's runs", b'{"tenon sweep"')
    if out.suffix == ".csv":
        _refuse(out, "table of a sweep", b"run,")
        return
    import h5py

    _refuse(out, "table of a sweep", b"\x89HDF")
    if out.exists() and out.stat().st_size:
        with h5py.File(out) as file:
            if file.attrs.get("format") != "tenon sweep":
                raise FileExistsError(f"cannot write {out}: it exists and is no table of a sweep")


def _write(out: Path, table: dict[str, list[Any]]) -> None:
    draft = out.with_name(out.name + ".part")
    if out.suffix == ".h5":
        import h5py

        with h5py.File(draft, "w") as file:
            file.attrs["format"] = "tenon sweep"
            for name, column in table.items():
                file[name.replace("/", "_")] = [str(v) for v in column] if isinstance(column[0], (str, list)) else column
    else:
        with open(draft, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(zip(*table.values()))
    os.replace(draft, out)


def _execute(study: dict[str, Any], todo: dict[int, dict[str, Any]], executor: concurrent.futures.Executor | None):
    """(number, row) of each run as it ends."""
    if executor is None:
        for number, parameters in todo.items():
            yield number, run(study, parameters)
        return
    waiting = {executor.submit(run, study, parameters): number for number, parameters in todo.items()}
    for future in concurrent.futures.as_completed(waiting):
        yield waiting[future], future.result()


def sweep(study: str | Path | dict[str, Any], executor: concurrent.futures.Executor | None = None,
          out: str | Path | None = None, page: str | Path | None = None,
          progress: Callable[[int, int, int], None] | None = None) -> dict[str, list[Any]]:
    """Runs a study (docs/python.md) and returns its table, a list for each column: run, parameters, results, error.

    executor: any of concurrent.futures' form, such as ProcessPoolExecutor, Dask's client.get_executor() or
    mpi4py.futures.MPIPoolExecutor; None: in this process. out: FILE.csv or FILE.h5 for the table; what has been run is
    kept in FILE.rows beside it, so that a sweep that was interrupted goes on where it ended. page: FILE.html for plots
    and tables. progress(done, earlier, total) is called before and after each run; earlier: runs of an earlier start."""
    study = read(study)
    all_runs = runs(study)
    rows = Path(f"{out}.rows") if out else None
    if page:
        _refuse(Path(page), "HTML page", b"<!doctype html", b"<!DOCTYPE html")
    if rows:
        _check_places(Path(out), rows)
    done = _finished(rows, _begin(study, all_runs)) if rows else {}
    earlier = len(done)
    say = progress or (lambda *_: None)
    say(earlier, earlier, len(all_runs))
    for number, row in _execute(study, {k: p for k, p in enumerate(all_runs) if k not in done}, executor):
        done[number] = row
        if rows:
            with open(rows, "a", encoding="utf-8") as file:
                file.write(json.dumps([number, row]) + "\n")
        say(len(done), earlier, len(all_runs))
    table: dict[str, list[Any]] = {"run": list(range(len(all_runs)))}
    for name in study.get("parameters", {}):
        table[name] = [parameters[name] for parameters in all_runs]
    for name in [*study["results"], "error"]:
        table[name] = [done[k][name] for k in range(len(all_runs))]
    if out:
        _write(Path(out), table)
    if page:
        sweep_page.write(study, table, page)
    return table


class _Bar:
    """The progress bar of `tenon run`, on a terminal."""

    def __init__(self, quiet: bool) -> None:
        self.on, self.started = not quiet and sys.stderr.isatty(), time.monotonic()

    def __call__(self, done: int, earlier: int, total: int) -> None:
        if self.on and done == total:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        elif self.on and total:
            rate = (done - earlier) / (time.monotonic() - self.started + 1e-9)
            left = f", {(total - done) / rate:.0f} s left" if rate else ""
            print(f"\r[{'#' * (30 * done // total):30}] {done}/{total} runs{left}\033[K", end="", file=sys.stderr, flush=True)


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number of at least 1")
    return int(text)


def _words(error: BaseException) -> str:
    """A message in the form of the other commands."""
    text = str(error)
    if isinstance(error, OSError) and error.filename and error.strerror:
        text = f"{error.filename}: {error.strerror}"
    return text if ": error: " in text else f"tenon: error: {text.removeprefix('error: ')}"


def _interrupt(number: int, frame: Any) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one ends at once
    raise KeyboardInterrupt


def _on_processes(arguments: argparse.Namespace, out: Path, page: Path) -> dict[str, list[Any]]:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    # Workers end at once by the signal, which Ctrl-C sends to them too.
    executor = concurrent.futures.ProcessPoolExecutor(arguments.workers, initializer=_leave_signals)
    try:
        return sweep(arguments.study, executor, out, page, _Bar(arguments.quiet))
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _leave_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tenon sweep", description="Run a study: a scene for many values of its parameters (docs/python.md).",
        epilog="Exit codes: 0 done, 1 a run failed (its row says why), 2 bad input or usage, 130 interrupted; the same "
        "command then goes on where it ended.")
    parser.add_argument("study", metavar="STUDY.yaml")
    parser.add_argument("-o", "--out", metavar="FILE.csv|h5", help="the table; default: the study's name with .csv")
    parser.add_argument("--html", metavar="FILE.html", help="the page of plots and tables; default: the table's name with _report.html")
    parser.add_argument("-j", "--workers", metavar="N", type=_count, help="processes; default: one a processor")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress bar, no summary")
    arguments = parser.parse_args()
    out = Path(arguments.out or f"{Path(arguments.study).stem}.csv")
    page = Path(arguments.html or out.parent / f"{out.stem}_report.html")
    try:
        table = _on_processes(arguments, out, page)
    except KeyboardInterrupt:
        print(f"\ntenon sweep: interrupted; what has been run is kept in {out}.rows, and the same command goes on from there", file=sys.stderr)
        return 130
    except (Error, ImportError, OSError, ValueError, concurrent.futures.BrokenExecutor) as error:
        print(_words(error), file=sys.stderr)
        return 2
    failed = sum(bool(error) for error in table["error"])
    if failed:
        first = next(k for k, error in enumerate(table["error"]) if error)
        print(f"tenon sweep: run {first} failed: {table['error'][first]}", file=sys.stderr)
    if not arguments.quiet:
        print(f"{out}: {len(table['run'])} runs, {failed} failed; {page}: open it in a browser")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
