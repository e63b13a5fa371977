"""Words of grammar and courtesy, and words that tell the wanted kind of answer.

The meanings of other words come from `word_vectors`.
"""

STOP_WORDS = frozenset(
    # grammar, courtesy and verbs of asking, which carry no content
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
    obliged oblige respect kindly wish ascertain state furnish evidently hereby herewith beforehand
    honestly silly promise promised lol btw fyi tbh omg ugh sorta kinda gonna wanna anybody folks
    guys lives laid supply communicate
    provide confirm clarify advise suggest receive access read consult open view follow
    """.split()
)

ANSWER_KIND_BY_WORD: dict[str, str] = {
    "who": "who", "whom": "who", "whose": "who", "whoever": "who", "where": "where",
    "path": "where", "folder": "where", "directory": "where",
    "date": "when", "dates": "when", "days": "when",
    "why": "why", "fastest": "most", "cheapest": "most", "slowest": "most", "largest": "most",
}  # fmt: skip

QUESTION_WORDS = frozenset("who whom whose whoever where why".split())

DEPARTMENTS = frozenset(
    "engineering marketing sales finance hr product operations legal it support research".split()
)

EXCLUSIVE_TERMS: dict[str, str] = {
    # different terms of one sort exclude each other
    "weekday": "monday tuesday wednesday thursday friday saturday sunday",
    "daypart": "morning afternoon evening",
    "month": "january february march april june july august september october november december",
    "near": "today tomorrow yesterday",
    "quarter": "q1 q2 q3 q4",
}
EXCLUSIVE_SORT_BY_WORD = {
    word: kind for kind, words in EXCLUSIVE_TERMS.items() for word in words.split()
}
