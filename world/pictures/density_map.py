"""A grid map that shows, for each cell, how many people of a group live there, from 0 to 5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from trainee_bench.world.pictures.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LEVEL = 5
Level = Annotated[int, Field(ge=0, le=MAX_LEVEL)]
_FILL = ("#f7fbff", "#d6e6f4", "#abd0e6", "#6aaed6", "#3787c0", "#105ba4")
_INK = ("#1a1a1a", "#1a1a1a", "#1a1a1a", "#1a1a1a", "#ffffff", "#ffffff")
GRID_LINE_COLOUR = "#808080"


class DensityMap(Drawing):
    """A grid of numbers. ``levels[j][i]`` is in column i from the left and row j from the bottom,
    both counted from 0."""

    kind: Literal["density_map"] = "density_map"
    title: str
    levels: tuple[tuple[Level, ...], ...] = Field(min_length=1, max_length=24)

    size = (8.0, 8.4)

    @model_validator(mode="after")
    def _is_a_rectangle(self) -> Self:
        widths = {len(row) for row in self.levels}
        if len(widths) != 1 or not 1 <= min(widths) <= 24:
            raise ValueError("all rows of a density map need the same length, from 1 to 24")
        return self

    def draw(self, axes: Axes) -> None:
        """Draw a coloured square with its number for each cell, and the indices at the edges."""
        from matplotlib.colors import ListedColormap

        wide, high = len(self.levels[0]), len(self.levels)
        axes.set_position((0.085, 0.075, 0.9, 0.86))
        axes.pcolormesh(
            range(wide + 1),
            range(high + 1),
            self.levels,
            cmap=ListedColormap(_FILL),
            vmin=-0.5,
            vmax=MAX_LEVEL + 0.5,
            edgecolors=GRID_LINE_COLOUR,
            linewidth=0.8,
        )
        points = min(22.0, 300 / max(wide, high))
        for j, row in enumerate(self.levels):
            for i, level in enumerate(row):
                axes.text(
                    i + 0.5,
                    j + 0.5,
                    str(level),
                    color=_INK[level],
                    fontsize=points,
                    ha="center",
                    va="center_baseline",
                )
        axes.set_aspect("equal")
        axes.set_xticks([i + 0.5 for i in range(wide)], [str(i) for i in range(wide)])
        axes.set_yticks([j + 0.5 for j in range(high)], [str(j) for j in range(high)])
        axes.tick_params(length=0, labelsize=11)
        axes.set_xlabel("grid_i", fontsize=13)
        axes.set_ylabel("grid_j", fontsize=13)
        axes.set_title(self.title, fontsize=14, pad=12, parse_math=False)
