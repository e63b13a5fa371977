"""Drawings and their pictures: the same data, the same bytes, and nothing left behind."""

from __future__ import annotations

import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import ValidationError

from trainee_bench.world.filesystem.content import FileKind, drawing_content
from trainee_bench.world.pictures import render
from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.pictures.render import deserialize_drawing, serialize_drawing

MAP = DensityMap(title="Students in Wuhan", levels=((0, 1, 2), (3, 4, 5)))
OTHER = DensityMap(title="Students in Wuhan", levels=((0, 1, 2), (3, 4, 4)))


def chunks(png: bytes) -> list[str]:
    """The names of the parts that a PNG consists of."""
    found, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        found.append(png[at + 4 : at + 8].decode())
        at += 12 + length
    return found


def afresh(of: DensityMap) -> bytes:
    """The picture, drawn anew."""
    render.render_stored_drawing.cache_clear()
    return render.render_png(of)


def test_the_same_data_give_the_same_picture_and_other_data_another() -> None:
    assert afresh(MAP) == afresh(MAP) != afresh(OTHER)


def test_a_picture_has_no_date_no_author_and_the_size_that_its_sort_has() -> None:
    picture = render.render_png(MAP)
    assert set(chunks(picture)) <= {"IHDR", "pHYs", "IDAT", "IEND"}
    inches = DensityMap.size
    expected = tuple(int(side * render.DOTS_PER_INCH) for side in inches)
    assert struct.unpack(">II", picture[16:24]) == expected


def test_settings_of_the_process_neither_matter_nor_are_changed() -> None:
    import matplotlib

    plain = afresh(MAP)
    with matplotlib.rc_context({"font.size": 30, "figure.facecolor": "red", "savefig.dpi": 30}):
        mine = dict(matplotlib.rcParams)
        assert afresh(MAP) == plain
        assert dict(matplotlib.rcParams) == mine


def test_many_may_draw_at_once() -> None:
    maps = [DensityMap(title=f"Map {n}", levels=((n, 0), (0, n))) for n in range(6)]
    alone = [afresh(of) for of in maps]
    render.render_stored_drawing.cache_clear()
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(render.render_png, maps)) == alone


def test_what_lies_in_a_world_is_the_data_and_is_read_again() -> None:
    content = drawing_content(MAP)
    assert content.kind is FileKind.PICTURE
    assert content.data == serialize_drawing(MAP) and deserialize_drawing(content.data) == MAP
    assert content.shown == render.render_png(MAP)


@pytest.mark.parametrize("levels", [(), ((),), ((1, 2), (3,)), ((6,),), ((-1,),)])
def test_a_map_is_a_rectangle_of_levels(levels: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(ValidationError):
        DensityMap(title="", levels=levels)


def test_servers_start_without_the_plotting_library() -> None:
    code = """
import sys
from trainee_bench import mcp_servers
from trainee_bench.mcp_servers import __main__, office
from trainee_bench.world import apps
mcp_servers.discover_toolboxes(); apps.discover_apps()
sys.exit(any(name.split(".")[0] in ("matplotlib", "numpy", "PIL") for name in sys.modules))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
