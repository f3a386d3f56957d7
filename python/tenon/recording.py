"""Recordings: what `tenon run` writes, as arrays."""
from __future__ import annotations

import html
import tempfile
import webbrowser
from pathlib import Path

import numpy as np

from . import _core


class Replay:
    """What `Recording.show` gives: a notebook shows it as the replay, which plays in the page."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.page)}" style="width: 100%; height: {self.height}px; border: 0"></iframe>'


class Recording:
    """A recording, read only. `recording["energy/kinetic"]` is the dataset of that name (docs/recording.md) over all
    complete frames, `recording["body:box:z"]` a curve by name as `tenon plot` knows it (of bodies, joints, sensors);
    `body` and `coordinate` find columns by name. Needs h5py."""

    def __init__(self, path: str | Path) -> None:
        import h5py

        self.path = Path(path)
        self.file = h5py.File(path, "r")
        if self.file.attrs.get("format") not in ("tenon recording", b"tenon recording"):
            raise ValueError(f"{path} is not a recording of tenon")
        self.n_frames = len(self.file["time"])

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """The file; arrays that were read stay."""
        self.file.close()

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "energy/total":
            return sum(self[f"energy/{part}"] for part in ("kinetic", "gravity", "elastic"))
        if ":" in name:
            return _core.curve(self.path, name)[0]
        data = self.file[name]
        a_frame_a_row = data.maxshape and data.maxshape[0] is None and not name.startswith("contacts/")
        return data[: self.n_frames] if a_frame_a_row else data[()]

    @property
    def quantities(self) -> list[str]:
        """Names of all that has a row for each frame or contact."""
        names: list[str] = []
        self.file.visititems(lambda name, data: names.append(name) if getattr(data, "maxshape", (0,))[:1] == (None,) else None)
        return sorted([*names, "energy/total"])

    def frame_at(self, time: float) -> int:
        """The last frame at or before a time [s]; -1: there is none."""
        return int(np.searchsorted(self.time, time, side="right")) - 1

    def plot(self, *names: str, ax=None):
        """Draws quantities of one number a frame over time; needs matplotlib. Returns the axes."""
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure().gca()
        for name in names:
            if ":" in name:
                values, label = _core.curve(self.path, name)
                ax.plot(self.time, values, label=f"{name}: {label}")
                continue
            unit = self.file[name].attrs.get("unit", b"") if name in self.file else b"J"
            unit = unit.decode() if isinstance(unit, bytes) else unit
            ax.plot(self.time, self[name], label=f"{name} [{unit}]")
        ax.set_xlabel("time [s]")
        ax.legend()
        return ax

    def export(self, format: str, path: str | Path, every: int = 1) -> int:
        """Writes "vtk" or "fclib" into a folder, "csv", "html" or "gltf" to a file, of every so many-th frame. Returns
        how many frames, problems, rows or bytes that are."""
        return _core.export(self.path, format, path, every)

    def show(self, every: int = 1, height: int = 480) -> Replay:
        """The replay, for a cell of a notebook."""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "replay.html"
            self.export("html", page, every)
            return Replay(page.read_text(encoding="utf-8"), height)

    def view(self, every: int = 1, browser: bool = True) -> _core.Viewer:
        """Serves the viewer of every so many-th frame to this machine's browsers, and opens one; `.url` is its address,
        `.stop()` or the end of the object ends it."""
        viewer = _core.Viewer(self.path, every=every)
        if browser:
            webbrowser.open(viewer.url)
        return viewer

    @property
    def time(self) -> np.ndarray:
        """(frames,) [s]"""
        return self["time"]

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies, in the order of poses: the world, rigid ones, soft ones."""
        return [name.decode() for name in self.file["bodies/name"]]

    def body(self, name: str) -> np.ndarray:
        """(frames, 7): position [m] and quaternion (w, x, y, z) of a body."""
        names = self.body_names
        if name not in names:
            raise KeyError(f"the recording has no body '{name}'")
        return self.file["poses"][: self.n_frames, names.index(name)]

    def coordinate(self, name: str) -> np.ndarray:
        """(frames,): a joint's coordinate by "joint:turn", or "joint" where it has only one [m, rad]."""
        joint, _, which = name.partition(":")
        joints = [text.decode() for text in self.file["joints/name"]] if "joints/coordinate_name" in self.file else []
        if joint in joints:
            first, end = self.file["joints/first_coordinate"][joints.index(joint) :][:2]
            names = [text.decode() for text in self.file["joints/coordinate_name"][first:end]]
            which = which or (names[0] if len(names) == 1 else "")
            if which in names:
                return self.file["joints/coordinate"][: self.n_frames, first + names.index(which)]
        raise KeyError(f"the recording has no coordinate '{name}'")

    def contacts(self, frame: int) -> dict[str, np.ndarray]:
        """Contacts of a frame (-1: the last one), by name as in Sim.contacts."""
        frame = range(self.n_frames)[frame]
        first, end = self.file["contacts/offset"][frame : frame + 2]
        return {name: data[first:end] for name, data in self.file["contacts"].items() if name != "offset"}
