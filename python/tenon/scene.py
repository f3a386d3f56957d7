"""Scenes made in code: the keys of a scene file (docs/scene.md) as Python's dicts and lists."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ._core import Builder, Model


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return value.tolist()
    raise TypeError(f"a scene has no {type(value).__name__}: numbers, texts, lists and dicts")


def _text(value: Any) -> str:
    try:
        return json.dumps(value, default=_plain, allow_nan=False)
    except ValueError as error:
        told = str(error) if "Circular" in str(error) else "a scene's numbers are finite, neither nan nor inf (infinite: \"infinite\")"
        raise ValueError(told) from None


class Scene(Builder):
    """A scene that grows: `Scene()` is empty, `Scene("file.yaml")` begins with a file.

        scene = tenon.Scene()
        scene.set("step", "10 ms")
        scene.add("bodies", "floor", fixed=True, shape={"plane": {}})
        scene.add("bodies", "ball", position=[0, 0, 1], shape={"sphere": 0.1})
        model = scene.model()

    What is wrong raises InputError, whose file is the part ("bodies.ball")."""

    def __init__(self, path: str | Path | None = None) -> None:
        if path is not None:
            self.merge(path)

    def set(self, key: str, value: Any) -> None:
        """A key of the scene, in place of what it was: set("gravity", [0, 0, -1]); or what is at a path, as --set says it:
        set("bodies.box.mass", 2), None takes away: set("joints.elbow.turn.motor", None)."""
        self._set(key, _text(value))

    def add(self, section: str, name: str | None = None, value: Any = None, **keys: Any) -> None:
        """Adds to a section: add("bodies", "box", shape={...}), without a name to a list: add("pairs", materials=[...])."""
        self._add(section, name, _text(keys if value is None else value))

    def merge(self, path: str | Path) -> None:
        """Adds a file, as an include does: names must be new; of single keys those that are set already count."""
        self._merge(Path(path).read_text(encoding="utf-8"), str(path))

    def model(self) -> Model:
        """The scene so far, compiled."""
        return Model(scene=self)
