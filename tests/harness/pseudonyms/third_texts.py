"""Texts of a clinic and of a law office, and the people and companies in them."""

# ruff: noqa: E501

PEOPLE = tuple(
    name.strip()
    for name in """
Hedwig Brandl, Korbinian Zöllner, Edda Wachsmuth, Lorenz Pfisterer, Ottilie Kammerlander, Ruprecht Sailer,
Walburga Hinterseer, Ferdinand Aumüller, Mechthild Grasegger, Xaver Dirnberger, Roswitha Tannhauser, Egon Lutz,
Cosima Reindl, Alois Steinbichler, Irmgard Öttl, Vinzenz Haslacher, Gundula Rauch, Benedikt Moosrainer,
Leopoldine Schachner, Quirin Bauer, Adelheid Vogt, Sepp Unterholzner, Elfriede Niedermayr, Gregor Huber,
Wiltrud Kreuzpaintner, Anton Fink, Jolanda Wüst, Kilian Obermaier, Philomena Strasser, Rainer Kalt,
Theres Engel, Ulf Kohlhaas, Burkhard Sommer, Zenzi Riedlinger, Emmeram Loibl, Notburga Zirngibl,
Ignaz Wimmer, Kreszenz Achatz, Valentin Roth, Pia Sonnleitner, Arnulf Geiger, Dorothea Mayrhofer,
Hubertus von Stetten, Marie-Luise Eder, Silvester Gruber, Agathe Feichtmeier, Rudi Klein, Veronika Spitzweg,
Wendelin Hartl, Afra Niggl, Bruno Scharf, Christl Lechner, Dietmar Wolf, Eusebia Plank,
Fridolin Krautwurst, Genoveva Baumgartl, Hartwig Specht, Isolde Trautmann, Joachim Weiß, Kunigunde Lang,
Ayşe Karadağ, Mehmet Yıldırım, Lan Nguyen, Duc Tran, Fatoumata Diallo, Ibrahim Al-Sayed,
Olena Shevchuk, Dmytro Kovalenko, Zsófia Kelemen, Béla Szabó, Katarzyna Wiśniewska, Paweł Zieliński,
Marek Růžička, Jitka Nováková, Lucía Benavides, Tomás Iturralde, Giulio Santoro, Ilaria Ferrante,
Henrike ten Brinke, Joost van der Meulen, Sanne de Wit, Aoife O'Driscoll, Cormac McKenna, Niamh Ó Súilleabháin,
Solveig Aasgaard, Torvald Nyquist, Eeva Lehtonen, Mikko Salonen, Ragnheiður Jónsdóttir, Bjarni Sigurðsson,
Priyanka Venkataraman, Suresh Chatterjee, Yuki Hasegawa, Kenji Morimoto, Wei Zhang, Mei-Ling Chou,
Jae-won Park, Hye-jin Seo, Oluwatobi Akinola, Chidinma Nwosu, Thandiwe Mokoena, Sipho Dlamini,
Grace Young, Will Baker, Bill Page, Mark Court, Sue Lawson, Frank Rich,
Rupert Featherstonehaugh, Imogen Bracegirdle, Alastair Pemberton, Clementine Ashworth, Barnaby Thistlewood, Philippa Lockhart,
Gideon Marchbanks, Henrietta Sowerby, Jocelyn Wainwright, Tarquin Oakeshott, Beatrix Hollingsworth, Crispin Yardley,
Deirdre Maguire, Ewan Carmichael, Fenella Strachan, Gareth Llewellyn, Hattie Birtwistle, Ivor Prothero,
Jemima Cholmondeley, Kit Harker, Lavinia Quill, Mungo Abernethy, Nerys Bevan, Orlando Tremayne,
Petra Vukić, Quentin Delacroix, Rosalind Entwistle, Sebastian Fairweather, Tabitha Gosling, Ursula Nettleship,
Vaughan Pritchard, Winifred Ormerod, Yolanda Castellanos, Zachary Blumenthal, Abigail Rosenfeld, Bartholomew Crane,
Cecily Drummond, Desmond Okonkwo, Esther Goldstein, Florian Vasilescu, Gwendolen Price, Hamish Buchanan,
Iris Dunmore, Jasper Colquhoun, Keziah Barraclough, Leander Stavrou, Maud Fitzherbert, Nathaniel Osgood,
Octavia Blakeney, Percival Rudge, Rowena Satterthwaite, Silas Merriweather, Theodora Papadakis, Uriah Thackeray,
Verity Longbottom, Wilfred Catchpole, Xanthe Peverell, Yannick Lebrun, Zelda Hargreaves, Ambrose Tuckwell,
Bronwen Cadwallader, Caspar Lindqvist, Delphine Arnaud, Edmund Shrapnel, Flora Macpherson, Godfrey Winterbourne,
Hermione Applegarth, Isidore Mandelbaum, Julius Okafor, Kirsty Farquharson, Lionel Beauchamp, Maeve Donnellan,
Neville Sidebottom, Olympia Rossetti, Phineas Gathercole, Queenie Rathbone, Roderick Vane, Saskia Holtzman,
Tobias Whitlock, Una Heaney, Vikram Malhotra, Wanda Kaczmarek, Xavier Dubois, Yasmin Rahimi,
Zoltán Fekete, Agnes Corrigan, Basil Tregenza, Constance Mulgrew, Dominic Squires, Elspeth Rennie,
Fergus Haldane, Georgina Poulter, Horatio Brock, Ingrid Vestergaard, Jonty Swales, Katya Orlova,
Lucian Teague, Marguerite Fontenay, Nigel Havers, Ottoline Sperling, Piers Gascoigne, Ravi Subbiah
""".replace("\n", " ").split(",")
)

