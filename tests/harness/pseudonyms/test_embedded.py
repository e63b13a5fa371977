"""What lies within other files or beside them is found: pictures in texts and cards, histories."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from trainee_bench.harness.pseudonyms.folder import pseudonymise
from trainee_bench.harness.pseudonyms.report import CannotPseudonymise
from trainee_bench.harness.pseudonyms.texts import KnownNames

NONE = KnownNames()


def picture() -> bytes:
    """A JPEG whose metadata names its author."""
    written, exif = io.BytesIO(), Image.Exif()
    exif[0x013B] = "Ada Berg"
    Image.new("RGB", (8, 8), "red").save(written, "JPEG", exif=exif)
    return written.getvalue()


def made(folder: Path, name: str, content: bytes) -> bytes:
    """The content of a file after its office got pseudonyms."""
    (folder / "office").mkdir()
    (folder / "office" / name).write_bytes(content)
    pseudonymise(folder / "office", "s", NONE)
    return (folder / "office" / name).read_bytes()


def test_a_picture_put_into_the_office_by_hand_loses_its_metadata(tmp_path: Path) -> None:
    assert b"Ada" in picture() and b"Ada" not in made(tmp_path, "a.jpg", picture())


def test_a_picture_within_a_page_loses_its_metadata(tmp_path: Path) -> None:
    inner = base64.b64encode(picture()).decode()
    page = f'<img src="data:image/jpeg;base64,{inner}">'
    written = made(tmp_path, "a.html", page.encode()).decode()
    assert b"Ada" not in base64.b64decode(written.split(",")[1].rstrip('">'))


def test_a_photo_in_a_card_is_left_out(tmp_path: Path) -> None:
    inner = base64.b64encode(picture()).decode()
    card = f"BEGIN:VCARD\nFN:Ada Berg\nPHOTO;ENCODING=b;TYPE=JPEG:{inner}\nEND:VCARD\n"
    written = made(tmp_path, "a.vcf", card.encode()).decode()
    assert "PHOTO" not in written and written.count("\n") == 3 and "Ada" not in written


def test_names_in_a_drawing_are_replaced(tmp_path: Path) -> None:
    drawing = "<svg><title>Frau Käsbohrer</title><text>K&#228;sbohrer</text></svg>"
    assert "sbohrer" not in made(tmp_path, "a.svg", drawing.encode()).decode()


def test_an_office_with_a_history_is_refused(tmp_path: Path) -> None:
    (tmp_path / "office" / ".git").mkdir(parents=True)
    (tmp_path / "office" / "a.txt").write_text("a")
    with pytest.raises(CannotPseudonymise, match="earlier versions"):
        pseudonymise(tmp_path / "office", "s", NONE)
