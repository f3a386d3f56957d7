"""States that travel: pickling, and the live viewer."""
from __future__ import annotations

import copyreg
import shutil
import subprocess
import tempfile
from pathlib import Path

from ._core import Model, State


def _model(source: dict) -> Model:
    return Model(**source)


def _state(model: Model, checkpoint: bytes) -> State:
    state = State(model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        path.write_bytes(checkpoint)
        state.load(path)
    return state


def _checkpoint(state: State) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        state.save(path)
        return path.read_bytes()


# A model travels as what it was made of (a path is read again), a state as its model and a checkpoint: all bits.
copyreg.pickle(Model, lambda model: (_model, (model.source,)))
copyreg.pickle(State, lambda state: (_state, (state.model, _checkpoint(state))))


def view(state: State, command: str = "tenon") -> subprocess.Popen:
    """Opens the live viewer, which goes on from the state as its scene says, in the command `tenon`. Returns the
    process; it ends with its page, or by terminate()."""
    program = shutil.which(command)
    if not program:
        raise FileNotFoundError(f"the live viewer is the command '{command}', which is not in PATH")
    folder = Path(tempfile.mkdtemp(prefix="tenon_"))
    source = state.model.source
    scene = source.get("path")
    if scene is None:
        scene = folder / "scene.yaml"
        scene.write_text(source["text"], encoding="utf-8")
    state.save(folder / "state")
    sets = [word for one in source.get("set") or () for word in ("--set", one)]
    return subprocess.Popen([program, "run", str(scene), *sets, "--live", "--no-record", "--resume", str(folder / "state")])
