"""Words that show where names are, and words that look like names.

All words are keys (see `folding.py`): lower case, without diacritics.
"""

from __future__ import annotations

SALUTATIONS = frozenset(
    """hi hello dear hey hallo liebe lieber liebes geehrte geehrter moin servus bonjour salut
    cher chere hola estimado estimada querida querido ciao caro cara gentile beste hej kara
    kaere morning afternoon evening thanks thank danke merci gracias grazie cheers
    welcome""".split()
)
THANKS = frozenset("thanks danke merci gracias grazie cheers thank".split())
TITLES = frozenset(
    """mr mrs ms miss mx dr prof professor sir madam frau herr herrn hr fr mme mlle monsieur madame
    mademoiselle senor senora sr sra dott dottoressa sig signor signora ing dipl mag
    oa oberarzt oberarztin chefarzt chefarztin assistenzarzt schwester pflegerin patient
    patientin bewohner bewohnerin familie pfarrer notar notarin richterin staatsanwalt
    staatsanwaltin ra rechtsanwalt rechtsanwaltin anwalt anwaltin betreuer betreuerin zeuge
    zeugin klager klagerin beklagter beklagte sachverstandiger sachverstandigen kollege kollegin
    doktor direktor nurse sister consultant officer detective sergeant
    inspector solicitor counsel plaintiff defendant claimant witness mediator arbitrator reverend
    justice notary operateur operateurin assistenz anasthesie maitre docteur juge temoin""".split()
)
FEMALE_TITLES = frozenset(
    "mrs ms miss frau mme mlle madame mademoiselle senora sra signora".split()
)
MALE_TITLES = frozenset("mr sir herr herrn hr monsieur senor sr sig signor".split())
NAME_SUFFIXES = frozenset("jr sr phd md mba msc bsc ii iii iv esq".split())
SIGN_OFFS = (
    "best regards", "kind regards", "warm regards", "many thanks", "thank you", "thanks", "regards",
    "best wishes", "best", "cheers", "sincerely", "yours sincerely", "yours", "all the best", "br",
    "mit freundlichen grußen", "mit freundlichem gruß", "freundliche gruße", "viele gruße", "gruße",
    "beste gruße", "liebe gruße", "herzliche gruße", "schone gruße", "mfg", "vg", "lg", "gruß",
    "mit besten grußen", "cordialement", "bien cordialement", "salutations", "saludos", "amities",
    "un saludo", "atentamente", "cordiali saluti", "distinti saluti", "saluti",
    "met vriendelijke groet", "groeten", "med vanliga halsningar", "halsningar", "mvh",
    "с уважением", "此致", "敬上",
    "よろしくお願いいたします", "love", "take care", "talk soon", "yours faithfully", "with thanks",
)  # fmt: skip
LEGAL_FORMS = frozenset(
    """gmbh ag kg ohg ug se ev eg ltd limited inc incorporated llc llp plc corp corporation co sa
    sarl sas spa srl bv nv ab as aps oy oyj kgaa gbr sl pty pte kk ооо""".split()
)
SURE_FORMS = LEGAL_FORMS - frozenset("ag se eg ev co as ab sl kk sas ug spa sa kg".split())
"""Forms that are no words and no usual abbreviations; the others count only as written: AG, SA."""
EXACT_FORMS = frozenset(
    "AG SE eG eV Co AS AB SL KK SAS SpA SA KG UG AS A.S S.A S.p.A S.r.l B.V N.V".split()
)
GENERIC_COMPANY_WORDS = frozenset(
    """consulting services service group gruppe holding holdings logistics logistik software
    solutions systems tools trading international partners partner associates bank insurance
    versicherung versicherungen bau technik technologies technology handel industries global
    europe deutschland germany media design engineering energy energie management marketing
    studio studios labs lab company brothers bros sons und and et y e the of for fur networks
    network digital data capital ventures transport foods food pharma medical health legal
    retail supplies supply stores verlag werke werk maschinenbau elektronik electronics
    automotive immobilien travel motors hotel hotels rechtsanwalte steuerberatung beratung
    gesellschaft spedition druckerei backerei metal metall chemicals chemie textiles textil
    print packaging freight shipping office""".split()
)
NON_NAMES = frozenset(
    """all team teams colleague colleagues everyone everybody folks sir madam customer customers
    support hr it sales finance office department reception admin you there both friends damen
    herren alle zusammen kollegen kollegin kollege tous toutes todos tutti client clients
    guest applicant ladies gentlemen hiring manager management board sender noreply no reply
    again for so the and or of to in on at by with from re fw fwd aw wg i we he she it they
    this that these our your my his her their not yes please note attention subject date sent
    cc bcc attached monday user users member members partner reader owner unknown none na tbd
    open closed total sum new old a an is are was if when how what why who where which dear
    hello hi hey thanks und oder der die das den dem ein eine einer ich wir sie ihr ist sind
    mit von zu im am fur bitte vielen dank le la les un une des et est nous vous il elle el
    los las ser para accounting purchasing legal marketing operations engineering research
    grusse grussen kolleginnen anwesend entschuldigt anlage betreff protokoll teilnehmer
    production logistics payroll facilities security procurement compliance training""".split()
)
PARTICLES = frozenset(
    """van von der den de del della di da dos du la le ter ten zu zum zur af av bin ibn al el
    y e do das vom""".split()
)
CALENDAR_WORDS = frozenset(
    """january february march april may june july august september october november december jan
    feb mar apr jun jul aug sep sept oct nov dec januar februar marz mai juni juli oktober
    dezember janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    montag dienstag mittwoch donnerstag freitag samstag sonntag enero febrero marzo abril mayo
    junio julio agosto easter christmas spring summer autumn winter today tomorrow""".split()
)
TIME_PREPOSITIONS = frozenset(
    """in on by until till since of next last early late end mid from to through before after during
    every this im am ab bis seit ende anfang mitte und and between""".split()
)
ARTICLES = frozenset(
    """the a an der die das den dem des ein eine einen einem einer eines le la les un une el los las
    il lo my your our his her their this that each every no any""".split()
)
PLACES = """paris london florence sydney austin victoria georgia charlotte jordan chelsea brooklyn
    madison lincoln jackson washington kent york lancaster essen halle siegen hagen trier
    worms bonn ulm berlin hamburg munich munchen koln cologne frankfurt stuttgart dresden
    leipzig hannover nurnberg bremen basel zurich geneva wien vienna milan milano roma rome
    venice siena lyon nice marseille toulouse valencia cordoba santiago madrid barcelona
    houston dallas denver phoenix orlando chicago boston seattle atlanta memphis carolina
    dakota virginia montana nevada chester preston durham stirling perth adelaide melbourne
    brisbane darwin alexandria asia africa europe america china india israel kenya chad cuba
    ireland scotland england wales holland savannah manchester birmingham leeds bristol
    glasgow edinburgh cardiff oxford cambridge dublin cork oslo bergen stockholm helsinki
    turku tampere delhi mumbai chennai lagos nairobi cairo dubai shanghai beijing tokyo osaka
    kyoto seoul""".split()
