"""Checks pictures, and converts other formats to PNG."""

from __future__ import annotations

import io
import warnings

from trainee_bench.harness.office_import.converted import ConvertedFile, with_ending
from trainee_bench.harness.office_import.limits import MAX_PICTURE_PIXELS
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.pseudonyms.picture_metadata import UnreadPicture, without_metadata

_ENDINGS = {"PNG": (".png",), "JPEG": (".jpg", ".jpeg")}
_READ = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")


def picture_file(name: str, data: bytes) -> ConvertedFile:
    """Return a picture that can be seen in the office: PNG or JPEG, other formats as PNG.

    Metadata is left out: it names people and places that no agent sees.

    Raises ItemRefused if it is damaged or too large.
    """
    # Imported here, since most imports have no pictures.
    from PIL import Image

    Image.init()  # else only the most usual formats are known; a JPEG may turn out to be an MPO
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=_READ) as picture:
                width, height = picture.size
                if width * height > MAX_PICTURE_PIXELS:
                    raise ItemRefused(
                        f"The picture has {width:,} × {height:,} pixels; at most "
                        f"{MAX_PICTURE_PIXELS:,} pixels are read. Make it smaller."
                    )
                picture.load()
                form = "JPEG" if picture.format == "MPO" else str(picture.format)
                frames = getattr(picture, "n_frames", 1)
                if form in _ENDINGS:
                    try:
                        return _kept(name, data, without_metadata(data), form)
                    except UnreadPicture:
                        form = f"damaged {form}"
                return _as_png(name, picture, form, frames)
    except ItemRefused:
        raise
    except Exception as error:  # noqa: BLE001 -- a damaged picture makes the decoders raise anything
        raise ItemRefused(
            f"The picture is damaged ({str(error)[:100] or type(error).__name__}). Save it again "
            "as .png or .jpg."
        ) from None


def _kept(name: str, data: bytes, plain: bytes, form: str) -> ConvertedFile:
    endings = _ENDINGS[form]
    notes = []
    if plain != data:
        notes.append("Its metadata (such as author, place and camera) was left out.")
    if not name.lower().endswith(endings):
        name = with_ending(name, endings[0])
        notes.append(f"It is a picture in {form}, so it is now called {name}.")
    return ConvertedFile(name, plain, bool(notes), tuple(notes))


def _as_png(name: str, picture: object, form: str, frames: int) -> ConvertedFile:
    from PIL import Image

    assert isinstance(picture, Image.Image)
    mode = "RGBA" if "A" in picture.mode or "transparency" in picture.info else "RGB"
    written = io.BytesIO()
    plain = Image.new(mode, picture.size)  # has no metadata that could be saved
    plain.paste(picture.convert(mode))
    plain.save(written, "PNG")
    notes = [f"The picture was converted from {form} to PNG."]
    if frames > 1:
        notes.append(
            f"Only the first of its {frames:,} pages or frames was kept. Save the others as "
            "pictures of their own."
        )
    return ConvertedFile(with_ending(name, ".png"), written.getvalue(), True, tuple(notes))
