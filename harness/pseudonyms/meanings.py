"""The meaning of a column or of a label: names of people, telephone numbers, birth dates …"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from trainee_bench.harness.pseudonyms.folding import WORD, key_of


class Meaning(StrEnum):
    """The content of a column or a labelled value."""

    TEXT = "text"
    PERSON = "person"
    COMPANY = "company"
    PARTY = "person or company"
    NAME = "name of something"
    PHONE = "phone"
    CODE = "code"
    BIRTH = "birth"
    STREET = "street"
    POSTCODE = "postcode"
    MESSAGE_ID = "message id"


_PHONE = frozenset("phone tel telephone telefon mobile mobil fax handy cell".split())
_BIRTH = frozenset("birth birthday birthdate dob born geburtsdatum geburtstag geboren".split())
_STREET = frozenset("street address strasse anschrift adresse rue calle via".split())
_POSTCODE = frozenset("zip postcode zipcode plz postleitzahl postal".split())
_NUMBERED = frozenset(
    """account acct konto card invoice rechnung rechnungs customer kunden kunde client contract
    vertrag vertrags order auftrag auftrags policy member tax vat steuer ssn passport personnel
    employee personal staff bestell mitglieds supplier vendor""".split()
)
_NUMBER = frozenset("no nr num number nummer id code idnr".split())
_CODES = frozenset(
    """iban bic swift ssn kundennummer rechnungsnummer vertragsnummer kontonummer steuernummer
    personalnummer auftragsnummer bestellnummer mitgliedsnummer steuerid kundennr rechnungsnr
    vertragsnr kontonr""".split()
)
_PERSON = frozenset(
    """person contact kontakt employee manager owner author assignee attendee attendees
    organizer organiser
    recipient sender mitarbeiter mitarbeiterin ansprechpartner ansprechpartnerin vorname
    nachname firstname lastname surname forename fullname displayname applicant candidate
    participant participants responsible reviewer approver colleague colleagues who from to cc
    bcc von an trainee director ceo signatory beneficiary payee bewerber vorgesetzter leiter
    betreuer salesperson nom prenom nombre apellido verantwortlich teilnehmer reporter
    requester teacher driver""".split()
)
_MEASURES = frozenset(
    """amount total price cost costs kosten umsatz umsatze revenue sales traffic share anteil count
    anzahl number_of users sessions visits visitors orders clicks budget ausgaben gebuhr gebuhren
    betrag preis preise summe usage volume minutes minuten rate quote wert value fee fees turnover
    profit gewinn margin porto portokosten expenses spend""".split()
)
"""Words of a column of figures: mobile revenue is no telephone."""
_ALONE = frozenset("who from to cc bcc von an".split())
"""Words that are labels alone, and begin or join sentences together with others."""
_COMPANY = frozenset("company firma organisation organization employer unternehmen".split())
_PARTY = frozenset(
    """customer client supplier vendor kunde lieferant debtor creditor partner payer
    empfanger absender tenant landlord mieter vermieter""".split()
)
_NAMED = frozenset("name names".split())
_NOT_NAMES = frozenset(
    """file product item project room id count type department dept sheet column host status rate
    segment service group level score number amount total price cost date time role title position
    category region country city town currency since days hours answers email mail e comments
    comment note notes satisfaction value user path folder size satisfaction no nr address url
    website domain code kind team
    language terms discount relations success""".split()
)


@lru_cache(maxsize=10_000)
def meaning_of(header: str) -> Meaning:
    """Return the meaning of a column with this *header*, or of a value behind this label."""
    words = [key_of(word) for word in WORD.findall(_separated(header))]
    found = set(words)
    if not found or len(words) > 4:
        return Meaning.TEXT
    if found & {"email", "mail", "url", "website", "domain"}:
        return Meaning.TEXT
    if found & _MEASURES:
        return Meaning.TEXT
    if found & _PHONE:
        return Meaning.PHONE
    if found & _BIRTH:
        return Meaning.BIRTH
    if found & _CODES or (found & _NUMBERED and found & _NUMBER):
        return Meaning.CODE
    if found & _POSTCODE:
        return Meaning.POSTCODE
    if found & _STREET:
        return Meaning.STREET
    if found & _NOT_NAMES:
        return Meaning.TEXT
    people = found & _PERSON if len(words) == 1 else found & _PERSON - _ALONE
    if people or (found & _NAMED and found & {"first", "last", "full", "family", "given"}):
        return Meaning.PERSON
    if found & _COMPANY:
        return Meaning.COMPANY
    if found & _PARTY:
        return Meaning.PARTY
    return Meaning.NAME if found == found & _NAMED else Meaning.TEXT


def _separated(header: str) -> str:
    """Return *header* with spaces between the words of camelCase and snake_case."""
    spaced = []
    before = ""
    for letter in header.replace("_", " "):
        if letter.isupper() and before.islower():
            spaced.append(" ")
        spaced.append(letter)
        before = letter
    return "".join(spaced)
