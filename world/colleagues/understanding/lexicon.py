"""The trade's words: which mean the same in an office, and how much a word says.

Written from what offices talk about, not from test questions. A word may stand in several groups
(a *figure* is a chart or a number); a question and an ask agree when any sense is shared.
"""

from trainee_bench.world.colleagues.understanding.normalise import stem

SYNONYM_GROUPS: dict[str, str] = {
    "CHART": "chart graph figure diagram plot visual visualization",
    "PICTURE": "picture image screenshot photo scan map heatmap",
    "IDENTIFIER": "id ids identifier identification number reference mapping mappings",
    "CODE": "code passcode passphrase password pin token",
    "REPLACE": "replace replacement replacing new newer newest updated current latest mapping "
    "mapped map successor substitute supersede superseded equivalent counterpart instead valid "
    "correspond become became corresponding maps translate convert conversion migrate migrated "
    "renamed renumbered swap",
    "OLD": "old outdated stale obsolete former legacy previous dead expired retired deprecated",
    "RESPONSIBLE": "responsible responsibility charge owner own owns handle handles manage runs "
    "run running operate operates oversee oversees supervise accountable contact maintains "
    "maintain webmaster administrator admin caretaker duty inform notify lead leads keeper "
    "assigned tend",
    "APPROVE": "approve approval approver approves permission permit permitted authorise "
    "authorisation authority clearance consent greenlight okay allow allowed grant",
    "SLOW": "slow slowness performance latency lag laggy sluggish outage downtime speed crawl "
    "crash unresponsive load loading",
    "WEBSITE": "website site webpage homepage web page portal internet webmaster",
    "SERVER": "server host machine node",
    "DATABASE": "database db",
    "MAINTENANCE": "maintenance servicing",
    "MODE": "mode window",
    "ABSENT": "away absent absence leave holiday vacation sick pto unavailable",
    "DEPUTY": "deputy substitute cover covers covering standin proxy backup acting delegate "
    "replacement replace replaces replaced replacing instead alternate vice",
    "ATTENDANCE": "attendance timekeeping clocking punch lateness late tardiness punctuality "
    "punctual presence timesheet timesheets",
    "GUIDANCE": "rule policy guideline regulation restriction criteria norm requirement define "
    "definition limit limits allowance cap threshold standard maximum max manual handbook guide "
    "guidebook guidance instruction documentation playbook booklet brochure readme howto "
    "procedure wiki",
    "PURCHASE": "purchase procurement procure buy buying acquire acquisition requisition order "
    "ordering spend spending expense reimbursement",
    "REQUEST": "request application requisition wish claim",
    "INVOICE": "invoice bill billing",
    "TRANSACTION": "transaction payment transfer",
    "REVIEW": "review reviewing check checking audit auditing inspect inspection examine verify "
    "verification validate vetting screening reviewer",
    "AVAILABLE": "available availability free busy attend attending join joining calendar "
    "schedule diary spare occupied participate",
    "MEETING": "meeting meet session appointment sync conference standup discussion workshop",
    "EVENT": "event outing outings offsite trip excursion party celebration retreat gathering "
    "activity dinner picnic teambuilding",
    "DATE": "date dates day days when",
    "SALES": "sale sales selling revenue turnover",
    "TAX": "tax taxes vat duty levy taxation fiscal",
    "RATE": "rate rates percentage percent tariff fee fees",
    "CARRIER": "carrier courier shipper haulier freight shipping shipment forwarder logistics "
    "delivery deliver delivers delivering",
    "SPEED": "speed fast faster velocity quick pace",
    "SLA": "sla slas",
    "ADVERTISING": "ad ads advert adverts advertising advertisement advertise campaign "
    "promotion promotional",
    "CHANNEL": "channel channels placement billboard medium media outlet",
    "MAP": "map maps heatmap density heat",
    "DATA": "data dataset csv spreadsheet table list",
    "INTERN": "intern interns internship trainee newcomer newbie starter onboarding apprentice "
    "newhire beginner rookie joiner joiners",
    "FILE": "file document spreadsheet sheet pdf csv workbook doc template form",
    "LOCATION": "where location locate located path folder directory link url address stored "
    "store saved save kept keep place placed sit sits live lives lie drive whereabouts uploaded "
    "published posted found hosted filed",
    "WHO": "who whom whose person whoever",
    "PRICE": "price cost amount fee charge budget money eur euro dollar quote",
    "SUPPLIER": "supplier vendor provider contractor",
    "CUSTOMER": "customer client account",
    "PLAN": "plan planning strategy strategic",
    "SALARY": "salary pay wage payroll payslip",
    "ROOM": "room venue hall",
    "TRAINING": "training course seminar lesson",
    "ARTICLE": "article kb knowledgebase post page",
    "RESTAURANT": "restaurant lunch dinner eat canteen cafe",
    "CANDIDATE": "candidate applicant resume cv hiring recruit recruiting",
    "STOCK": "stock inventory warehouse",
    "ERROR": "error fault bug defect problem broken failure incident issue fails failing "
    "trouble malfunction hiccup",
    "COMPUTE": "compute computation calculate calculation determine derive evaluate evaluation",
    "PARAMETER": "parameter parameters setting settings constant constants factor factors",
    "OVERTIME": "overtime extra",
    "REMOTE": "remote remotely homeoffice telework",
    "EMPLOYEE": "employee staff colleague personnel coworker teammate",
    "BOSS": "boss manager supervisor head leader chief director",
    "INTERVIEW": "interview",
    "CONTRACT": "contract agreement agreed deal",
    "SECURITY": "security privacy protection gdpr confidential",
    "TRAVEL": "travel travelling flight hotel train",
    "DEADLINE": "deadline due",
}

