"""Multibody dynamics with hard frictional contact, from Python.

    import tenon
    model = tenon.Model("scene.yaml")
    state, sim = tenon.State(model), tenon.Sim(model)
    while state.time < model.duration:
        sim.step(state)
    print(state.poses[model.body("box"), :3], sim.report["certificate"]["natural"])

SI units; quaternions are (w, x, y, z). Arrays have a row for each body in the order of Model.body_names.
"""
from . import plan
from .env import Env
from .parameter import parameter
from .recording import Recording
from .scene import Scene
from .state import view
from .sweep import sweep
from ._core import Batch, Dynamics, Error, InputError, Linearization, Live, Model, NumericsError, Problem, Query, Recorder, Sim, State, Viewer, __version__, solvers

__all__ = [
    "Batch", "Dynamics", "Env", "Error", "InputError", "Linearization", "Live", "Model", "NumericsError", "Problem", "Query", "Recorder", "Recording",
    "Scene", "Sim", "State", "Viewer", "parameter", "plan", "solvers", "sweep", "view", "__version__",
]
