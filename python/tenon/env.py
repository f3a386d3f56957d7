"""Scenes in the reset/step form that libraries of reinforcement learning take."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Model, Sim, State


class Env:
    """A scene as a task: `reset` and `step` as gymnasium's environments have them, without depending on it.

    A task is a subclass with what it wants of these (defaults in parentheses):

        inputs(action) -> dict   arrays of Sim.step (effort=action)
        observe() -> array       (joints' coordinates and rates, then poses and velocities of rigid bodies, flat)
        reward(action) -> float  (0)
        terminated() -> bool     (False)
        start(rng)               changes self.state after a reset

    self.state, self.sim, self.model are the simulation. An action acts for n steps; an episode is truncated at the
    scene's duration."""

    def __init__(self, model: Model, n: int = 1) -> None:
        self.model, self.n = model, n
        self.sim, self.initial = Sim(model), State(model)
        self.state = self.initial.copy()
        self.rng = np.random.default_rng()

    def inputs(self, action: Any) -> dict[str, Any]:
        return {"effort": action}

    def observe(self) -> np.ndarray:
        state = self.state
        return np.concatenate([state.coordinates, state.rates, state.poses.ravel(), state.velocities.ravel()])

    def reward(self, action: Any) -> float:
        return 0.0

    def terminated(self) -> bool:
        return False

    def start(self, rng: np.random.Generator) -> None:
        pass

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.state = self.initial.copy()
        self.start(self.rng)
        return self.observe(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.sim.step(self.state, n=self.n, **self.inputs(action))
        truncated = self.state.time >= self.model.duration - 1e-9
        return self.observe(), float(self.reward(action)), bool(self.terminated()), bool(truncated), {}