PHRASES: dict[str, str] = {
    # several words that stand for one or two; the right side is read as words in their place
    "in charge": "responsible", "looks after": "responsible", "look after": "responsible",
    "looking after": "responsible", "takes care": "responsible", "take care": "responsible",
    "taking care": "responsible", "point of contact": "contact", "go to person": "contact",
    "deal with": "responsible", "deals with": "responsible", "dealing with": "responsible",
    "belong to": "owner", "belongs to": "owner", "on call": "responsible",
    "keeps running": "responsible", "right person": "contact", "turn to": "contact",
    "talk to": "contact", "talk with": "contact", "speak to": "contact", "speak with": "contact",
    "reach out to": "contact", "get in touch with": "contact", "who do i ask": "who contact",
    "who should i ask": "who contact", "whom do i ask": "who contact",
    "whom should i ask": "who contact", "who can i ask": "who contact",
    "whom can i ask": "who contact", "who to ask": "who contact", "whom to ask": "who contact",
    "for whom": "forwhom", "who do i call": "who contact", "who should i call": "who contact",
    "whom do i call": "who contact", "whom should i call": "who contact", "sign off": "approval",
    "signs off": "approval", "signed off": "approval", "signing off": "approval",
    "sign it off": "approval", "green light": "approval", "go ahead": "approval",
    "give the ok": "approval", "gives the ok": "approval", "has to ok": "who approval",
    "say yes to": "approval", "the nod": "approval", "maintenance window": "maintenance mode",
    "service mode": "maintenance mode", "service window": "maintenance mode",
    "maintenance state": "maintenance mode", "stands in": "deputy", "stand in": "deputy",
    "standing in": "deputy", "fills in": "deputy", "fill in for": "deputy",
    "filling in for": "deputy", "steps in": "deputy", "step in": "deputy", "stepping in": "deputy",
    "takes over": "deputy", "take over from": "deputy", "taking over": "deputy",
    "taken over": "deputy", "back up": "backup", "in place of": "replacement",
    "filling the shoes": "deputy", "second in command": "deputy", "represents": "deputy",
    "out of office": "away", "out of the office": "away", "on leave": "away", "on holiday": "away",
    "on vacation": "away", "not in": "away", "not around": "away", "is gone": "away",
    "is out": "away", "am out": "away", "be out": "away", "are out": "away", "is off": "away",
    "are off": "away", "be off": "away", "out today": "away", "off today": "away",
    "off sick": "away", "time off": "leave", "day off": "leave", "team building": "event",
    "get together": "event", "team day": "event", "away day": "event", "day out": "event",
    "web site": "website", "home page": "website", "web page": "website", "web presence": "website",
    "knowledge base": "kb", "service level": "sla", "service levels": "sla",
    "service level agreement": "sla", "service level agreements": "sla",
    "transit time": "carrier sla", "transit times": "carrier sla", "delivery times": "carrier sla",
    "delivery time": "carrier sla", "load time": "slow", "load times": "slow",
    "loading time": "slow", "hand book": "handbook", "new hire": "intern", "new hires": "intern",
    "new starter": "intern", "new starters": "intern", "new joiner": "intern",
    "new joiners": "intern", "new people": "intern", "first day": "intern", "heat map": "heatmap",
    "heat maps": "heatmap", "time keeping": "attendance", "working hours": "attendance",
    "working time": "attendance", "work hours": "attendance", "clock in": "attendance",
    "clocks in": "attendance", "clocking in": "attendance", "coming late": "lateness",
    "being late": "lateness", "left early": "lateness", "leave early": "lateness",
    "leaving early": "lateness", "leaves early": "lateness", "early departure": "lateness",
    "early departures": "lateness", "late arrival": "lateness", "late arrivals": "lateness",
    "running out": "", "ran out": "", "acting up": "problem", "up to date": "current",
    "read up on": "guidance", "read about": "guidance", "run out": "", "were can": "where",
    "were do": "where", "were is": "where", "were are": "where", "were should": "where",
    "comes late": "lateness", "get hold of": "find", "lay my hands on": "find",
    "get my hands on": "find", "make it": "available", "have time": "available",
    "has time": "available", "got time": "available", "be there": "available",
    "able to come": "available", "come along": "available", "up for": "available",
    "count you in": "available", "count on you": "available", "pencil you in": "available",
    "suit you": "available", "suits you": "available", "work for you": "available",
    "works for you": "available", "work best for you": "available", "fit you": "available",
    "any plans": "available", "booked up": "available", "be around": "available",
    "you around": "you available", "tied up": "available", "pay slip": "payslip",
    "home office": "homeoffice", "working from home": "homeoffice", "work from home": "homeoffice",
    "stands for": "equivalent", "changed to": "replaced", "turned into": "replaced",
    "moved to": "replaced", "called now": "new id", "now called": "new id",
    "known as now": "new id", "named now": "new id", "do you like": "opinion",
    "did you like": "opinion", "how do you like": "opinion", "do you think of": "opinion",
    "did you think of": "opinion", "your opinion": "opinion", "instead of": "replacement",
    "goes by": "replaced", "became of": "replaced", "is down": "slow", "went down": "slow",
    "written down": "located", "figure out": "", "find out": "", "work out": "", "due to": "",
    "in order to": "", "in order": "", "no longer": "", "so far": "", "of course": "",
    "by the way": "", "as well": "", "how many": "howmany", "how much": "howmany",
    "how often": "howmany", "how long": "howmany", "who knows": "", "who can tell": "",
    "who could tell": "", "who might know": "", "who would know": "", "right now": "now",
    "at the moment": "now", "these days": "now",
}  # fmt: skip