COMPANIES = """Seeblick Reha GmbH|Medivaro Diagnostik AG|Labor Hochwald MVZ|Pharmento GmbH|Orthesia KG|
Brightwater Holdings plc|Calloway Shipping Ltd|Northgate Timber Ltd|Pellworth Insurance plc|Quaymark Estates LLP|
Stonebridge Foods Ltd|Varley Construction Ltd|Wexcombe Dairies Ltd|Zephyrine Airways plc|Harrowdown Mills Ltd|
Iveragh Marine plc|Tolpuddle Brewing Ltd|Kestrelgate Capital LLP|Lindenfels Transport GmbH|Penhallow Mining plc|Ravensbourne Media Ltd|
Ostrava Glass Ltd|Dunwich Chemicals plc|Gorlitzer Werke AG|Fennimore Textiles Ltd|Hexham Motors Ltd|Saltmarsh Energy plc""".replace(
    "\n", ""
).split("|")

CLINIC = (
    """Übergabe Station 3
Liebe Kolleginnen und Kollegen,
die Nacht war ruhig. Pat. {b.c}, geb. 12.03.1951, Zimmer 12: Fieber bis 38,9, Blutkultur abgenommen, Befund steht aus.
Herr {c.l} (Bett am Fenster) klagt über Schmerzen im Knie. OA Dr. {d.l} hat Novalgin angeordnet.
Schwester {e.f} übernimmt die Medikamente. Verdacht auf Morbus Crohn bei Frau {b.l} wurde nicht bestätigt.
Gruß
{a.f}
""",
    """Arztbrief zu Frau {b}
Sehr geehrte Frau Kollegin Dr. {c.l},
wir berichten über Ihre Patientin {b}, die sich vom 2. bis 9. Februar in unserer stationären Behandlung befand.
Diagnose: Pneumonie rechts, Zustand nach Apoplex. Labor: CRP 112, Leukozyten 14,2. Das Röntgen vom Montag zeigt ein Infiltrat.
Therapie: Amoxicillin für sieben Tage. Frau {b.l} wurde in gutem Zustand in die {S} verlegt. {b.g} Tochter ist informiert.
Mit freundlichen kollegialen Grüßen
Prof. Dr. med. {a}
Chefarzt der Inneren Medizin
""",
    """OP-Plan Donnerstag
Saal 1: 07:45 {b.u}, Hüfte links, Operateur {c.l}, Assistenz {d.l}
Saal 1: 10:15 {e.u}, Schulter, Operateur {c.l}
Saal 2: 08:00 {f.u}, Leistenbruch, Operateur {g.l}, Anästhesie Dr. {h.i}
Bitte die Aufklärung von {f.l} noch heute unterschreiben lassen. Das Implantat kommt von {S.s} und ist bestellt.
{a}
""",
    """Dienstplan April
Hallo zusammen,
{b.f} und {c.f} tauschen den Dienst am Ostersonntag. {d.f} hat Urlaub vom 7. bis zum 17. April, Vertretung macht {e}.
Wer kann am Karfreitag für {f.l} einspringen? Bitte bis Mittwoch Rückmeldung an mich oder an Sr. {g.f}.
Die Fortbildung über Alzheimer und Parkinson findet im Hörsaal statt.
Liebe Grüße, {a.f}
""",
    """Re: Laborwerte {b.c}
Hallo Herr {c.l},
die Probe war hämolytisch. {S} hat angerufen; Kalium bitte wiederholen. Gilt auch für {d.l}, Zimmer 4, und {e.l}, Zimmer 9.
Frau Dr. {f.l} ist ab Mittag im Haus und unter ihrem Funk zu erreichen.
i. A. {a}
Medizinische Dokumentation
""",
    """Beschwerde der Angehörigen
Sehr geehrter Herr Direktor {b.l},
mein Vater {c} lag drei Wochen auf Ihrer Intensivstation. Pfleger {d.f} war immer freundlich. Der Oberarzt, ein Herr Doktor {e.l},
hat uns aber zweimal warten lassen. Meine Mutter, Frau {f}, ist seitdem sehr enttäuscht. Wir erwarten eine Antwort bis Ende März.
Hochachtungsvoll
{a}
""",
    """Ethikkomitee, Protokoll
Anwesend: {a}, {b}, {c}, Dr. {d.l}, Pfarrer {e.l}
Entschuldigt: {f}
TOP 1: Patientenverfügung. {b.l} stellt den Fall vor. {c.l} fragt nach dem Willen der Patientin. {e.l} berichtet vom Gespräch.
TOP 2: Verschiedenes. Die Cafeteria schließt im Sommer. Nächstes Treffen im Mai.
""",
    """Überweisung
Guten Morgen,
bitte um Termin zur Doppler-Sonographie für {b} (Privat) und für {c.c} (Kasse). Zuweiser ist die Praxis {d.l} in der Seestraße.
Kostenzusage von der Kasse liegt vor. Rezept über Orthese geht an {S}.
Ambulanz, {a}
""",
    """Spätdienst
{b.f}, kannst du bitte {c.l} noch den Verband wechseln? {d.l} hat Besuch bis acht. Die Tochter von {e.l} ruft um sieben an.
Und sag {f.f}, dass das Essen für Diabetiker falsch geliefert wurde.
Danke! {a.f}
""",
    """Fortbildung Reanimation
Liebes Team,
am Freitag schult uns {b} von {S} im Umgang mit dem neuen Monitor. Teilnehmer: {c.i}, {d.i}, {e.i}, {f.i}, {g.i}.
Der Heimlich-Handgriff und der Apgar-Index werden wiederholt. Bitte bequeme Kleidung tragen.
Eure {a.f} {a.l}
""",
    """Angehörige anrufen
Heute bitte noch anrufen:
- Fam. {b.l}, Entlassung morgen
- {c.f} {c.l} (Ehemann), wegen Reha in {S.s}
- Frau {d.l} sen., Tochter von Zimmer 7
- Betreuerin {e}, Beschluss vom Gericht fehlt
Erledigt: {f.l}, {g.l}.
{a.f}, Sozialdienst
""",
    """Visite
{b.l}: stabil, Drainage raus. {c.l}: weiter Heparin. {d.l}: heim! {e.l}: CT Montag. {f.l}, {g.l} und {h.l}: Labor.
{b.l} und {c.l} wollen die Zimmer tauschen. Von mir aus gern.
Dr. {a.i}
""",
    """Handover ICU
Bed 1 {b.u} stable. Bed 2 {c.u} weaned from the Ventilator. Bed 3 {d.u} to Theatre at Ten.
Staff Nurse {e.f} covers for Sister {f.l}. Consultant on call: Dr {g.l}, bleep 442. {c.p} wife visits at Six.
Next of kin for Mr {b.l} is his partner {h.f}.
{a}
""",
    """Lieferung Hilfsmittel
Sehr geehrte Damen und Herren,
der Rollator für {b} wurde an die falsche Adresse geliefert. Herr {c.l} von {S} wollte sich melden. Bitte um Rückruf bei {d.f} {d.l}.
Die Rechnung geht an die Tochter {e.c}.
Mit freundlichem Gruß
{a.l}
""",
)

