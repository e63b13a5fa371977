"""A map of roads between numbered stops, with the length of each road."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trainee_bench.world.pictures.drawing import (
    Drawing,
    draw_disc,
    draw_line,
    write_number,
    write_text,
)
from trainee_bench.world.pictures.label_placement import MARKER_RADIUS, Point, label_box

if TYPE_CHECKING:
    from PIL.Image import Image

MAP_WIDTH, MAP_HEIGHT = 1000, 1060
"""The size in pixels. The roads are in the lower MAP_WIDTH x MAP_WIDTH, title and legend above."""
NUMBER_SIZE, LENGTH_SIZE = 20, 23
"""Sizes of the font in pixels."""
_LEGEND_LINE = 30
"""Pixels from the top to the middle of title and legend."""
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
    """A numbered marker; its centre is given in pixels from the bottom left."""

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

    size = (MAP_WIDTH, MAP_HEIGHT)

    @model_validator(mode="after")
    def _joins_markers(self) -> Self:
        numbers = {marker.number for marker in self.markers}
        if len(numbers) != len(self.markers):
            raise ValueError("two markers have one number")
        if not all({road.a, road.b} <= numbers and road.a != road.b for road in self.roads):
            raise ValueError("a road joins two different markers of the map")
        return self

    @classmethod
    def sample(cls) -> Self:
        """Return a map with every kind of marker, every digit and a road."""
        markers = (
            Marker(number=0, kind=MarkerKind.OFFICE, x=200, y=200),
            Marker(number=45, kind=MarkerKind.PLACE, x=800, y=300),
            Marker(number=67, kind=MarkerKind.RESTAURANT, x=500, y=800),
        )
        roads = (
            DrawnRoad(a=0, b=45, length="12.3", x=500, y=250),
            DrawnRoad(a=45, b=67, length="89.0", x=650, y=550),
        )
        return cls(title="Sample", markers=markers, roads=roads)

    def draw(self) -> Image:
        """Draw the roads, and on top of them markers and lengths."""
        from PIL import ImageDraw

        image = self._shapes()
        on = ImageDraw.Draw(image)
        for road in self.roads:
            y = MAP_HEIGHT - road.y
            write_number(on, road.x, y, road.length, TEXT_COLOUR, LENGTH_SIZE, bold=True)
        for marker in self.markers:
            y, number = MAP_HEIGHT - marker.y, str(marker.number)
            write_number(on, marker.x, y, number, "white", NUMBER_SIZE, bold=True)
        write_text(on, 24, _LEGEND_LINE, self.title, CAPTION_COLOUR, 20)
        for meaning, x in _LEGEND.values():
            write_text(on, x + 16, _LEGEND_LINE, meaning, CAPTION_COLOUR, 16)
        return image

    def _shapes(self) -> Image:
        """Draw all that is no text, with smooth edges."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", self.size, BACKGROUND_COLOUR)
        at = {marker.number: (marker.x, MAP_HEIGHT - marker.y) for marker in self.markers}
        for road in self.roads:
            draw_line(image, at[road.a], at[road.b], ROAD_COLOUR, ROAD_WIDTH)
        on = ImageDraw.Draw(image)
        for road in self.roads:
            blank = label_box(road.length, Point(road.x, MAP_HEIGHT - road.y))
            on.rectangle(tuple(map(round, blank)), BACKGROUND_COLOUR)
        for marker in self.markers:
            draw_disc(image, at[marker.number], MARKER_RADIUS, MARKER_COLOURS[marker.kind])
        for kind, (_, x) in _LEGEND.items():
            draw_disc(image, (x, _LEGEND_LINE), 8, MARKER_COLOURS[kind])
        return image
