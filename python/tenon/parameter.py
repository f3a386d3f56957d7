"""Parameters of scenes, for derivatives."""
from __future__ import annotations

from typing import Any

from ._core import Model


def parameter(key: str, value: float, *, set: list[str] | None = None, **source: Any) -> tuple[Model, Model, float]:
    """A number of a scene for `Sim.linearize`: (less, more, difference), two models in which it is a millionth less and
    more than value [SI].

        friction = tenon.parameter("materials.wood.friction", 0.4, path="scene.yaml")

    source and set: what the model itself was made of."""
    side = 1e-6 * (abs(value) or 1.0)
    less, more = (Model(**source, set=[*(set or []), f"{key}={value + way!r}"]) for way in (-side, side))
    return less, more, 2 * side