LAW = (
    """{b.l} v {X}: Bundle
Dear {c.f},
Please find the Bundle for the Hearing on Tuesday. Mr Justice {d.l} has asked for Skeleton Arguments by noon.
Our client, Ms {b.l}, will attend with her sister {e}. Exhibit A is the Charter Party; Exhibit B the Bill of Lading.
Counsel for {X.s} is {f} KC. I expect {f.p} junior to raise the Limitation point.
Kind regards,
{a}
Associate
""",
    """Last Will and Testament of {b}
Dear Mrs {b.l},
I enclose the Draft Will for your approval. You leave the House to {c}, the Shares in {X} to {d}, and the Residue in equal parts
to {e.f}, {f.f} and {g.f}. Your Executors are {c.l} and myself. The Grant of Probate usually takes four months.
Please do not sign before two Witnesses are in the Room.
Yours sincerely,
{a}
""",
    """Completion on Friday
Hi {b.f}
Just spoke to {c} at {X}. They will exchange if the Seller, one {d}, answers the Enquiries today. {d.l} is away, so
{e.f} signs under the Power of Attorney. The Deposit sits with {Y.s}. Stamp Duty is due within two weeks.
Best
{a.f}
""",
    """FW: Witness statement
{b.f},
see below. {c.l} says she never saw {d.l} near the Warehouse; {e.l} says she did. One of them lies. Could you call {c.f} before Court?

-----Original Message-----
From: {e}
To: {a}
Subject: Witness statement

Dear {a.f}, I stood next to {d.f} when the Alarm rang. {f} from {X} can confirm it. {e.f}
""",
    """Costs
Dear Sirs,
IN THE MATTER OF {b.u} AND {c.u}
We act for Dr {b.l}. The Bill of Costs was served on Monday. Please note that Master {d.l} reduced it by a Third.
The Receiver, {e} of {X}, objects. We shall write to {e.l} without Prejudice.
Yours faithfully
pp {a}
""",
    """Interview notes
Present: {a.i}, {b.i}, {c.i} (client), {d.i} (interpreter)
{c.l} worked for {X} from May to August. Her Manager was {e}, his Deputy {f}. In June {e.l} told her to sign a blank Form.
She told {f.l}, then the Union, then {g}. Nobody answered. Sick since September. Dr {h.l} wrote the Certificate.
Next step: Letter before Action; Tribunal deadline in April.
""",
    """Conflict check
All,
please run a Conflict Check on the following: {b}; {c}; {d} (Director of {X}); {e}; {f}; {X}; {Y}; {Z}.
{g.f} already knows about {b.l}. Reply to {a.f} by Close of Business.
""",
    """Mediation
Dear Mr {b.l} and Ms {c.l},
The Mediator, {d}, suggests Thursday. {e} and {f} represent {X}; I shall bring {g}. The Venue is the Dispute Centre at Temple.
May I ask {b.p} Office to book Lunch? Mark the Papers "Strictly Confidential". Will you need a Grant from the Fund?
Regards
{a}, Partner
""",
    """Billing
{b.f} - time for February: {c.i} 12.5h, {d.i} 3.0h, {e.i} 7.25h, {f.i} 1.0h. Write off {d.p} hours on {X.s}. Page limit for the Narrative is One.
{a.f}
""",
    """Scheidungssache {b.l} ./. {c.l}
Sehr geehrte Frau Rechtsanwältin {d.l},
in der Familiensache {b.l} gegen {c.l} zeige ich an, dass ich Herrn {c} vertrete. Der Antrag der Gegenseite wird bestritten.
Das Gutachten des Sachverständigen {e} liegt bei. Zeugin: Frau {f}, zu laden über das Amtsgericht.
Richterin am Amtsgericht {g.l} hat Termin bestimmt auf den 4. Mai.
Mit kollegialen Grüßen
{a}
Rechtsanwalt
""",
    """Vollmacht
Sehr geehrter Herr {b.l},
für die Klage gegen {X} brauchen wir Ihre Vollmacht und den Vertrag von {c}. Frau {d.l} aus unserem Sekretariat hilft gern.
Die Frist läuft am Freitag ab. {e.f} bringt die Akte zum Landgericht. Rückfragen bitte an RA {f.l} oder RAin {g.l}.
Freundliche Grüße
{a.i}
""",
    """Signing tonight
Team: signatories are
1. {b} ({X})
2. {c} ({Y})
3. {d} (Guarantor)
4. {e} (Trustee)
{f.f} holds the Pen. {g.f} runs the Closing Agenda. Escrow is with {h}. Do NOT release before {b.l} and {c.l} both confirm. Pizza at Nine.
{a.f}
""",
    """Arrest in Dover
{b.l} was arrested last night with {c}. Duty Solicitor is {d}. Officer {e.l} took the Interview; Detective Sergeant {f.l} is in Charge.
{b.f} has no Record. {c.f} has a Caution. Family contact: {g} (mother). The Police want Bail Conditions. Young Offenders Rules apply.
Call me. {a.f} {a.l}
""",
    """Board minutes of {X}
Directors: {a} (Chair), {b}, {c}, {d}. In attendance: {e}, Secretary. Apologies: {f}.
It was resolved that {b.l} and {c.l} be re-elected, that {g} be appointed Auditor, and that the Shares of {Y} be sold.
{d.l} declared an Interest. There being no further Business, the Meeting closed at Five.
""",
    """Re: Deposition
{b.f}, {c.f}, {d.f} -
transcript attached. Q is {b.l}, A is {e.l}. At Page 14 {e.l} admits that {f} drove. {g.p} name was struck. Please redact {h} throughout.
Also: {X.s} wants to settle. Frank Discussion on Monday? Rich Tea is in the Kitchen.
{a.f}
""",
    """Lunch with {X.s}
{b.f} and {c.f}, lunch is with {d} and {e} of {X}. {d.l} is vegan. {e.l} hates Jazz. {f.f} joins for Coffee.
Bring Business Cards. {a.f}
""",
    """Chronology
3 March: {b.l} meets {c.l}. 9 March: {c.l} writes to {d.l}. 14 March: {d.l} pays {e.l}. 2 April: {e.l} resigns; {f.l} takes over.
5 May: {X} sues. {b.g} Konto war leer. The Judge was {g}.
Drafted by {a.i}, checked by {h.i}.
""",
    """Out of office
I am on Leave until Monday. Urgent Matters: {b} (Property), {c} (Family), {d} (Tax). My Secretary {e.f} has the Diary.
{a}
""",
    """Re: Re: Draft SPA
Thanks {b.f}. {c.f} has turned the Draft. Buyer is {X}, Seller {Y}. Schedule 2 lists the Warrantors: {d}, {e}, {f} and {g}.
{d.p} Spouse must sign too. Cap is Ten per Cent.
On Tuesday {b.i} wrote:
> Who signs for {Y.s}? Is it {h.l}?
{a.f}
""",
    """Nachlass {b.l}
Erben nach {b}: die Kinder {c.f}, {d.f} und {e.f} {b.l} sowie die Witwe {f}. Testamentsvollstrecker ist Notar {g.l}.
{c.f} schlägt die Erbschaft aus. Das Grundbuch in Hallein ist berichtigt. Frist für den Pflichtteil im Juni.
{a}
""",
    """New joiners
Welcome to {b} (Trainee, Corporate), {c} (Paralegal, Litigation), {d} (Reception) and {e} (Post Room). {b.f} sits with {f.f}.
{g} retires in May after Forty Years; Speeches in the Library. Cake by {h.f}!
{a.f}
""",
)