STOP_WORDS = frozenset(
    # grammar, courtesy and the verbs of asking: they say nothing about what is asked
    """
    a an the this that these those it its they them their there here he she him his her hers i me
    my mine we us our ours you your yours yourself myself one ones some any each every such same
    both either and or but nor so if then than as of at by for from in into on onto to with without
    within about over under up through between during per via re be am is are was were been being
    do does did done doing have has had having will would shall should can could may might must not
    no yes what which how s t ve ll d m let lets please kindly thank thanks cheers hi hello hey
    dear good morning afternoon evening just only also too very really actually maybe perhaps
    possibly quick quickly quite still already again ever else anyway well ok okay sure hm hmm um
    now today know knows knowing known tell told telling ask asked asking need needs needed want
    wanted wants like get gets got getting give gives given giving help helps helping look looking
    looked find finding see say said share show point pointing direct send sending sent wonder
    wondering happen wondered curious question questions answer idea clue possible able chance
    moment minute second sec favour favor bother mind sorry excuse regard regarding concern
    concerning concerned go goes going come comes try trying tried make makes take takes bring put
    supposed apparently basically urgent urgently asap soon currently exactly precisely remind
    anybody anyone somebody someone everybody everyone something anything nothing thing things talk
    speak reach turn write drop ping message hear heard learn understand explain mean means
    remember recall appreciate grateful love hope believe think guess suppose figure bit lot kind
    sort way stuff exist exists appropriate relevant correct proper right actual exact own yet
    while because since until though although after before down off out back later earlier came
    went bear written seem seems seemed appear appears consider considered considering assume
    assumed assuming observe include included including according accordingly depend depends
    provide confirm clarify advise suggest receive access read consult open view follow
    """.split()
)