AMBIGUOUS_NAMES = frozenset(
    """abbey able ace add alpha alto amber an angel april arch aria art ash august author autumn
    baby back baker ball banks bar barber bare barn baron bass bath bean beat bell belle berg
    berry best beta bill bird bishop bit black block blue bond book booker booth bowl boy
    brain branch brand brick bridge bright broad brook brooks brown buck bud burns bush
    business butcher butler camp can canal candy cannon cap captain car card care carpenter
    carry carter case cash castle chance chandler charity chase chip christian church city
    clay clear close coach coffey cold cole comfort comment commerce company constant convey
    cook cookie cooper cord cotton council cousin crane cross crystal dale dash date dawn day
    days dean deep delta den destiny diamond dick doc dock doctor doll don dot dove draw drew
    drum duke each earl early earnest earth east echo edge edit elder else emerald english era
    ever fair faith fall fancy fate fee field fields finch fisher fit fleet fleming floor
    flower flowers font foot ford foreman forest forget forum foster fox frank free freely
    fresh friend frost fry gamble gardener garland gates gauge gay gene general gift glass
    glen gold golden good gore governor grace grand grant graves gray great green grey gross
    guard guy hall ham hand handler harm harmony harp hart haven hay haze head heart heath
    heather heaven held hell herring high hill hills hold holder hollow holly home hook hope
    horn house hunt hunter hurt ice ink iris ivy jack jade jasmine jay jet jewel job journey
    joy judge june junior justice kay keen key kick kid kind king knight lady lake lamb lance
    land lane law lawyer leader lean lee less liberty light lily line link lion list little
    loan lock long lord lot love low loyal made mad major male man map march marine mark
    market marks marsh mason master mate math max may mayor mercy merchant merit mile miles
    mill miller min minor mist mobile moon more moss mountain must my near new nice noble
    north nova odd oil olive orange otter pace page pages paige parent park parks parson part
    parts pat patience peace pear pearl pen penny pepper per perry pike pitts place plant
    pleasant poet pole pool poor pope porter post potter power powers praise press price pride
    priest prima prime prince print prosper proud put quick rain ram rand randy raw ray read
    reader real reason red reed rice rich rider ring rise river rivers road rob robin rock rod
    roll roman roof room roots rose round royal ruby rule rush rust sad sage said sail saint
    sales sand savage savings school sea self series server seven sever shade sharp shell
    shepherd sherry ship short shy silver sing singer single singleton sister skip sky skye
    sleep small smart smith snow so solar sole son soon spark sparks spear speed spence spring
    stack staff star stark steel stern stock stone storm story strange street strong stuck sue
    suit summer summers sun swan sweet swift tab table tack tank tea temple tend term terry
    tiger till time tin tiny tone too town trace travers trinity trip true truly trust tucker
    turn turner unique unity unknown urban us vain vale valid van ver victor victory violet
    wade wait walk walker wall walls wang war ward ware warner warren warrior wars water
    waters watts way weaver web webb week weeks well wells west wheel wheeler white wild will
    wing winner winter wise wish wit wolf wood woods word work world worth wright yard yes
    young zone bach bauer bayer becker beck berger binder bock brandt braun brunner busch
    ebert ernst fink fischer franke fuchs fuhrmann funk furst graf gross groß gunther haas
    hahn hammer hase haupt heinz herbst herrmann hess heinrich hofer hoffmann holz huber jager
    jung junge kaiser kaufmann keil keller kern klein kluge koch kohl konig korn kraft kramer
    krause kraus kreis krug kuhn kunst kurz lang lange lehmann licht maier maurer meister
    metzger mohr muller neu neumann nagel pfeiffer pohl post rath reich reichert reiter
    richter ritter roth sauer schafer schatz scherer schlegel schmied schmidt schneider scholz
    schreiber schreiner schulz schulze schuster schutz schwarz sommer sonne stahl stein stern
    stolz strauß strauss stumpf sturm tag tanner thiel thomas vogel vogt voigt wagner walter
    weber wegner weiss weiß wend werner wiese winkler winter wirt wolff wolle zahn zimmer
    zimmermann petit grand blanc noir roy leroy roux moulin fontaine garnier marchand mercier
    fournier boulanger berger chevalier conte costa guerra leone villa""".split()
) - frozenset(
    """muller schmidt schulz schulze wagner weber hoffmann thomas neumann walter werner heinrich
    heinz herrmann kramer krause kraus lehmann maier pohl scholz thiel vogt voigt wegner becker
    krug gunther ebert ernst franke hess huber brandt bayer""".split()
)
"""Names that are also words of English, German or French."""
ROLE_ADDRESSES = frozenset(
    """info sales support hr noreply no reply office admin accounting billing contact hello help
    helpdesk it jobs careers invoices invoice orders order service team mail post press postmaster
    webmaster finance legal marketing newsletter notifications notification buchhaltung kontakt
    rechnung einkauf vertrieb personal bewerbung reception travel events security abuse root
    everyone all staff do not donotreply calendar meeting room rooms""".split()
)
PUBLIC_DOMAINS = frozenset(
    """gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com gmx.de gmx.net web.de
    icloud.com proton.me protonmail.com t-online.de aol.com example.com example.org example.net
    example.edu localhost""".split()
)
ENGLISH_WORDS = frozenset(
    "the and of to is was with for that this you will has be not are at".split()
)
FOREIGN_WORDS = frozenset(
    """der die das und ist nicht mit den dem ein eine zu auf wir sie ich bitte le la les et est une
    el los las y en es il che di un het een van och att""".split()
)
"""Small words that tell whether a text is English."""
PEOPLE_VERBS = frozenset(
    """says said writes wrote asks asked tells told calls called thinks thought wants wanted agrees
    agreed signs signed meets met pays paid owns owned lives lived knows knew works worked admits
    admitted resigns resigned suggests suggested replies replied claims claimed confirms confirmed
    declares declared objects objected complains complained retires retired drove enquires sues
    takes took wins won insists insisted hopes hoped prefers preferred joins joined visits visited
    sagt sagte fragt fragte berichtet berichtete meint meinte schreibt schrieb bittet bat ruft rief
    schlägt erklärt erklärte übernimmt informiert bestätigt bestätigte unterschreibt wohnt arbeitet
    klagt möchte weiß vertritt behauptet behauptete""".split()
)
"""Verbs for things that people do."""
NOUN_ENDINGS = (
    "ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "tion", "tions", "tionen", "tat",
    "ismus", "nis", "tum", "ment", "ments", "ness", "ship", "ance", "ence", "ity", "ities", "ing",
    "ings", "ology", "graphy", "ous", "ive", "able", "ible", "ical", "ally", "ieren", "liche",
    "licher", "lichen", "liches", "ische", "ischer", "ischen", "isches", "bar", "los", "ik",
)  # fmt: skip
FAMILY_ENDINGS = (
    "enko", "chuk", "czyk", "wicz", "owski", "ewski", "inski", "owska", "ewska", "inska", "ovic",
    "evic", "kovic", "sson", "dottir", "escu", "poulos", "oglu", "shvili", "mayr", "maier", "meier",
    "huber", "bichler", "pointner", "lehner", "quist", "gaard", "raman", "thwaite", "borough",
)  # fmt: skip
"""Endings of last names that hardly any word has, as keys."""
ROLES = frozenset(
    """pat fam richter pfleger judge master constable captain father rain klient
    mandant""".split()
)
"""Words before names of people that are names themselves, too: Judge Richter, Gerhard Richter."""