# Written together with the texts above, but first read by the rules after they were mended.
LATER_PEOPLE = tuple(
    name.strip()
    for name in """
Walpurga Zehentner, Severin Brunnhuber, Gertraud Pointner, Lutz Ehrenfried, Balthasar Kuchler, Annegret Wolpert,
Cornelius Haidacher, Tilda Rossmanith, Eginhard Stoib, Sabrina Leitgeb, Volkmar Dietl, Hannes Prantl,
Ljubica Stanković, Goran Matić, Nilüfer Aksoy, Emre Demirtaş, Amara Kanu, Bassam Haddad,
Magnhild Tveit, Juhani Rautio, Ciarán Heffernan, Blathnaid Tierney, Anjali Deshpande, Harsh Khurana,
Rosamund Tapsell, Cuthbert Wragg, Drusilla Penrose, Ebenezer Stallard, Felicity Ainscough, Gwilym Rosser,
Hesketh Barlow, Imelda Coghlan, Jago Trevithick, Kerensa Polglase, Leofric Dunstable, Minerva Hathersage,
Norbert Quaife, Ophelia Stanbury, Peregrine Oldroyd, Rosie Tench, Stanley Gotobed, Tamsin Rowbotham,
Ulric Faversham, Viola Hepworth, Warwick Lumley, Ysolde Kerrigan, Alban Mortlock, Birgit Thorvaldsen
""".replace("\n", " ").split(",")
)

