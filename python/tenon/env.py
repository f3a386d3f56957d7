"""Scenes in the reset/step form that libraries of reinforcement learning take."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._core import Model, Sim, State


class Box:
    """Arrays of a shape with numbers from low to high: a space in gymnasium's form."""

    def __init__(self, shape: tuple[int, ...], low: Any = -np.inf, high: Any = np.inf) -> None:
        self.shape, self.dtype = shape, np.dtype(float)
        self.low, self.high = (np.broadcast_to(np.asarray(bound, float), shape) for bound in (low, high))
        self.rng = np.random.default_rng()

    def seed(self, seed: int | None = None) -> None:
        self.rng = np.random.default_rng(seed)

    def sample(self) -> np.ndarray:
        """Evenly between bounds; where there is none, normal about the other one or zero."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = (np.where(bounded, bound, 0.0) for bound in (self.low, self.high))
        return np.where(bounded, self.rng.uniform(low, high), np.clip(self.rng.normal(size=self.shape), self.low, self.high))

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))

    __contains__ = contains


class Env:
    """A scene as a task: `reset`, `step` and what else gymnasium's environments have, without depending on it.

    A task is a subclass with what it wants of these (defaults in parentheses):

        inputs(action) -> dict   arrays of Sim.step (effort=action)
        observe() -> array       (joints' coordinates and rates, then poses and velocities of rigid bodies, flat; of
                                 sensors, names of the scene's: what these read, flat, zero where it wants a step)
        reward(action) -> float  (0)
        terminated() -> bool     (False)
        start(rng)               changes self.state after a reset
        action_space             (Box: an unbounded number for each of the joints' coordinates)

    self.state, self.sim, self.model are the simulation. An action acts for n steps; an episode is truncated at the
    scene's duration."""

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None  # tenon.view(env.state) opens the viewer
    spec = None

    def __init__(self, model: Model, n: int = 1, sensors: Sequence[str] | None = None) -> None:
        if n < 1:
            raise ValueError(f"an action acts for at least one step, not {n}")
        self.model, self.n = model, n
        self.sensors = sensors if sensors is None else list(sensors)
        unknown = set(self.sensors or []) - set(model.sensor_names)
        if unknown:
            raise KeyError(f"the scene has no sensor {', '.join(sorted(unknown))}; there are: {', '.join(model.sensor_names)}")
        self.sim, self.initial = Sim(model), State(model)
        self.state = self.initial.copy()
        self.np_random = np.random.default_rng()
        self.action_space = Box((len(model.coordinate_names),))

    @property
    def observation_space(self) -> Box:
        """Of what observe gives."""
        return Box(np.shape(self.observe()))

    @property
    def unwrapped(self) -> Env:
        """Itself: nothing is wrapped."""
        return self

    def render(self) -> None:
        """Nothing: tenon.view(env.state) opens the viewer."""

    def close(self) -> None:
        """Nothing: there is nothing to close."""

    def inputs(self, action: Any) -> dict[str, Any]:
        """What an action is in Sim.step: efforts of the joints."""
        return {"effort": action}

    def observe(self) -> np.ndarray:
        """Joints' coordinates and rates, then poses and velocities of rigid bodies, or what sensors read; flat, its own."""
        state = self.state
        if self.sensors is not None:
            read = self.sim.sensors(state)
            return np.concatenate([np.where(np.isnan(read[name]), 0.0, read[name]) for name in self.sensors] or [np.empty(0)])
        return np.concatenate([state.coordinates, state.rates, state.poses.ravel(), state.velocities.ravel()])

    def reward(self, action: Any) -> float:
        """Of the state that the action led to."""
        return 0.0

    def terminated(self) -> bool:
        """Whether the task is over."""
        return False

    def start(self, rng: np.random.Generator) -> None:
        """Changes self.state at the start of an episode."""

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """A new episode: what is seen, and an empty dict. seed: of the random numbers from here on."""
        if seed is not None:
            self.np_random = np.random.default_rng(seed)
        self.state = self.initial.copy()
        self.start(self.np_random)
        return self.observe(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """n steps: what is seen, reward, terminated, truncated, and an empty dict."""
        self.sim.step(self.state, n=self.n, **self.inputs(action))
        truncated = self.state.time >= self.model.duration - 1e-9
        return self.observe(), float(self.reward(action)), bool(self.terminated()), bool(truncated), {}