LOW_WEIGHT_WORDS = frozenset(
    # ordinary office words: a little is lost when they are left unexplained
    """
    work works working worked job task tasks assignment team company office firm business
    department group division project today tomorrow yesterday week month year time date new
    current latest updated old file files document documents information detail details item items
    part section people person colleague colleagues employee employees staff member members manager
    boss internal official everything all whole full complete proper different next last first
    other another more most many much few several start started begin beginning end finish finished
    busy day days name names list place number numbers case matter note notes point points version
    copy set page pages mail chat call main general common usual normal important certain special
    specific particular various ready available online digital system tool tools morning afternoon
    evening report reports need thing article articles sheet request requests process procedure
    somewhere currently drive shared share apply applies applied applicable use uses used using
    """.split()
)

ANSWER_KIND_BY_WORD: dict[str, str] = {
    # what kind of answer a word wants
    "who": "who", "whom": "who", "whose": "who", "whoever": "who", "where": "where",
    "path": "where", "folder": "where", "directory": "where", "location": "where",
    "located": "where", "date": "when", "dates": "when", "days": "when",
    "why": "why", "howmany": "amount", "opinion": "opinion",
    "forwhom": "for whom",
}  # fmt: skip

DEPARTMENTS = frozenset(
    "engineering marketing sales finance hr product operations legal it support research".split()
)

EXCLUSIVE_TERMS: dict[str, str] = {
    # of one kind, and different ones cannot both be meant
    "weekday": "monday tuesday wednesday thursday friday saturday sunday",
    "daypart": "morning afternoon evening",
    "month": "january february march april june july august september october november december",
    "near": "today tomorrow yesterday",
    "quarter": "q1 q2 q3 q4",
}

_FAINT_WEIGHT = 0.3
_WORD_WEIGHT = {
    "howmany": 0.4,
    "inform": 0.4,
    "notify": 0.4,
    "contact": 0.4,
    "lead": 0.6,
    "handle": 0.6,
    "handles": 0.6,
    "manage": 0.6,
}
_CONCEPT_WEIGHT = {"LOCATION": 0.5, "WHO": 0.4, "GUIDANCE": 0.7, "FILE": 0.3,
                   "DATA": 0.5, "OLD": 0.3, "EMPLOYEE": 0.3, "PRICE": 0.8}  # fmt: skip

_SILENT_STEMS = frozenset(stem(word) for word in STOP_WORDS)
_FAINT_STEMS = frozenset(stem(word) for word in LOW_WEIGHT_WORDS)


def _concepts(stemmed: bool) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for concept, words in SYNONYM_GROUPS.items():
        for word in words.split():
            form = stem(word) if stemmed else word
            if concept not in found.get(form, ()):
                found[form] = (*found.get(form, ()), concept)
    return found


_BY_WORD, _BY_STEM = _concepts(stemmed=False), _concepts(stemmed=True)


def concepts_of(text: str, stemmed: str) -> tuple[str, ...]:
    """The groups in which a word stands as it is, else those in which its stem stands."""
    return _BY_WORD.get(text) or _BY_STEM.get(stemmed, ())


EXCLUSIVE_SORT_BY_WORD = {
    word: kind for kind, words in EXCLUSIVE_TERMS.items() for word in words.split()
}
PHRASES_BY_FIRST: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
for _phrase, _instead in sorted(PHRASES.items(), key=lambda item: (-len(item[0].split()), item[0])):
    _words = tuple(_phrase.split())
    PHRASES_BY_FIRST.setdefault(_words[0], []).append((_words, tuple(_instead.split())))


def word_weight(text: str, stemmed: str, concepts: tuple[str, ...]) -> float:
    """How much a word says about what is asked, from 0 (nothing) to 1."""
    if len(text) == 1 or (text in STOP_WORDS and not concepts):
        return 0.0
    if text in _WORD_WEIGHT:
        return _WORD_WEIGHT[text]
    if text in LOW_WEIGHT_WORDS or (stemmed in _FAINT_STEMS and text not in _BY_WORD):
        return _FAINT_WEIGHT
    if concepts:
        return max(_CONCEPT_WEIGHT.get(concept, 1.0) for concept in concepts)
    if text.endswith("ly") and len(text) > 5:
        return _FAINT_WEIGHT
    return 0.0 if stemmed in _SILENT_STEMS else 1.0