LATER = (
    """Aufnahme heute
Neu auf Station: {b.c}, 77 Jahre, Sturz im Garten. {c.l} kommt aus dem Heim, Pflegegrad drei. {d.l} ist nur zur Infusion da.
Bitte bei Frau {b.l} an die Allergie denken. Dr. {e.l} macht den Ultraschall, {f.f} fährt zum Röntgen.
{a.f}
""",
    """Tumorkonferenz
Vorgestellt von {b.l}: Pat. {c.u}, Kolon. Vorgestellt von {d.l}: Pat. {e.u}, Mamma. Beschluss: Operation, danach Chemo.
Teilnehmer: {a.i}, {b.i}, {d.i}, {f.i}
Protokoll: {g}
""",
    """Ward round
Dear all, {b.l} can go home. {c.l} needs a new Cannula. Please ask {d.f} to ring the Daughter of {e.l}.
Staff Nurse {f.l} found the missing Chart. Physio at Three.
{a.f} {a.l}, Registrar
""",
    """Handover of files
{b.f}, you take {c.l} v {d.l} and the {e.l} Estate. {f.f} keeps the rest. The Judge in {c.l} is {g}. Counsel: {h} for us, {i} for them.
Limitation expires in June.
{a.f}
""",
    """Attendance note
Attending: {b} and her brother {c.f}. {b.l} owns the Flat; {c.l} lives there. Their Neighbour, {d}, complains about the Dog.
{d.l} wrote to the Council. Advised Mediation. Time engaged: Two Units.
{a.i}
""",
    """Guest list
For the Summer Party: {b}, {c} (plus Guest), {d}, {e}, {f.i}, {g.i}. Seats for {b.l} and {d.l} near the Band, please.
{a}
""",
    """Termin verschoben
Guten Tag Frau {b.l}, Ihr Termin bei Dr. {c.l} muss leider verschoben werden. Neuer Termin: Montag um zehn, bei {d}.
Bitte bringen Sie die Karte und den Brief von {e.l} mit.
Anmeldung, {a.f}
""",
)
