"""An office of planted names: every mention that was written, and every ordinary word."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from trainee_bench.harness.pseudonyms.folding import WORD, key_of
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.xlsx import to_xlsx

FIRST = """Jörg Anke Søren Zoë Łukasz Mary Deepak Chiara Henrik Aoife Björn Mónica François
Greta Tomasz Ines Nora Olaf Priya Rafael Sigrid Tariq Ulrike Wiebke Yusuf Helga
Mikko Renate Dirk Elif Mark Grace Will Rose""".split()
LAST = """Müller Groß Weiß Jäger Kowalczyk O'Neill Fernández Østergård Lindqvist Nguyen
Papadaki Kern Albrecht Hartmann Okafor Iyer Dubois Rossi Virtanen Çelik Novák
Szabó Petersen Vandenberg McCarthy Hall Young Baker Quorlan Zettick Brunnholz
Ahrenfeld""".split()
OTHER_SCRIPTS = (
    "李雷",
    "王芳",
    "田中太郎",
    "Иван Петров",
    "Ольга Смирнова",
    "Γιώργος Παπαδόπουλος",
)
COMPANIES = """Nordlicht Zanetti Brauwerk Kestrelon Vivantis Ostermoor Quellmark Tessaro
Haldenberg Pinnacor Rivermont Sundvik""".split()
FORMS = ("GmbH", "Ltd", "AG", "Inc", "LLC", "SA")
TAILS = ("", "Logistik", "Consulting", "Systems")
ORDINARY = """Please send the quarterly Report before Friday. The Budget for March is open. In
May we move the Office to Berlin. Our Team in London checks every Invoice on
Monday. Total Costs rose by 4 percent. Will you join the Meeting? May I ask for
the Policy? Mark the Date in your Calendar. The Project Plan lists all
Milestones. Travel Expenses need a Receipt. Summer Sale starts in July. The
Warehouse in Paris has new Shelves. Customer Service answers before Noon. Grace
Period is two Weeks. Young Professionals join the Program. The Main Hall is
closed. Each Department writes a Summary.
"""


def plain(name: str, *, long: bool) -> str:
    if long:
        for letter, instead in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("ø", "oe")):
            name = name.replace(letter, instead).replace(letter.upper(), instead.title())
    special = str.maketrans({"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i"})
    decomposed = unicodedata.normalize("NFKD", name.translate(special))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).replace("'", "")


@dataclass
class PlantedOffice:
    """The files of an office, and the mentions in each."""

    files: dict[str, bytes] = field(default_factory=dict)
    mentions: list[tuple[str, str, str]] = field(default_factory=list)
    """(file, the line with the mention, the words of it that must not stay)"""

    @property
    def planted(self) -> set[str]:
        """The keys of all planted words."""
        return {key_of(word) for _, _, words in self.mentions for word in WORD.findall(words)}

    def write(self, folder: Path) -> None:
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def planted_office(seed: int, people: int = 160, companies: int = 40) -> PlantedOffice:
    """Write an office that mentions so many people and companies in many forms."""
    draws = random.Random(seed)
    names = [f"{draws.choice(FIRST)} {draws.choice(LAST)}" for _ in range(people - 12)]
    for at in range(0, len(names), 9):
        names[at] += f"-{draws.choice(LAST)}"
    names += [draws.choice(OTHER_SCRIPTS) for _ in range(12)]
    firms = [
        " ".join(filter(None, (draws.choice(COMPANIES), draws.choice(TAILS), draws.choice(FORMS))))
        for _ in range(companies)
    ]
    office = PlantedOffice()
    _table(office, names[:40])
    for at, name in enumerate(names[40:110]):
        _mail(office, draws, at, name, firms[at % len(firms)])
    _calendar(office, names[110:130])
    _notes(office, draws, names, firms)
    _workbook(office, names[130:150], firms)
    return office


def _table(office: PlantedOffice, names: list[str]) -> None:
    lines = ["name,title,department,manager,hours,answers_in"]
    for at, name in enumerate(names):
        manager = names[at // 4] if at else ""
        lines.append(f"{name},Clerk,Finance,{manager},09:00-17:00,30")
        office.mentions.append(("people.csv", lines[-1], name))
    office.files["people.csv"] = "\n".join(lines).encode() + b"\n"


def _mail(office: PlantedOffice, draws: random.Random, at: int, name: str, firm: str) -> None:
    first, _, last = name.partition(" ")
    last = last or first
    address = f"{plain(first, long=True).lower()}.{plain(last, long=True).lower()}@acmeworks.com"
    address = address if address.isascii() else f"contact{at}@acmeworks.com"
    core = firm.split(" ")[0]
    lines = [
        (f"Hi {first},", first),
        (f"{draws.choice(['Mr', 'Ms', 'Dr'])} {last} from {firm} asked for it.", last),
        (f"We sent it to {name} yesterday.", name),
        (f"This is {first}'s copy.", first),
        (f"Then {core} paid at once.", core),
        (f"It was in the list of {name.upper()} before.", name.upper()),
        (f"It came from {unicodedata.normalize('NFD', name)} today.", name),
    ]
    if first.isascii() is False or last.isascii() is False:
        spelled = plain(name, long=True)
        lines.append((f"The file of {spelled} is missing.", spelled))
    draws.shuffle(lines)
    body = "\n".join(line for line, _ in lines)
    file = f"mail/{at:03}.eml"
    head = f"From: {name} <{address}>\nTo: office@acmeworks.com\nSubject: Question {at}\n"
    head += f"Message-ID: <{at}.x@acmeworks.com>\nDate: Mon, 02 Mar 2026 09:00:00 +0000\n"
    head += "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
    head += "Content-Transfer-Encoding: 8bit\n\n"
    office.files[file] = f"{head}{body}\n\n{ORDINARY}\nBest regards,\n{first}\n".encode()
    office.mentions += [(file, line, words) for line, words in lines]
    office.mentions.append((file, f"From: {name}", name))


def _calendar(office: PlantedOffice, names: list[str]) -> None:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
    for at, name in enumerate(names):
        lines += [
            "BEGIN:VEVENT",
            f"UID:{at}",
            f"SUMMARY:Talk with {name}\\, Room 2",
            f'ATTENDEE;CN="{name}":mailto:p{at}@acmeworks.com',
            "END:VEVENT",
        ]
        office.mentions.append(("calendar.ics", f"SUMMARY:Talk with {name}", name))
    lines.append("END:VCALENDAR")
    office.files["calendar.ics"] = "\r\n".join(lines).encode() + b"\r\n"


def _notes(office: PlantedOffice, draws: random.Random, names: list[str], firms: list[str]) -> None:
    lines = ["# Notes of the Week", "", ORDINARY]
    for name in draws.sample(names, 60):
        first, _, last = name.partition(" ")
        line = draws.choice(
            [
                f"- Contact: {name}",
                f"- The plan of {name} is ready.",
                f"- We asked {first[:1]}. {last or name} about it.",
                f"- They spoke with {first} at noon.",
            ]
        )
        lines.append(line)
        words = first if "spoke" in line else (last or name) if ". " in line[10:] else name
        office.mentions.append(("drive/notes.md", line, words))
    for firm in firms:
        lines.append(f"- The offer of {firm} came late.")
        office.mentions.append(("drive/notes.md", lines[-1], firm.split(" ")[0]))
    office.files["drive/notes.md"] = "\n".join(lines).encode() + b"\n"


def _workbook(office: PlantedOffice, names: list[str], firms: list[str]) -> None:
    cells = {"A1": "Customer", "B1": "Contact", "C1": "Amount", "D1": "Comment"}
    for row, (name, firm) in enumerate(zip(names, firms, strict=False), 2):
        cells |= {f"A{row}": firm, f"B{row}": name, f"C{row}": str(100 + row)}
        cells[f"D{row}"] = f"agreed with {name}"
        office.mentions += [
            ("drive/customers.xlsx", f"agreed with {name}", name),
            ("drive/customers.xlsx", firm, firm.split(" ")[0]),
        ]
    workbook = Workbook(sheets=(Sheet(name="Customers", cells=cells),))
    office.files["drive/customers.xlsx"] = to_xlsx(workbook)
