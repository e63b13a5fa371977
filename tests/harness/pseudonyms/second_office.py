"""A second office of planted names, in another style, written after the rules were complete.

German and English letters without salutations by rule, forwarded mails, minutes, chats, YAML, JSON.
"""

from __future__ import annotations

import json
import random

from tests.harness.pseudonyms.planted_office import PlantedOffice, plain
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.xlsx import to_xlsx

FIRST = """Matthias Käthe Thorsten Željko Agnieszka Siobhan Rajesh Giulia Torben Maeve
Ástríður Joaquín Amélie Friederike Zbigniew Magdalena Oluwaseun Ebba Ignacio
Anneliese Karthik Liesbeth Vytautas Hannelore Bartosz Sunniva Gerrit Noémie
Ludmila Kwame Hunter Faith""".split()
LAST = """Schönfeld Brückner Wójcik Gallagher Peña Sørensen Bergström Tanaka Christodoulou
Achterberg Rademacher Adeyemi Subramanian Lefèvre Bianchi Korhonen Yıldız Dvořák
Horváth Kristensen MacDonald Knight Cook Vogelsang Thistleby Wexmore Grunwaldt
Schieferle Fitzwilliam Oyelaran""".split()
OTHERS = ("张伟明", "刘洋", "佐藤美咲", "김민준", "Алексей Кузнецов", "Мария Соколова")
COMPANIES = """Falkenried Orbitane Steinhude Mercanto Helioplan Traventis Windgate Corvalis
Lumetra Eichenfels""".split()
ORDINARY = """Die Lieferung kommt am Montag. Unser Lager in Hamburg ist voll, die Rechnung
folgt im August. Bitte prüfen Sie den Vertrag und das Angebot. The Board meets
in June. Next Steps: Review the Draft, then Sign the Form. Our Cook Book for the
Summer Party sells well. Knight Shifts start at Nine. Please have Faith in the
Process. Der Umsatz stieg im April. The new Printer is in Room 4. All Staff get
a Bonus. Safety First! Lunch is at One. The Sales Forecast looks good. Open
Issues are in the Tracker. Health Insurance is paid. Hunter Season begins. Die
Abteilung plant eine Schulung.
"""


def second_office(seed: int, people: int = 150, companies: int = 50) -> tuple[PlantedOffice, str]:
    """Write another office; return it with the ordinary text that some of its files contain."""
    draws = random.Random(seed + 1_000)
    names = [f"{draws.choice(FIRST)} {draws.choice(LAST)}" for _ in range(people - len(OTHERS))]
    names += OTHERS
    firms = [
        f"{draws.choice(COMPANIES)} {draws.choice(['GmbH', 'Ltd.', 'Trading LLC', 'Bau AG'])}"
        for _ in range(companies)
    ]
    office = PlantedOffice()
    for at in range(0, 60, 2):
        _forwarded(office, at, names[at], names[at + 1], firms[at % len(firms)])
    _minutes(office, draws, names[60:100])
    _chat(office, names[100:120])
    _data(office, names[120:], firms)
    return office, ORDINARY


def _add(office: PlantedOffice, file: str, lines: list[str], planted: list[str]) -> None:
    office.files[file] = "\n".join(lines).encode() + b"\n"
    office.mentions += [(file, file, words) for words in planted]


def _forwarded(office: PlantedOffice, at: int, sender: str, other: str, firm: str) -> None:
    first, last = sender.split(" ")
    given, family = other.split(" ")
    handle = f"{plain(first, long=True)[0]}{plain(last, long=True)}".lower()
    lines = [
        f"From: {last}, {first} <{handle}@huettenwerk-sued.de>" if at % 4 else
        f'From: "{last}, {first}" <{handle}@huettenwerk-sued.de>',
        "To: post@huettenwerk-sued.de",
        f"Subject: Fwd: Angebot {firm}",
        f"Message-ID: <f{at}@huettenwerk-sued.de>",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        "",
        f"Guten Tag Frau {family}," if at % 3 else f"Sehr geehrter Herr Dr. {family},",
        "",
        f"{first} hat mit {firm.split(' ')[0]} gesprochen; {last}s Notiz liegt bei.",
        f"Bitte {given} {family} ({plain(given, long=True)[0]}.{family[0]}.) informieren.",
        f"cc {handle}",
        ORDINARY,
        "MfG",
        f"{first[0]}. {last}",
        "",
        "-----Original Message-----",
        f"> From: {given} {family} <{plain(given, long=True).lower()}@web.de>",
        f"> Am 3. März schrieb {given} {family.upper()}:",
        f"> Danke, {first}!",
    ]  # fmt: skip
    if at % 4:
        lines[0] = f"From: {first} {last} <{handle}@huettenwerk-sued.de>"
    _add(office, f"mail/f{at}.eml", lines, [sender, other, firm.split(" ")[0]])


def _minutes(office: PlantedOffice, draws: random.Random, names: list[str]) -> None:
    lines = ["# Minutes", "", f"Participants: {', '.join(names[:12])}", "", ORDINARY]
    planted = names[:12]
    for name in names[12:]:
        first, last = name.split(" ")
        lines.append(
            draws.choice(
                [
                    f"* {name} presents the figures.",
                    f"* Decision by {first} {last}: no change.",
                    f"* {last}, {first} will check this.",
                    f"* Action ({name}): call the bank.",
                ]
            )
        )
        planted.append(name)
    _add(office, "drive/minutes.md", lines, planted)


def _chat(office: PlantedOffice, names: list[str]) -> None:
    lines = []
    for at, name in enumerate(names):
        other = names[(at + 1) % len(names)]
        lines += [
            f"[09:{at:02}] {name}: hello {other.split(' ')[0]}, did you see it?",
            f"[09:{at:02}] {other}: yes, thanks {name.split(' ')[0].lower()}",
        ]
    _add(office, "drive/chat.txt", [*lines, ORDINARY], names)


def _data(office: PlantedOffice, names: list[str], firms: list[str]) -> None:
    tasks = [f"- from: {name}\n  who: {name}\n  title: Task" for name in names]
    _add(office, "known.yaml", tasks, names)
    rows = [
        {"employee": name, "company": firm, "euros": 12}
        for name, firm in zip(names, firms, strict=False)
    ]
    office.files["drive/data.json"] = json.dumps(rows, indent=1).encode()
    cells = {"A1": "Ansprechpartner", "B1": "Firma", "C1": "Euro"}
    for row, (name, firm) in enumerate(zip(names, firms, strict=False), 2):
        cells |= {f"A{row}": name, f"B{row}": firm, f"C{row}": str(row)}
    workbook = Workbook(sheets=(Sheet(name="Liste", cells=cells),))
    office.files["drive/liste.xlsx"] = to_xlsx(workbook)
    lines = ["Vorname;Nachname;Kunde"]
    for name, firm in zip(names[:-6], firms, strict=False):
        lines.append(";".join([*name.split(" "), firm]))
    firms_used = [firm.split(" ")[0] for firm in firms[: len(names)]]
    _add(office, "drive/kunden.csv", lines, [*names[:-6], *firms_used])
