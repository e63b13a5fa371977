"""Finds phone numbers, IBANs, cards, numbers with a label, and birth dates; gives invented ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from trainee_bench.harness.pseudonyms.drawing import Draws, iban_check, luhn_digit, same_layout
from trainee_bench.harness.pseudonyms.folding import has_digit
from trainee_bench.world.random_streams import random_stream

_IBAN = re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_CARD = re.compile(r"(?<![\w.,-])[0-9]{4}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}(?![\w-])")
_PHONE = re.compile(r"(?<![\w.,/+-])(?:\+|00)[1-9][0-9 ()./-]{6,22}[0-9](?!\w)")
_NATIONAL = re.compile(
    r"(?<![\w.,/+-])(?:\(0[0-9]{1,5}\) ?[0-9][0-9 -]{3,14}[0-9]"
    r"|0[1-9][0-9]{1,4}[ /-]{1,3}[0-9][0-9 -]{3,12}[0-9]"
    r"|\([2-9][0-9]{2}\) ?[0-9]{3}-[0-9]{4}|[2-9][0-9]{2}[-.][0-9]{3}[-.][0-9]{4})(?![\w-])"
)
_PHONE_LABEL = re.compile(
    r"\b(?:tel|telephone|telefon|phone|mobile|mobil|fax|handy|cell|durchwahl|call|whatsapp)\b"
    r"[.:]{0,2}[^\w\n+(]{0,3}(?=[+(0-9])",
    re.IGNORECASE,
)
_AFTER_PHONE_LABEL = re.compile(r"[+(]?[0-9][0-9 ()./-]{3,22}[0-9]")
_ID_LABEL = re.compile(
    r"\b(?:account|acct|customer|client|invoice|contract|policy|member|membership|order|tax|vat"
    r"|ssn|passport|personnel|employee|iban|bic|swift|kunden|rechnung|rechnungs|vertrag|vertrags"
    r"|konto|steuer|mitglied|mitglieds|personal|auftrag|auftrags|bestell|ust|kundennummer"
    r"|rechnungsnummer|vertragsnummer|kontonummer|steuernummer|personalnummer|auftragsnummer"
    r"|bestellnummer|mitgliedsnummer|steuerid|patient|patienten|patientennummer|fall|fallnummer|case"
    r"|matter|versicherten|versichertennummer|versicherungs|versicherungsnummer|nhs|medicare)"
    r"(?:[ _-]?(?:no|nr|num|number|nummer|id|idnr|code))?\b[.:]{0,2}[ \t#=:\"']{0,5}",
    re.IGNORECASE,
)
_OFFICIAL = re.compile(
    r"\b[0-9]{2} ?[0-9]{6} ?[A-Z] ?[0-9]{3}\b"  # a German social insurance number
    r"|\b756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}\b"  # a Swiss one
    r"|\b[A-CEGHJ-PR-TW-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]\b"  # a British one
    r"|(?<![\w-])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![\w-])"  # an American one
    r"|(?<![\w-])[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} [0-9]{1,4}[EH]?(?![\w-])"  # a German number plate
)
"""Numbers of people whose form alone is enough."""
_CODE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9/._-]{1,38}[A-Za-z0-9])?")
_MONEY_AFTER = re.compile(r" ?(?:[.,][0-9]{2}\b|€|\$|£|%|EUR|USD|GBP|CHF)")
_BIRTH_LABEL = re.compile(
    r"\b(?:born|birth|birthday|dob|birthdate|geb|geboren|geburtsdatum|geburtstag|nee? le"
    r"|naissance|nacimiento|nascita)\b",
    re.IGNORECASE,
)
_MONTHS = """january february march april may june july august september october november december
    januar februar märz april mai juni juli august september oktober november dezember
    jan feb mar apr may jun jul aug sep oct nov dec""".split()
_MONTH = "|".join(sorted(set(_MONTHS), key=lambda name: (-len(name), name)))
_DATES = (
    (re.compile(r"\b(?P<y>[12][0-9]{3})-(?P<m>[01]?[0-9])-(?P<d>[0-3]?[0-9])\b"), "ymd"),
    (re.compile(r"\b(?P<y>[12][0-9]{3})(?P<m>[01][0-9])(?P<d>[0-3][0-9])\b"), "ymd"),
    (re.compile(r"\b(?P<d>[0-3]?[0-9])[./-](?P<m>[01]?[0-9])[./-](?P<y>[12][0-9]{3})\b"), "dmy"),
    (re.compile(r"\b(?P<m>[01]?[0-9])/(?P<d>[0-3]?[0-9])/(?P<y>[12][0-9]{3})\b"), "mdy"),
    (
        re.compile(
            rf"\b(?P<d>[0-3]?[0-9])\.? (?P<m>{_MONTH})\.? (?P<y>[12][0-9]{{3}})\b", re.IGNORECASE
        ),
        "dmy",
    ),
    (
        re.compile(
            rf"\b(?P<m>{_MONTH})\.? (?P<d>[0-3]?[0-9]),? (?P<y>[12][0-9]{{3}})\b", re.IGNORECASE
        ),
        "mdy",
    ),
)
_BIRTH_REACH = 40
_COUNTRY_CODES = frozenset("1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49".split()) | {
    str(code) for code in (*range(51, 59), *range(60, 67), *range(81, 85), 86, *range(90, 96), 98)
}


@dataclass(frozen=True)
class NumberSpan:
    """A number in a text: where it is, its kind, and why it is doubtful ("" if it is not)."""

    start: int
    end: int
    kind: str
    doubt: str = ""


def find_numbers(line: str, known_codes: frozenset[str] | set[str]) -> Iterator[NumberSpan]:
    """Yield the numbers of people and companies in *line*; spans may overlap, the surest first.

    *known_codes* are codes that had a label elsewhere: those of five characters or more are found.
    """
    if not has_digit(line):
        return
    yield from _births(line)
    for found in _IBAN.finditer(line):
        if _is_iban(found.group()):
            yield NumberSpan(*found.span(), "iban")
    for found in _CARD.finditer(line):
        digits = _digits_of(found.group())
        if 13 <= len(digits) <= 19 and luhn_digit(digits[:-1]) == digits[-1]:
            yield NumberSpan(*found.span(), "card")
    for label in _PHONE_LABEL.finditer(line):
        number = _AFTER_PHONE_LABEL.match(line, label.end())
        if number and 5 <= len(_digits_of(number.group())) <= 15:
            yield NumberSpan(*number.span(), "phone")
    for found in _PHONE.finditer(line):
        if 8 <= len(_digits_of(found.group())) <= 15:
            yield NumberSpan(*found.span(), "phone")
    for found in _OFFICIAL.finditer(line):
        yield NumberSpan(*found.span(), "code")
    yield from _codes(line, known_codes)
    for found in _NATIONAL.finditer(line):
        if 7 <= len(_digits_of(found.group())) <= 14:
            yield NumberSpan(*found.span(), "phone", "digits grouped like a phone number")


def _codes(line: str, known: frozenset[str] | set[str]) -> Iterator[NumberSpan]:
    for label in _ID_LABEL.finditer(line):
        code = _CODE.match(line, label.end())
        if code and is_code(code.group()) and not _MONEY_AFTER.match(line, code.end()):
            yield NumberSpan(*code.span(), "code")
    if known:
        for code in _CODE.finditer(line):
            if len(code.group()) >= 5 and code.group() in known:
                yield NumberSpan(*code.span(), "code")


def is_code(text: str) -> bool:
    """Whether *text* can identify something: four digits or more, and not only a year or date."""
    digits = _digits_of(text)
    if len(digits) < 4 or re.fullmatch(r"[12][09][0-9]{2}", text):
        return False
    return all(expression.fullmatch(text) is None for expression, _ in _DATES)


def labelled_codes(line: str) -> Iterator[str]:
    """Yield the codes in *line* that have a label such as "Invoice no."."""
    if has_digit(line):
        for span in _codes(line, frozenset()):
            yield line[span.start : span.end]


def _births(line: str) -> Iterator[NumberSpan]:
    for label in _BIRTH_LABEL.finditer(line):
        for found, _ in _dates_in(line[label.end() : label.end() + _BIRTH_REACH]):
            start, end = found.span()
            yield NumberSpan(label.end() + start, label.end() + end, "birth")
            break


def _dates_in(text: str) -> Iterator[tuple[re.Match[str], date]]:
    for expression, _ in _DATES:
        for found in expression.finditer(text):
            read = _read_date(found)
            if read is not None:
                yield found, read


def _read_date(found: re.Match[str]) -> date | None:
    month = found["m"].lower()
    number = int(month) if month.isdigit() else _MONTHS.index(month) % 12 + 1
    try:
        return date(int(found["y"]), number, int(found["d"]))
    except ValueError:
        return None


def _is_iban(text: str) -> bool:
    compact = text.replace(" ", "")
    return 15 <= len(compact) <= 34 and iban_check(compact[:2], compact[4:]) == compact[2:4]


def _digits_of(text: str) -> str:
    return "".join(letter for letter in text if "0" <= letter <= "9")


def invented_number(text: str, kind: str, draws: Draws) -> str:
    """Return an invented number of the same *kind*, length and layout as *text*.

    Kinds: phone, iban, card, code, birth, postcode. Check digits of IBANs and cards are right.
    """
    if (kind, text) not in draws.numbers:
        made = draws.numbers[kind, text] = _invented(text, kind, draws)
        if _digits_of(made) not in draws.real_digits:
            draws.numbers.setdefault((kind, made), made)
    return draws.numbers[kind, text]


def _invented(text: str, kind: str, draws: Draws) -> str:
    if kind == "iban":
        return _invented_iban(text, draws)
    if kind == "card":
        digits = _digits_of(text)
        drawn = draws.digits("card", digits[:-1], fixed=1)
        return same_layout(text, iter(drawn + luhn_digit(drawn)))
    if kind == "birth":
        return _invented_birth(text, draws)
    if kind == "phone":
        digits = _digits_of(text)
        prefix = _phone_prefix(text, digits)
        return same_layout(text, iter(digits[:prefix] + draws.digits("phone", digits[prefix:])))
    digits = _digits_of(text)
    year = re.search(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])", text) if kind == "code" else None
    if year and len(digits) > 4:  # the year of an invoice is a date of business
        head, tail = text[: year.start()], text[year.end() :]
        drawn = draws.digits(kind, _digits_of(head) + _digits_of(tail))
        return _with_digits(head, drawn) + year.group() + _with_digits(tail, drawn[_count(head) :])
    return _with_digits(text, draws.digits(kind, digits))


def _count(text: str) -> int:
    return len(_digits_of(text))


def _with_digits(text: str, digits: str) -> str:
    left = iter(digits)
    return "".join(next(left) if "0" <= letter <= "9" else letter for letter in text)


def _phone_prefix(text: str, digits: str) -> int:
    """Return how many digits show the country or the way to dial, and stay."""
    if text.startswith(("+", "00")):
        start = 0 if text.startswith("+") else 2
        size = next((n for n in (1, 2) if digits[start : start + n] in _COUNTRY_CODES), 3)
        trunk = start + size
        return trunk + 1 if "(0)" in text and digits[trunk : trunk + 1] == "0" else trunk
    return 1 if digits.startswith("0") else 0


def _invented_iban(text: str, draws: Draws) -> str:
    compact = text.replace(" ", "")
    country, rest = compact[:2], compact[4:]
    letters = random_stream(draws.seed, "iban letters", rest)
    drawn = iter(draws.digits("iban", _digits_of(rest)))
    made = "".join(
        next(drawn) if "0" <= letter <= "9" else letters.choice("ABCDEFGHKLMNPRSTUVXYZ")
        for letter in rest
    )
    return same_layout(text, iter(country + iban_check(country, made) + made))


def _invented_birth(text: str, draws: Draws) -> str:
    for found, real in _dates_in(text):
        stream = random_stream(draws.seed, "birth date", real.isoformat())
        moved = real
        while (moved.day, moved.month) == (real.day, real.month):
            moved = real + timedelta(days=stream.choice((-1, 1)) * stream.randint(20, 400))
        month = found["m"]
        if month.isdigit():
            written = str(moved.month).zfill(len(month))
        else:
            at = _MONTHS.index(month.lower())
            written = _MONTHS[at - at % 12 + moved.month - 1]
            written = written.title() if month[:1].isupper() else written
        parts = {
            "y": str(moved.year),
            "m": written,
            "d": str(moved.day).zfill(len(found["d"])),
        }
        made = text
        for group in sorted(parts, key=found.start, reverse=True):
            made = made[: found.start(group)] + parts[group] + made[found.end(group) :]
        return made
    return text
