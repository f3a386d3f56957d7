"""Recordings: what `tenon run` writes, as arrays."""
from __future__ import annotations

from pathlib import Path

import numpy as np


class Recording:
    """A recording, read only. `recording["energy/kinetic"]` is the dataset of that name (docs/recording.md) over all
    complete frames; `body` and `coordinate` find columns by name. Needs h5py."""

    def __init__(self, path: str | Path) -> None:
        import h5py

        self.file = h5py.File(path, "r")
        if self.file.attrs.get("format") not in ("tenon recording", b"tenon recording"):
            raise ValueError(f"{path} is not a recording of tenon")
        self.n_frames = len(self.file["time"])

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self.file.close()

    def __getitem__(self, name: str) -> np.ndarray:
        data = self.file[name]
        a_frame_a_row = data.maxshape and data.maxshape[0] is None and not name.startswith("contacts/")
        return data[: self.n_frames] if a_frame_a_row else data[()]

    @property
    def time(self) -> np.ndarray:
        """(frames,) [s]"""
        return self["time"]

    @property
    def body_names(self) -> list[str]:
        return [name.decode() for name in self.file["bodies/name"]]

    def body(self, name: str) -> np.ndarray:
        """(frames, 7): position [m] and quaternion (w, x, y, z) of a body."""
        return self.file["poses"][: self.n_frames, self.body_names.index(name)]

    def coordinate(self, name: str) -> np.ndarray:
        """(frames,): a joint's coordinate by "joint:turn" [m, rad]."""
        joint, which = name.rsplit(":", 1)
        joints = [text.decode() for text in self.file["joints/name"]]
        first = self.file["joints/first_coordinate"][joints.index(joint) :][:2]
        names = [text.decode() for text in self.file["joints/coordinate_name"][first[0] : first[1]]]
        return self.file["joints/coordinate"][: self.n_frames, first[0] + names.index(which)]

    def contacts(self, frame: int) -> dict[str, np.ndarray]:
        """Contacts of a frame, by name as in Sim.contacts."""
        first, end = self.file["contacts/offset"][frame : frame + 2]
        return {name: data[first:end] for name, data in self.file["contacts"].items() if name != "offset"}
