"""States that travel: pickling, and the live viewer."""
from __future__ import annotations

import copyreg
import shutil
import subprocess
import tempfile
import threading
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


def _clear(process: subprocess.Popen, folder: Path) -> None:
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def view(state: State, command: str = "tenon") -> subprocess.Popen:
    """Opens the live viewer, which goes on from the state as its scene says, in the command `tenon`. Returns the
    process; it ends with its page, or by terminate()."""
    program = shutil.which(command)
    if not program:
        raise FileNotFoundError(f"the live viewer is the command '{command}', which is not in PATH")
    folder = Path(tempfile.mkdtemp(prefix="tenon_"))
    state.model.save(folder / "scene.yaml")
    state.save(folder / "state")
    process = subprocess.Popen([program, "run", str(folder / "scene.yaml"), "--live", "--no-record", "--resume", str(folder / "state")])
    threading.Thread(target=_clear, args=(process, folder), daemon=True).start()
    return process
