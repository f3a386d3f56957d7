"""Planning through contact: linear complementarity systems, optimal control of them, receding horizon.

    source = tenon.plan.Source(model, ["rail:slide", "hinge:turn"], inputs=["rail:slide"], step=0.05)
    problem = tenon.plan.Problem(source.linearize(state), horizon=10, Q=..., R=..., x0=source.read(state), u_high=[20], u_low=[-20])
    plan = problem.solve("miqp")
    plan.u[0], plan.cost, plan.bound, plan.mode

docs/planning.md and include/tenon/plan.h say what a problem is. All arrays are numpy's, all numbers SI.
"""
from __future__ import annotations

import dataclasses
from typing import Callable, Iterator, Optional, Sequence

import numpy as np

from ._core import LcsSource, Planner, Sim, State

__all__ = ["LCS", "Source", "Problem", "Plan", "Controller", "Solve", "closed_loop", "riccati"]


@dataclasses.dataclass
class LCS:
    """x' = A x + B u + C c + F,  w = D x' + D0 x + H u + E c + offset,  0 <= c perp w >= 0; what is None is zero.

    With `guard` and `guard_offset` a pair acts only where guard (A x + B u + F) + guard_offset < 0, else c is zero and w any; offset -inf: always."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    offset: np.ndarray
    F: Optional[np.ndarray] = None
    D0: Optional[np.ndarray] = None
    H: Optional[np.ndarray] = None
    E: Optional[np.ndarray] = None
    guard: Optional[np.ndarray] = None
    guard_offset: Optional[np.ndarray] = None
    step: float = 0.0
    rows: list = dataclasses.field(default_factory=list)
    """Of a model: for each row of c its kind, two shapes and the coordinate, -1 where there is none."""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of x, u and c."""
        return np.shape(self.A)[0], np.shape(self.B)[1], np.shape(self.C)[1]


class Source:
    """Systems of a model near its states, as include/tenon/lcs_source.h says: x = (q, v) of the coordinates by name."""

    def __init__(self, model, coordinates: Sequence[str] = (), inputs: Sequence[str] = (), *, step: float = 0.0, margin: float = 0.0, facets: int = 0,
                 friction: float = -1.0, resistance=None, level: str = "position", inertia_ahead: bool = False, points: int = 1):
        self._source = LcsSource(model, list(coordinates), list(inputs), step=step, margin=margin, facets=facets, friction=friction,
                                 resistance=resistance, level=level, inertia_ahead=inertia_ahead, points=points)
        self.model, self.names, self.inputs = model, self._source.names, tuple(inputs)

    def read(self, state: State) -> np.ndarray:
        """x of a state."""
        return self._source.read(state)

    def write(self, x, state: State) -> None:
        """Puts a state to x; what is not chosen stays where it is, at rest."""
        self._source.write(x, state)

    def linearize(self, state: State, ahead=None) -> LCS:
        """The system about a state; gaps and their rates as at places `ahead`, or as at the state."""
        return LCS(**self._source.linearize(state, ahead))

    def step(self, state: State, u=None, iterations: int = 0) -> tuple[np.ndarray, float]:
        """x after one step of the discretisation by Lemke's method, and how far the last of the predictions was off."""
        return self._source.step(state, u, iterations)

    def act(self, u) -> dict:
        """What Sim.step takes for inputs u: arrays `effort`, `target`, `wrench`."""
        model, out = self.model, {}
        components = {".fx": 0, ".fy": 1, ".fz": 2, ".tx": 3, ".ty": 4, ".tz": 5}
        for name, value in zip(self.inputs, u):
            if name.endswith(".target"):
                target = out.setdefault("target", np.full(len(model.coordinate_names), np.nan))
                target[model.coordinate(name.removesuffix(".target"))] = value
            elif name[-3:] in components:
                out.setdefault("wrench", np.zeros((model.n_rigid, 6)))[model.body(name[:-3]), components[name[-3:]]] += value
            else:
                out.setdefault("effort", np.zeros(len(model.coordinate_names)))[model.coordinate(name)] += value
        return out


@dataclasses.dataclass
class Plan:
    """What a planner found. Row k of u, c, w and mode is of the step from x[k] to x[k + 1]; mode 1: w is zero, in contact; 2: off by its guard."""

    x: np.ndarray
    u: np.ndarray
    c: np.ndarray
    w: np.ndarray
    mode: np.ndarray
    status: str
    cost: float
    bound: float
    gap: float
    residual: float
    nodes: int
    iterations: int
    seconds: float
    conflict: str

    @property
    def found(self) -> bool:
        """Whether there is a plan at all."""
        return np.isfinite(self.cost)


