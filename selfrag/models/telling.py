"""Small words that change what a sentence says, and words that say the opposite of each other.

Keyword search leaves most of them out, since they don't tell what a text is about; they do tell
whether two sentences say the same. Lists in seven languages, folded (no accents, lower case).
"""

import re

from selfrag.models.words import LANGUAGES, fold


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


#: Said in a statement, each must stand in the sentence that is to support it.
_BINDING: dict[str, str] = {
    "en": "before after above below under over up down more most less least fewer few fewest many"
    " only all every each both either some any several always often sometimes first last"
    " next same other against between until since must should can may might could would"
    " cannot than if unless because same exactly almost nearly entirely fully partly half once"
    " inside outside within beyond",
    "pt": "antes depois acima abaixo sob sobre mais menos poucos poucas muitos muitas muito pouco"
    " apenas somente so todo todos toda todas cada ambos alguns algumas algum alguma sempre"
    " primeiro primeira ultimo ultima mesmo mesma outro outra contra entre ate"
    " desde deve devem pode podem maior menor melhor pior se porque quase exatamente metade",
    "es": "antes despues encima debajo bajo sobre mas menos pocos pocas muchos muchas mucho poco"
    " solo solamente todo todos toda todas cada ambos algunos algunas algun alguna siempre"
    " primero primera ultimo ultima mismo misma otro otra contra entre hasta desde debe deben"
    " puede pueden mayor menor mejor peor si porque casi exactamente mitad",
    "fr": "avant apres dessus dessous sous sur plus moins peu beaucoup seulement tout tous toute"
    " toutes chaque deux quelques certains certaines toujours souvent premier premiere"
    " dernier derniere meme autre contre entre depuis doit doivent peut peuvent meilleur"
    " pire si presque exactement moitie",
    "de": "vor nach uber unter mehr meiste meisten weniger wenigsten wenige viele nur alle alles"
    " jeder jede jedes beide einige manche immer oft erste ersten erster letzte"
    " letzten gleiche andere gegen zwischen bis seit muss mussen soll sollen kann konnen"
    " darf durfen besser beste schlechter wenn weil fast genau halb hochstens mindestens",
    "it": "prima dopo sopra sotto piu meno pochi poche molti molte molto poco solo soltanto tutto"
    " tutti tutta tutte ogni entrambi alcuni alcune sempre spesso primo prima ultimo ultima"
    " stesso stessa altro altra contro tra fra fino da deve devono puo possono maggiore"
    " minore migliore peggiore se quasi esattamente meta",
    "nl": "voor na boven onder meer meest minder minst weinig veel alleen slechts alle alles elk"
    " elke beide enkele sommige altijd vaak eerste laatste zelfde ander andere tegen"
    " tussen tot sinds moet moeten mag mogen kan kunnen beter beste slechter als omdat bijna"
    " precies helft",
}
#: Said in a sentence and not in the statement: it tells of a case, a guess or somebody's word.
_RESERVED: dict[str, str] = {
    "en": r"if|unless|whether|may|might|could|would|should|perhaps|possibly|probabl[ey]|likely"
    r"|seems?|appears?|allegedly|suppos\w+|hypothes\w+|assum\w+|suspect\w*|controvers\w+|unclear"
    r"|unknown|says?|said|claim(?:s|ed)?|believe[sd]?|thinks?|thought|deny|denie[ds]|but|although"
    r"|though|whereas|while|however|except|instead|rather|unlike|almost|nearly|until|used to"
    r"|planned|plans?|expect\w*|former(?:ly)?|aim(?:s|ed)?|false|wrong|myth|investigat\w+",
    "pt": r"se|caso|talvez|pode(?:m|ria|riam)?|poderia\w*|deveria\w*|seria|parece\w*"
    r"|provavel\w*|possivel\w*|supost\w+|hipotese\w*|diz|disse\w*|afirm\w+|acredit\w+|nega\w*|mas"
    r"|porem|embora|enquanto|contudo|exceto|salvo|quase|falso|mito|antig[oa]mente",
    "es": r"si|caso|quiza\w*|pued[ea]n?|podria\w*|deberia\w*|seria|parec\w+|probabl\w+|posibl\w+"
    r"|supuest\w+|hipotesis|dic[en]+|dijo|afirm\w+|cree\w*|nieg\w+|pero|aunque|mientras|excepto"
    r"|salvo|casi|falso|mito",
    "fr": r"si|peut-etre|peut|peuvent|pourrai\w+|devrai\w+|serai\w+|semble\w*|probable\w*"
    r"|possible\w*|hypothese\w*|dit|disent|affirm\w+|pretend\w*|croi[ts]\w*|nie\w*|mais|bien que"
    r"|tandis|cependant|sauf|presque|faux|mythe",
    "de": r"wenn|falls|ob|vielleicht|moglich\w*|wahrscheinlich|konnte\w*|wurde|scheint|angeblich"
    r"|hypothese\w*|sagt\w*|behaupt\w+|glaubt\w*|aber|sondern|obwohl|wahrend|jedoch|ausser|fast"
    r"|falsch",
    "it": r"se|forse|puo|possono|potrebbe\w*|dovrebbe\w*|sarebbe|sembra\w*|probabil\w+|possibil\w+"
    r"|ipotesi|dice|disse|afferma\w*|crede\w*|nega\w*|ma|pero|anche se|mentre|tranne|quasi|falso",
    "nl": r"als|indien|of|misschien|mogelijk|waarschijnlijk|zou|zouden|lijkt|hypothese\w*|zegt"
    r"|beweer\w*|gelooft|maar|hoewel|terwijl|echter|behalve|bijna|onwaar",
}
#: Right before what is said these leave only a part of it; behind it, so do the first of them.
SPARING = _set(
    "some several any either only partly half almost nearly less least than alguns algumas"
    " apenas somente so quase metade menos algunos algunas solo solamente casi mitad quelques"
    " certains certaines seulement presque moitie moins einige manche nur fast halb weniger"
    " alcuni alcune soltanto quasi meta meno enkele sommige alleen slechts bijna helft minder"
)
LIMITING = SPARING | _set("few fewer fewest poucos poucas pocos pocas wenige pochi poche weinig")
#: For whom something is so: what is said holds for no one else.
FOR = _set("for para pour fur per voor")
#: At the beginning of a sentence they narrow down all that follows.
NARROWING = FOR | _set(
    "in among within at em no na nos nas entre en dans chez parmi im bei unter nel nella tra"
    " fra bij onder"
)
#: Words that only tell what kind of thing is named: "the year 2005", "the city of Rome".
KINDS = _set(
    "year month day city state system software language ano mes dia cidade estado sistema"
    " linguagem ciudad lenguaje annee mois jour ville langage logiciel systeme jahr monat tag stadt"
    " land sprache anno mese giorno citta linguaggio jaar maand dag stad taal systeem"
)
#: In front of a figure these make it a bound.
BOUNDS = _set(
    "than least most over under below above up almost nearly que menos mais maximo minimo"
    " acima abaixo ate mas hasta casi quase sobre plus moins presque jusqu uber unter fast"
    " mindestens hochstens bis piu meno almeno quasi meer minder bijna max min"
)
#: And these a rough one.
ROUGHLY = _set(
    "about around approximately roughly circa ca cerca aproximadamente unos unas alrededor"
    " environ etwa rund ungefahr ongeveer average media moyenne"
)
_DENIES: dict[str, str] = {
    "en": "not no never without cannot neither nor none fail fails failed lack lacks lacked"
    " unable unlikely rarely hardly seldom nobody nothing",
    "pt": "nao nunca sem nem nenhum nenhuma jamais tampouco nada ninguem raramente",
    "es": "no nunca sin ni ningun ninguno ninguna jamas tampoco nada nadie",
    "fr": "ne n sans ni aucun aucune rarement",
    "de": "nicht nie niemals ohne kein keine keinen keinem keiner keines weder kaum selten",
    "it": "non mai senza ne nessun nessuno nessuna raramente",
    "nl": "niet nooit zonder geen noch nauwelijks zelden",
}
#: "Not only" denies nothing.
MERELY = _set("only merely just so apenas somente solo seulement nur soltanto alleen")
_LEADING: dict[str, str] = {
    "en": "of in on at for from to by with into among via as",
    "pt": "de,do,da,dos,das em,no,na,nos,nas,num,numa por,pelo,pela,pelos,pelas para,pra com ao,aos"
    " como",
    "es": "de,del en por para con al como",
    "fr": "de,du,des,d en,dans par pour avec au,aux chez comme",
    "de": "von,vom in,im fur zu,zum,zur mit durch bei,beim auf an,am aus als",
    "it": "di,del,della,dei,degli,delle,dello,d in,nel,nella,nei,nelle da,dal,dalla,dai,dalle per"
    " con come",
    "nl": "van in voor door met aan op bij uit naar te",
}
_COORDINATING: dict[str, str] = {
    "en": "and or nor",
    "pt": "e ou",
    "es": "y e o u",
    "fr": "et ou",
    "de": "und oder",
    "it": "e ed o",
    "nl": "en of",
}
#: Each pair tells the opposite; beginnings of words, what follows is compared as it stands.
_OPPOSITES: tuple[tuple[str, str], ...] = (
    (r"fast|quick|rapid|swift|schnell|veloc|snel", r"slow|lent|langsam|langza"),
    (r"larg|bigg|grand|gross|groot|grot", r"small|tin(?=y|i)|pequen|petit|klein|piccol"),
    (r"high|alt[oa]s?$|eleve|hoh|hoog|hog", r"low|baix|baj[oa]|bas(?:se)?s?$|niedrig|bass|laag"),
    (r"more|mais$|mas$|plus$|mehr|piu$|meer", r"less|fewer|menos|moins|wenig|meno$|minder"),
    (r"most$|meiste", r"least$|fewest$|wenigste"),
    (r"maior|mayor|maggior", r"menor|minor"),
    (r"better|best|melhor|mejor|meilleur|besser|miglior", r"worse|worst|pior|peor|pire"),
    (
        r"increas|rais|rise|rising|rose|grow|grew|aument|cresc|crec|augment|steig|toen",
        r"decreas|reduc|reduz|lower|fall|fell|declin|drop|diminu|dismin|sink|baiss|dimin|afn",
    ),
    (r"long|lang", r"short|curt|cort|court|kurz|brev"),
    (r"strong|fort|fuert|stark", r"weak|frac|debil|faibl|schwach|debol"),
    (r"old|velh|viej|vieux|vieil", r"new|young|nov|nuev|nouv|neu|jung"),
    (r"earl|cedo", r"late(?!r?al)|tard"),
    (r"cheap|barat|billig", r"expensive|car[oa]s?$|cher|teuer"),
    (r"maxim|hochst", r"minim|mindest"),
    (
        r"before$|antes$|avant$|vor$|prima$|voor$",
        r"after$|depois$|despues$|apres$|nach$|dopo$|na$",
    ),
    (r"first$|primeir|primer|premier|erste", r"last$|ultim|dernier|letzte"),
    (r"always$|sempre$|siempre$|toujours$|immer$", r"never$|nunca$|jamais$|nie$|mai$"),
    (r"above$|acima$|encima$|uber$", r"below$|under$|abaixo$|debajo$|unter$"),
    (r"allow|permit|permet|erlaub", r"forbid|forbad|prohibit|proib|prohib|interdi|verbot|verbiet"),
    (r"open(?!-)|abert|abiert|ouvert|offen", r"clos|shut|fechad|cerrad|ferm|geschlossen"),
    (r"start|begin|began|comec|empiez|empez|commenc", r"end(?:s|ed)?$|finish|termin|acab"),
    (r"accept|aceit|acept", r"reject|refus|rejeit|rechaz"),
    (r"even$", r"odd$"),
    (r"left$|esquerd|izquierd|gauche", r"right$|direit|derech|droit"),
)
_COMPILED = tuple((re.compile(one), re.compile(other)) for one, other in _OPPOSITES)
_DEGREE = re.compile(r"(?:er|est)$")
BINDING = {code: frozenset(listed.split()) for code, listed in _BINDING.items()}
DENIES = {code: frozenset(listed.split()) for code, listed in _DENIES.items()}
#: prepositions, each with the one that stands for all its forms
LEADING = {
    code: {form: forms.split(",")[0] for forms in listed.split() for form in forms.split(",")}
    for code, listed in _LEADING.items()
}
COORDINATING = {code: frozenset(listed.split()) for code, listed in _COORDINATING.items()}
_RESERVED_COMPILED = {code: re.compile(rf"\b(?:{p})\b") for code, p in _RESERVED.items()}
for _lists in (BINDING, DENIES, LEADING, COORDINATING, _RESERVED_COMPILED):
    assert _lists.keys() == LANGUAGES.keys()


def reservations(text: str, language: str) -> set[str]:
    """Its words by which it does not simply say what it tells."""
    return set(_RESERVED_COMPILED[language].findall(fold(text)))


def opposite(one: str, other: str) -> bool:
    """Whether two words tell the opposite, to the same degree ("slower" and "faster")."""
    a, b = fold(one), fold(other)
    return any(
        _is(left, a) == _is(right, b) != "" or _is(right, a) == _is(left, b) != ""
        for left, right in _COMPILED
    )


def _is(pattern: re.Pattern[str], word: str) -> str:
    """The degree in which a word is the pattern's, or an empty text where it is not."""
    if not pattern.match(word):
        return ""
    degree = _DEGREE.search(word)
    # "Lower" and "after" only look like a degree of something.
    return "plain" if degree is None or pattern.fullmatch(word) else degree[0]
