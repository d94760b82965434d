"""Questions that no document can answer: greetings, thanks, "who are you", sums.

A small list in seven languages, matched against the whole question, never a part of it: "hello,
what is our leave policy?" is a question to the documents. In doubt the documents are asked.
"""

import re

from selfrag.models.words import fold

_GREETING = (
    r"hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|howdy"
    r"|ola|oi|bom dia|boa (?:tarde|noite)|e ai|hola|buenos dias|buenas(?: tardes| noches)?"
    r"|bonjour|bonsoir|salut|coucou|hallo|guten (?:tag|morgen|abend)|moin|servus|gruss gott"
    r"|ciao|buongiorno|buonasera|salve|goedemorgen|goedemiddag|goedenavond|dag"
)
_THANKS = (
    r"(?:thanks|thank you|thx|cheers|many thanks|thanks a lot|thank you (?:so|very) much)"
    r"(?: for (?:the|your) (?:help|answer|information))?"
    r"(?:[ ,.!]+(?:that|this|it)(?:'s| is| was)(?: very| so| really)? (?:great|good|helpful|useful"
    r"|nice|perfect|interesting|all))?"
    r"|obrigad[oa]|muito obrigad[oa]|valeu|gracias|muchas gracias|merci(?: beaucoup)?"
    r"|danke(?: schon| sehr)?|vielen dank|grazie(?: mille)?|dank je(?: wel)?|bedankt"
)
_FAREWELL = (
    r"bye(?: bye)?|goodbye|good night|see you(?: later| soon)?|tchau|ate (?:logo|mais|amanha)|adeus"
    r"|adios|hasta (?:luego|pronto|manana)|au revoir|a bientot|tschuss|auf wiedersehen|bis bald"
    r"|arrivederci|tot ziens"
)
_COURTESY = (
    r"how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what's up|nice to meet you"
    r"|tudo bem|como vai(?: voce)?|como voce esta|como estas?|que tal|comment (?:ca va|allez vous)"
    r"|ca va|wie geht(?:'s| es (?:dir|ihnen))|come (?:stai|va)|hoe gaat het|ok|okay|yes|no|test"
    r"|great|perfect|cool"
)
_YOURSELF = (
    r"who are you|what are you|what(?:'s| is) your name|are you (?:a |an )?(?:human|robot|bot|ai)"
    r"|what can you do|how do you work|quem (?:e voce|es tu)|o que voce (?:pode fazer|faz)"
    r"|qual (?:e )?o seu nome|quien eres|que puedes hacer|como te llamas|qui es[- ]tu"
    r"|qui etes[- ]vous|que peux[- ]tu faire|wer (?:bist du|sind sie)|was kannst du"
    r"|wie heisst du|chi sei|cosa puoi fare|come ti chiami|wie ben je|wat kan je"
)
_TO_WHOM = r"(?:[ ,]+(?:there|all|everyone|again|friend|bot|a todos|pessoal|zusammen|tutti))?"
_KINDS = tuple(
    (re.compile(rf"(?:(?:{_GREETING})[ ,.!]+)?(?:{pattern}){_TO_WHOM}"), what)
    for pattern, what in (
        (_GREETING, "a greeting"),
        (_THANKS, "thanks"),
        (_FAREWELL, "a farewell"),
        (_COURTESY, "small talk"),
        (_YOURSELF, "a question about this application"),
    )
)
_SUM = re.compile(
    r"(?:(?:what(?:'s| is)|how much is|calculate|compute|quanto (?:e|da)|calcule|cuanto es"
    r"|combien (?:font|fait)|was ist|wie viel ist|quanto fa)\s+)?"
    r"[-(\s]*\d[\d\s.,()]*(?:(?:[-+*/x×÷^%]|plus|minus|times|mais|menos|vezes|por|fois|mal)"
    r"[\d\s.,()]+)+=?"
)


def small_talk(question: str) -> str | None:
    """What kind of small talk the whole question is ("a greeting"), or None."""
    text = fold(question).replace("’", "'").strip(" .!?¡¿,;:)(-")
    if not text:
        return "no question"
    for pattern, what in _KINDS:
        if pattern.fullmatch(text):
            return what
    spoken = fold(question).strip(" ?=.!¿¡")
    # A date or a range of years is looked up, not worked out.
    if _SUM.fullmatch(spoken) and not re.fullmatch(r"\d{1,4}\s*[-/.]\s*\d{1,4}.*", spoken):
        return "a sum"
    return None