class Problem:
    """An optimal control problem: weights are matrices or diagonals, references and bounds one row or a number for all steps.

    `x_rows` = (G, g) are further rows G x <= g of the set of states, `u_rows` of inputs. `problem.arrays` are the problem's own arrays, which may be
    written between solves; a planner that goes on from the last solve is quicker.
    """

    def __init__(self, lcs: LCS, horizon: int, Q, R, Qf=None, x0=None, x_ref=None, u_ref=None, x_low=None, x_high=None, u_low=None, u_high=None,
                 x_rows=None, u_rows=None):
        n_x, n_u, n_c = lcs.sizes
        self._planner = Planner(n_x, n_u, n_c, horizon, len(x_rows[1]) if x_rows else 0, len(u_rows[1]) if u_rows else 0)
        self.arrays: dict[str, np.ndarray] = self._planner.arrays
        self.set_system(lcs)
        values = {"x0": x0, "x_ref": x_ref, "u_ref": u_ref, "x_low": x_low, "x_high": x_high, "u_low": u_low, "u_high": u_high}
        for name, value in values.items():
            if value is not None:
                if np.ndim(value) > 0 and np.shape(value)[-1] != self.arrays[name].shape[-1]: # numpy would repeat a row of one
                    raise ValueError(f"{name}: rows of {self.arrays[name].shape[-1]} numbers are wanted, or a number for all")
                self.arrays[name][...] = value
        for name, value in (("Q", Q), ("R", R), ("Qf", Q if Qf is None else Qf)):
            if np.ndim(value) > 0 and np.shape(value)[-1] != len(self.arrays[name]):
                raise ValueError(f"{name}: a matrix or diagonal of {len(self.arrays[name])} numbers a row is wanted")
            self.arrays[name][...] = np.diag(value) if np.ndim(value) == 1 else value
        for name, rows in (("x", x_rows), ("u", u_rows)):
            if rows:
                self.arrays["G_" + name][...], self.arrays["g_" + name][...] = rows

    def set_system(self, lcs: LCS) -> None:
        """Another system of the same sizes."""
        if lcs.sizes != (len(self.arrays["A"]), self.arrays["B"].shape[1], self.arrays["C"].shape[1]):
            raise ValueError(f"a system of sizes {lcs.sizes} for a problem of others")
        for name in ("A", "B", "C", "D", "offset", "F", "D0", "H", "E", "guard", "guard_offset"):
            value = getattr(lcs, name)
            missing = -np.inf if name == "guard_offset" and lcs.guard is None else 0.0
            self.arrays[name][...] = missing if value is None else value

    def solve(self, method: str = "miqp", **options) -> Plan:
        """The planners: `miqp`, `admm`, `mpcc`, `enumerate`. Options, as in tn_plan_options: time_budget [s], node_budget, gap, warm_start,
        iterations, penalty, penalty_grow, motions, seed, threads. Without a plan `found` is False and status says why; conflict names the set at odds."""
        return Plan(**self._planner.solve(method=method, **options))


def riccati(A, B, Q, R, rounds: int = 10000) -> tuple[np.ndarray, np.ndarray]:
    """Cost P and gain K (u = -K x) of the linear-quadratic regulator of x' = A x + B u, by iteration of Riccati's equation."""
    A, B = np.asarray(A), np.asarray(B)
    Q, R = (np.diag(m) if np.ndim(m) == 1 else np.asarray(m) for m in (Q, R))
    P = Q.copy()
    K = np.zeros((B.shape[1], len(A)))
    for _ in range(rounds):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        after = Q + A.T @ P @ (A - B @ K)
        if np.abs(after - P).max() <= 1e-12 * np.abs(after).max():
            break
        P = 0.5 * (after + after.T)
    return P, K


@dataclasses.dataclass
class Solve:
    """A solve of the closed loop: when, in which x, what was done."""

    time: float
    x: np.ndarray
    u: np.ndarray
    plan: Plan
    lcs: LCS


class Controller:
    """Receding horizon: a plan for the system about each state, of which the first input is applied.

    `problem` takes weights, sets and references as Problem does (all but lcs and x0); terminal="riccati" makes Qf the cost of the regulator of the
    system without contact. Method and options of each solve are `method` and `options`. A failed solve applies what the plan before had for that time.
    """

    def __init__(self, source: Source, horizon: int, method: str = "miqp", options: Optional[dict] = None, terminal: Optional[str] = None, **problem):
        self.source, self.horizon, self.method, self.options, self.terminal, self.given = source, horizon, method, dict(options or {}), terminal, problem
        self._problem: Optional[Problem] = None
        self._last: Optional[Plan] = None
        self._age = 0

    def _problem_for(self, lcs: LCS) -> Problem:
        if self._problem is not None and self._problem.arrays["C"].shape[1] == lcs.sizes[2]:
            self._problem.set_system(lcs)
            return self._problem
        given = dict(self.given)
        if self.terminal == "riccati":
            given["Qf"] = riccati(lcs.A, lcs.B, given["Q"], given["R"])[0]
        elif self.terminal is not None:
            raise ValueError(f"terminal is 'riccati' or None, not {self.terminal!r}")
        self._problem = Problem(lcs, self.horizon, **given)
        self._warm = False
        return self._problem

    def solve(self, state: State) -> Solve:
        """The plan from a state on, and the input to apply now."""
        lcs, x = self.source.linearize(state), self.source.read(state)
        problem = self._problem_for(lcs)
        problem.arrays["x0"][...] = x
        plan = problem.solve(self.method, **({"warm_start": True} if self._warm else {}), **self.options)
        self._warm = plan.found
        if plan.found:
            self._last, self._age = plan, 0
        else:
            self._age += 1
        have = self._last is not None and self._age < self.horizon
        u = self._last.u[self._age] if have else np.clip(np.zeros(lcs.sizes[1]), problem.arrays["u_low"], problem.arrays["u_high"])
        return Solve(state.time, x, u.copy(), plan, lcs)


def closed_loop(controller, state: State, sim: Sim, duration: float, every: int = 1, disturb: Optional[Callable[[State], dict]] = None,
                callback: Optional[Callable[[Solve], object]] = None, recorder=None) -> Iterator[Solve]:
    """Steps the simulation under a controller (anything with `solve(state)` and `source`), a solve every `every` steps; yields each.

    `disturb(state)` gives further inputs of Sim.step for a step (`{"wrench": ...}`), added to the controller's; a `callback` that returns True ends it."""
    step = sim.model.step
    for k in range(round(duration / step)):
        if k % every == 0:
            solve = controller.solve(state)
            yield solve
            if callback is not None and callback(solve):
                return
        act = controller.source.act(solve.u)
        for name, value in (disturb(state) if disturb else {}).items():
            act[name] = act[name] + value if name in act else value
        sim.step(state, **act)
        if recorder is not None:
            recorder.append(sim, state)
