"""Ordinary words: known to be spelt rightly, so that no typo repair turns them into others."""

from functools import cache

from trainee_bench.world.colleagues.understanding.normalise import stem
from trainee_bench.world.colleagues.understanding.vocabulary import (
    ANSWER_KIND_BY_WORD,
    EXCLUSIVE_SORT_BY_WORD,
    STOP_WORDS,
)

SMALL_TALK_WORDS = frozenset(
    """
    hi hello hey hiya howdy greetings weekend weather rain rainy sunny sun snow cold hot warm
    coffee tea lunch breakfast snack cake birthday congratulations congrats nice pleasure welcome
    thanks thank cheers bye goodbye farewell later ciao fun funny joke haha lol football match game
    games movie film series concert music band song book books hobby hobbies sport holiday vacation
    sports gym running cycling bike kids family dog cat pet garden traffic commute bus tired sleepy
    happy glad great awesome brilliant wonderful lovely cool perfect fantastic enjoy enjoyed
    enjoying feeling christmas easter summer winter holidays appreciated helpful kind ok okay sure
    noted cooking recipe wow yay mood smile
    """.split()
)

_ORDINARY = """
    able about above accept access account across act action active actual add adjust admit adopt
    adult advance advice affect afford afraid after again against age agency agent agree ahead aid
    aim air alert allow almost alone along already alter always among analyse analysis annual
    answer apart appeal appear apply appoint approach area argue arise arm around arrange arrive
    art aside ask asset assign assist assume attach attempt attention audience author auto average
    avoid aware back bad badge bag balance bank bar bare base basic basis batch be bean bear beat
    because become before begin behind belief below best better beyond bid big bike bill bird bit
    black blame blank block blog blood blue board boat body bonus book boot border boring both
    bottom box branch brand brave bread break brick brief bring broad brown browse budget build
    bulk bunch burn button cable cache call calm camera camp cancel candle car card care career
    careful carry carpet case cash cast catch category cause ceiling cell center central century
    certain chain chair chance change chapter charge charger chase chat cheap cheque chief child
    choice choose circle city civil claim class clean clear clerk click client climb clock close
    cloth cloud club coach coast coat cold collect colour column combine come comfort comment
    commit common communicate compare compete complain complete complex component compose computer
    concept condition conduct config connect consider consist contain content contest context
    continue contribute control cook cool cope copy core corner correct cost could count country
    couple course court cover crack craft create credit crew crisis cross crowd cry culture cup
    curious current curse curve custom cut cycle daily damage dance danger dark dashboard dead deal
    dear death debate debt decade decide deep deeply default defend define degree delay delete
    deliver demand demo depend deploy depth describe desert design desk detail detect develop
    device differ difficult dig digital direct dirty discount discover disk display distance
    district divide doctor dollar door double doubt draft draw dream dress drink drive driver drop
    dry due during dust each early earn earth ease easily east easy eat edge edit effect effort
    eight elect electric elevator else employ empty encourage end energy engage engine enough enter
    entire entry equal equipment escape essay estimate even evening ever every evidence exact
    example except exchange exist exit expand expect experience expert explore export express
    extend extent eye face fact fail fair fall false familiar family famous fan far farm fashion
    fast fault favour fax fear feature feed feedback feel fence few field fight fill film filter
    final finance fine finger fire firm first fish fit five fix flag flat flight float floor flow
    fly focus fold food foot force forget fork format forum forward four frame fresh fridge friend
    front fruit fuel full fun function fund furniture future gain game gap garage gas gate gather
    general gentle gift girl glad glass global goal gold good grade grass great green ground group
    grow growth guard guess guest habit hair half hall hand handle handy hang happy hard harm hat
    hate head headset health heart heat heating heavy height help hide high hill hint hire history
    hit hold hole home honest hook horse hospital hot hour house huge human hundred hungry hurry
    hurt idea ignore illness image impact import improve inch include income increase indeed index
    industry inform ink inner input insert inside install insurance intend interest invest invite
    involve iron island itself jacket join joint joke journal journey judge juice jump keen key
    keyboard kick kid kill kitchen knee knife knock label labour lack ladder lady lamp land
    language laptop large laser laugh launch law lay lazy leader leaf leak lean learn least leather
    leave left leg legal lend length less letter level library licence lid lie life lift light
    limit line lip listen little load loan local lock log logo long look loose lose loss loud love
    low loyal luck lunch machine magazine main major male mall manage mark market marriage master
    material maths meal mean measure meat medical memory mention menu merge merit message metal
    method metric middle might mile milk mind mine minor minute mirror miss mistake mix mobile
    model modern modest module monitor mood moon moral more most mother motion motor mount mouse
    mouth move movie museum music narrow nation native nature near neat neck need nerve network
    never nice night nine noise none noon north nose note notice notify novel now number nurse
    object observe obtain obvious occur odd offer often oil once onion online only option orange
    origin outline output outside oven over owe pace pack package packet paint pair paper parcel
    parent park parking part partner party pass passport past paste pattern pause peace pen pencil
    pension perform period person phase phone photo phrase piano pick piece pink pipe pitch plain
    plane plant plastic plate play player plenty plug pocket poem poet point pole polite poll pool
    poor popular port position positive post pot pound power practice praise prefer prepare present
    press pretty prevent pride prime print printer prior private prize product profile profit
    program progress promise promote proof proper propose protect proud prove public pull pump pure
    push quality quarter queen query queue quick quiet quit race radio rail rain raise range rank
    rapid rare rather raw reach react read ready real reason reboot receipt receive recent recipe
    recognise record recover red reduce refer reflect refuse regard region regret regular reject
    relate relax release relevant rely remain remark remember remote remove rent repair repeat
    reply report rescue research reserve reset resign resist resource respect respond rest restart
    result retire return reveal reward rich ride ring rise risk river road rock role roll roof root
    rope rough round route routine row rush sad safe safety sail salad salt sample sand scale scan
    scene school science scope score screen script sea search season seat second secret secure seed
    seek seem select self sell senior sense sentence separate serious serve service set settle
    setup seven several shade shadow shake shape share sharp shelf shell shift shine ship shirt
    shock shoe shoot shop short shot shoulder shout shut side sight sign signal silence silly
    silver similar simple since sing single sink size skill skin skip sky sleep slice slide slip
    small smart smell smile smoke smooth snow social soft software soil solid solve son song sorry
    soul sound soup source south space speak spell spend spirit split sponsor spot spread spring
    square stable stage stair stamp start state station status stay steady steal steel stem step
    stick still stone stop storage story straight strange stream street stress stretch strict
    strike string strong structure student studio study style subject submit succeed such sudden
    suffer sugar suggest suit sum summary summer sun supply support sure surface surprise survey
    sweet swim switch symbol tail talent talk tall tank tape target taste teach tear tell ten tend
    term test text theme theory thick thin third three throat ticket tidy tie tight tip tired title
    toast toilet tone tongue tool tooth top topic total touch tough tour toward tower town toy
    track trade train transport trap treat tree trial trick troop trouble truck true trust truth
    tube tune turn twice twin two type ugly umbrella unit unite until upgrade upload upper upset
    usage user usual value van vary vast version video view village visit visitor visa voice volume
    vote wait walk wall warm warn warranty wash waste watch water wave wear weather wedding week
    weigh welcome west wheel white whole wide wife wild win wind wine wing winter wire wise wish
    woman wonder wood word world worry worth would wrap wrong yard yellow young zero zone signed
    mode code node modal made mail tale pale rates rats races dates data gates latest later latter
    matter manner manger massage costs posts hosts server severe served carriers careers barriers
    policies police channels chapels panels ruler rules roles holes poles tales sales scales sold
    told folders holders handles
    absence absent accountable acquire acquisition acting activity ad address admin
    administrator ads advert advertise advertisement advertising adverts agreed agreement all
    allowance allowed alternate amount another applicable applicant application applied applies
    appointment apprentice approval approve approver approves article articles assigned
    assignment attend attendance attending audit auditing authorisation authorise authority
    availability available away backup became beginner beginning billboard billing booklet boss
    brochure broken bug business busy buy buying cafe calculate calculation calendar campaign
    candidate canteen cap caretaker carrier celebration channel chart check checking clearance
    clocking colleague colleagues company computation compute conference confidential consent
    constant constants contact contract contractor conversion convert correspond corresponding
    counterpart courier covering covers coworker crash crawl criteria csv customer cv database
    dataset date day days db deadline defect definition delegate delivering delivers delivery
    density department deprecated deputy derive details determine diagram diary different
    dinner director directory discussion division doc document documentation documents downtime
    duty employee employees equivalent error eur euro evaluate evaluation event everything
    examine excursion expense expired extra factor factors failing fails failure faster fee
    fees file filed files finish finished fiscal folder form former forwarder found free
    freight gathering gdpr grant graph greenlight guidance guide guidebook guideline handbook
    haulier heatmap hiccup hiring homeoffice homepage host hosted hotel howto id identification
    identifier ids important incident information inspect inspection instead instruction intern
    internal internet interns internship interview inventory invoice issue item items job
    joiner joiners joining kb keep keeper kept knowledgebase lag laggy last late latency
    lateness lead leads legacy lesson levy limits link list live lives loading locate located
    location logistics maintain maintains maintenance malfunction manager manual many map
    mapped mapping mappings maps max maximum media medium meet meeting member members migrate
    migrated money month much name names new newbie newcomer newer newest newhire next norm
    normal notes numbers obsolete occupied office official offsite old onboarding operate
    operates order ordering other outage outdated outing outings outlet oversee oversees
    overtime owner owns page pages parameter parameters participate particular passcode
    passphrase password path pay payment payroll payslip pdf people percent percentage
    performance permission permit permitted personnel picnic picture pin place placed placement
    plan planning playbook plot points policy portal posted presence previous price privacy
    problem procedure process procure procurement project promotion promotional protection
    provider proxy pto published punch punctual punctuality purchase quote rate readme recruit
    recruiting reference regulation reimbursement remotely renamed renumbered replace replaced
    replacement replaces replacing reports request requests requirement requisition
    responsibility responsible restaurant restriction resume retired retreat revenue review
    reviewer reviewing rookie room rule run runs salary sale save saved schedule screening
    screenshot section security selling seminar servicing session setting settings shared sheet
    shipment shipper shipping sick sit site sits sla slas slow slowness sluggish somewhere
    spare special specific speed spending spreadsheet staff stale standard standin standup
    started starter stock store stored strategic strategy substitute successor supersede
    superseded supervise supervisor supplier swap sync system table tardiness tariff task tasks
    tax taxation taxes team teambuilding teammate telework template threshold time timekeeping
    timesheet timesheets token tomorrow tools trainee training transaction transfer translate
    travel travelling trip turnover unavailable unresponsive updated uploaded url use used uses
    using valid validate various vat velocity vendor venue verification verify vetting vice
    visual visualization wage warehouse web webmaster webpage website when where whereabouts
    who whoever whom whose wiki window work workbook worked working works workshop year
    yesterday
"""

COMMON_WORDS = frozenset(_ORDINARY.split()) | SMALL_TALK_WORDS


@cache
def _common_stems() -> frozenset[str]:
    """Return the stems of `COMMON_WORDS`, made at the first call to keep imports fast."""
    return frozenset(stem(word) for word in COMMON_WORDS)


def is_everyday_word(text: str, stemmed: str) -> bool:
    """Return whether a word in lower case, with its stem, is an everyday or office word."""
    return (
        text in STOP_WORDS
        or text in ANSWER_KIND_BY_WORD
        or text in EXCLUSIVE_SORT_BY_WORD
        or text in COMMON_WORDS
        or stemmed in _common_stems()
    )
