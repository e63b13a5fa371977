"""A map of roads between numbered stops, with the length of each road."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trainee_bench.world.pictures.drawing import Drawing
from trainee_bench.world.pictures.label_placement import MARKER_RADIUS, Point, label_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAP_WIDTH, MAP_HEIGHT = 1000, 1060
"""The size in pixels. The roads are in the lower MAP_WIDTH x MAP_WIDTH; title and legend
are above."""
NUMBER_POINTS, LENGTH_POINTS = 14, 16
BACKGROUND_COLOUR = "#fbfaf6"
TEXT_COLOUR = "#1c1c1c"
"""The colour of the lengths, and of nothing else."""
CAPTION_COLOUR = "#6b6b6b"
ROAD_COLOUR = "#a9b7c4"
ROAD_WIDTH = 5


class MarkerKind(StrEnum):
    """The meaning of a marker on the map."""

    OFFICE = "office"
    PLACE = "place"
    RESTAURANT = "restaurant"


MARKER_COLOURS = {
    MarkerKind.OFFICE: "#2f3e55",
    MarkerKind.PLACE: "#2a7f5a",
    MarkerKind.RESTAURANT: "#b8562a",
}
_LEGEND = {
    MarkerKind.OFFICE: ("our office", 538),
    MarkerKind.PLACE: ("place to visit", 678),
    MarkerKind.RESTAURANT: ("restaurant", 848),
}
"""The meaning of each colour, and its horizontal position in the legend."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Marker(_Part):
    """A numbered marker, with its centre in pixels from the bottom left."""

    number: int = Field(ge=0, le=99)
    kind: MarkerKind
    x: int
    y: int


class DrawnRoad(_Part):
    """A road between two markers, its length, and the centre of its label in pixels."""

    a: int
    b: int
    length: Annotated[str, Field(pattern=r"^\d{1,2}\.\d$")]
    x: int
    y: int


class RoadMap(Drawing):
    """Numbered markers, joined by straight roads that do not cross."""

    kind: Literal["road_map"] = "road_map"
    title: str
    markers: tuple[Marker, ...] = Field(min_length=2)
    roads: tuple[DrawnRoad, ...] = Field(min_length=1)

    size = (MAP_WIDTH / 100, MAP_HEIGHT / 100)

    @model_validator(mode="after")
    def _joins_markers(self) -> Self:
        numbers = {marker.number for marker in self.markers}
        if len(numbers) != len(self.markers):
            raise ValueError("two markers have the same number")
        if not all({road.a, road.b} <= numbers and road.a != road.b for road in self.roads):
            raise ValueError("a road must join two different markers of the map")
        return self

    def draw(self, axes: Axes) -> None:
        """Draw the roads, and on top of them the markers and lengths."""
        from matplotlib.patches import Circle

        axes.set_position((0, 0, 1, 1))
        axes.set_xlim(0, MAP_WIDTH)
        axes.set_ylim(0, MAP_HEIGHT)
        axes.set_axis_off()
        axes.figure.set_facecolor(BACKGROUND_COLOUR)
        at = {marker.number: marker for marker in self.markers}
        for road in self.roads:
            a, b = at[road.a], at[road.b]
            axes.plot([a.x, b.x], [a.y, b.y], color=ROAD_COLOUR, lw=ROAD_WIDTH * 0.72, zorder=1)
        for road in self.roads:
            blank = label_box(road.length, Point(road.x, road.y))
            axes.fill_between(
                [blank.left, blank.right], blank.bottom, blank.top, color=BACKGROUND_COLOUR
            )
            self._write(axes, road.x, road.y, road.length, TEXT_COLOUR, LENGTH_POINTS)
        for marker in self.markers:
            place = (marker.x, marker.y)
            axes.add_patch(
                Circle(place, MARKER_RADIUS, facecolor=MARKER_COLOURS[marker.kind], lw=0, zorder=4)
            )
            self._write(axes, *place, str(marker.number), "white", NUMBER_POINTS)
        self._write_legend(axes)

    @staticmethod
    def _write(axes: Axes, x: float, y: float, text: str, colour: str, points: float) -> None:
        axes.text(
            x,
            y,
            text,
            color=colour,
            fontsize=points,
            fontweight="bold",
            ha="center",
            va="center_baseline",
            zorder=5,
        )

    def _write_legend(self, axes: Axes) -> None:
        from matplotlib.patches import Circle

        line = MAP_HEIGHT - 30
        axes.text(24, line, self.title, color=CAPTION_COLOUR, fontsize=15, va="center_baseline")
        for kind, (meaning, x) in _LEGEND.items():
            axes.add_patch(Circle((x, line), 8, facecolor=MARKER_COLOURS[kind], lw=0))
            axes.text(
                x + 16, line, meaning, color=CAPTION_COLOUR, fontsize=12, va="center_baseline"
            )
