"""Common English words: names of units, and words that must not be read as units."""

_words = str.split

NAMES_OF_UNITS = _words("""
acre are bar barn bit byte carat century chain count cup day decade degree dozen each foot grain gram gray hand
hour inch knot league link meter mile minute mole month ounce percent pint point pound quart ratio rod second slug
stone turn ton volt watt week yard year
""")

SYMBOLS_OF_UNITS = _words("in min cal us pm rad gal")
"""Words that are also the symbol of a unit, and are read as that: inch, minute, calorie, microsecond …"""

OTHER_WORDS = _words("""
a able about above accept across act add afraid after again against age ago agree air all allow almost alone along
already also although always am among and anger animal another answer any appear apple area arm army around arrive art
as ask at away baby back bad bag ball banana bank base basket be bear beat beauty because become bed before begin
behind believe bell below best better between big bird birth bite black bleed block blood blow blue board boat body
bone book border born both bottle bottom bowl box boy branch brave bread break breath brick bridge bright bring
brother brown brush build burn bus business but buy by cake call can candle cap car card care carry case cat catch
cause chair chance change chase cheap cheese chicken child choice circle city class clean clear climb clock cloth
cloud coat coffee cold collect color comb come common cook cool copper corn corner correct cost cotton cough country
course cover crash cross cry cut damage dance danger dark daughter dead decide deep deer depend desk destroy die
dinner direction dirty discover dish do dog door double doubt down draw dream dress drink drive drop dry duck dust
duty ear early earn earth east easy eat education egg eight either electric elephant else empty end enemy enjoy enough
enter equal escape even evening event ever every exact examine example except excited exercise expect eye face fact
fail fall family famous far farm fast fat father fault fear feed feel few fight fill film find fine finger finish fire
first fish fix flag flat float floor flour flower fly fold food fool for force forest forget forgive form fork four
fox free fresh friend from front fruit full fun funny game garden gate general get gift girl give glad glass go goat
god gold good great green ground group grow gun hair half hall ham hammer happen happy hard hat hate have he head hear
heart heat heavy height hello help hen her here hide high hill him his hit hobby hold hole holiday home hope horse
hospital hot hotel house how hungry hurry hurt husband ice idea if important into introduce iron is island it job join
juice jump just keep key kick kind king kitchen knee knife knock know ladder lady lamp land large last late laugh lazy
lead leaf learn leave leg lend length less lesson let letter library lie life light like lion lip list listen little
live lock lonely long look lose lot love low lucky machine main make man many map mark market marry matter may me meal
mean measure meat medicine meet member mention method middle milk mill mind miss mistake mix model modern moment
monday money monkey moon more morning most mother mountain mouth move much music must my name narrow nation nature
near neck need needle neighbor never new news next nice night nine no noise none noon north nose not nothing notice
now number obey object ocean of off offer office often oil old on one only open opposite or orange order other our out
outside over own page pain paint pair pan paper parent park part partner party pass past path pay peace pen pencil
people pepper per perfect period person petrol photo piano pick picture pig pin pink place plane plant plastic plate
play please pleased plenty pocket poison police polite pool poor popular position possible potato pour power present
press pretty prevent price prince prison private prize problem produce promise proper protect provide public pull
punish pupil push put queen question quick quiet quite radio rain raise reach read ready real really receive record
red remember remind remove rent repair repeat reply report rest restaurant result return rice rich ride right ring
rise road rob rock room round rubber rude rule ruler run rush sad safe sail salt same sand save say school science
search seat see seem sell send sentence serve seven several shade shadow shake shape share sharp she sheep sheet shelf
shine ship shirt shoe shoot shop short should shoulder shout show sick side signal silence silly silver similar simple
since sing single sink sister sit six size skill skin skirt sky sleep slip slow small smell smile smoke snow so soap
sock soft some someone son soon sorry sound soup south space speak special speed spell spend spoon sport spread spring
stamp stand star start station stay steal steam step still stomach stop store storm story strange street strong
structure student study stupid subject substance sudden sugar suitable summer sun sunny support sure surprise sweet
swim sword table take talk tall taste taxi tea teach team tear tell ten tennis test than that the their then there
these thick thin thing think third this though threat three tidy tie title to today together tomorrow tonight too tool
tooth top total touch town train tram travel tree trouble true trust try twelve twenty twice type uncle under
understand until up use useful usual usually vegetable very village visit voice wait wake walk want warm wash waste
watch water way we weak wear weather wedding weight welcome well west wet what wheel when where which while white who
why wide wife wild will win wind window wine winter wire wise wish with without woman wonder word work world worry
worst write wrong yes yesterday yet you young your zero zoo
""")
