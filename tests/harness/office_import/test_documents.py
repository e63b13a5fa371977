"""Documents, pictures and texts: agents get text, PNG or JPEG, or a refusal with a remedy."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.harness.office_import.exports import imported, pdf, png, refusal, row, text, zipped
from trainee_bench.harness.office_import.report import ImportOutcome

docx = pytest.importorskip("docx")
pptx = pytest.importorskip("pptx")


def saved(document: Any) -> bytes:
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def test_a_word_document_becomes_markdown(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Travel", 1)
    document.add_paragraph("Ask before you book.")
    document.add_paragraph("Train", style="List Bullet")
    document.add_paragraph("Bus", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, value in zip(table._cells, ("Grade", "Limit", "A|B", "80 €"), strict=True):
        cell.text = value
    document.add_picture(io.BytesIO(png()))
    found = row(tmp_path, "Policy.docx", saved(document))
    assert (found.outcome, found.became) == (ImportOutcome.CONVERTED, ("drive/Policy.md",))
    assert text(tmp_path, "drive/Policy.md") == (
        "# Travel\n\nAsk before you book.\n\n- Train\n- Bus\n\n"
        "| Grade | Limit |\n|---|---|\n| A\\|B | 80 € |\n"
    )
    assert "Left out: 1 picture." in found.notes


def test_text_in_tracked_changes_links_and_controls_is_not_lost(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("MARK")
    data = saved(document)
    with_changes = (
        b'<w:ins w:id="1" w:author="a"><w:r><w:t>new </w:t></w:r></w:ins>'
        b'<w:del w:id="2" w:author="a"><w:r><w:delText>old </w:delText></w:r></w:del>'
        b"<w:sdt><w:sdtContent><w:r><w:t>chosen</w:t></w:r></w:sdtContent></w:sdt>"
    )
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["word/document.xml"] = parts["word/document.xml"].replace(
        b"<w:r><w:t>MARK</w:t></w:r>", with_changes
    )
    found = row(tmp_path, "a.docx", zipped(parts))
    assert text(tmp_path, "drive/a.md") == "new chosen\n"
    assert "Left out: 1 tracked deletion." in found.notes


def test_a_presentation_becomes_markdown_with_tables_charts_and_notes(tmp_path: Path) -> None:
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Plan"
    slide.placeholders[1].text = "First step"
    area = [Inches(1)] * 4
    table = slide.shapes.add_table(1, 2, *area).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Owner", "Ada"
    data = CategoryChartData()
    data.categories = ["Q1"]
    data.add_series("Sales", (3,))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, *area, data)
    slide.shapes.add_picture(io.BytesIO(png()), Inches(1), Inches(1))
    slide.notes_slide.notes_text_frame.text = "Say thanks."
    found = row(tmp_path, "a.pptx", saved(deck))
    written = text(tmp_path, "drive/a.md")
    assert written.startswith("## Slide 1: Plan\n\nFirst step\n\n| Owner | Ada |")
    assert "| Q1 | 3.0 |" in written and written.endswith("Notes: Say thanks.\n")
    assert "Left out: 1 picture." in found.notes


def test_a_pdf_becomes_text_and_its_pictured_pages_are_refused_by_name(tmp_path: Path) -> None:
    report = imported(tmp_path, {"a.pdf": pdf("Offer 7", None, "", "Total")})
    assert [(found.item, found.outcome) for found in report.rows] == [
        ("", ImportOutcome.CONVERTED),
        ("page 2", ImportOutcome.REFUSED),
    ]
    assert "Page 2 has only a picture" in report.rows[1].notes[0]
    assert "Empty pages were left out: 3." in report.rows[0].notes
    assert text(tmp_path, "drive/a.txt") == (
        "--- Page 1 ---\n\nOffer 7\n\n--- Page 2 ---\n\n[Page 2 has only a picture.]\n\n"
        "--- Page 4 ---\n\nTotal\n"
    )


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.pdf", pdf(None), "page 1 has only a picture"),
        ("a.pdf", b"%PDF-1.4\nnothing", "damaged"),
        ("a.docx", zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}), "damaged"),
        ("a.docx", zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<a>" * 600}),
         "nests deeper than 500"),
        ("a.pptx", zipped({"[Content_Types].xml": "<x/>", "ppt/presentation.xml": "<x/>"}),
         "damaged"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as .docx"),
        ("a.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as .eml"),
        ("a.zip", zipped({"a.txt": "a"}), "Unpack it"),
        ("a.rtf", b"{\\rtf1 text}", ".rtf"),
        ("a.bin", bytes(range(256)), "neither text nor"),
        ("a.png", png()[:50], "damaged"),
        ("a.heic", b"\0\0\0\x18ftypheic", "HEIC"),
        ("a.txt", b"", "empty"),
        ("~$plan.docx", b"x", "Leave it out"),
        ("a.txt", b"long " * 210_000, "1,050,000 bytes"),
    ],
)  # fmt: skip
def test_what_no_agent_could_read_is_refused_with_a_remedy(
    tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    assert says in refusal(tmp_path, name, data)


def test_a_picture_that_unpacks_to_too_many_pixels_is_refused(tmp_path: Path) -> None:
    written = io.BytesIO()
    Image.new("1", (8_000, 8_000)).save(written, "PNG")
    assert "at most 40,000,000 pixels" in refusal(tmp_path, "a.png", written.getvalue())


def test_pictures_are_kept_or_become_png_under_a_fitting_name(tmp_path: Path) -> None:
    report = imported(
        tmp_path,
        {"a.png": png(), "b.jpg": png(), "c.gif": png(form="GIF"), "d.tif": png(form="TIFF")},
    )
    assert [found.became[0] for found in report.rows] == [
        "drive/a.png", "drive/b.png", "drive/c.png", "drive/d.png",
    ]  # fmt: skip
    assert [found.outcome.value for found in report.rows] == ["imported", *["converted"] * 3]
    assert (tmp_path / "office/drive/a.png").read_bytes() == png()
    for name in "bcd":
        with Image.open(tmp_path / f"office/drive/{name}.png") as picture:
            assert picture.format == "PNG"


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.json", "a.html", "README"])
def test_texts_become_utf_8(tmp_path: Path, name: str) -> None:
    found = row(tmp_path, name, "Grüße aus Köln, schöne Tage".encode("cp1252"))
    assert found.outcome is ImportOutcome.CONVERTED and "cp1252" in found.notes[0]
    assert text(tmp_path, f"drive/{name}") == "Grüße aus Köln, schöne Tage"
