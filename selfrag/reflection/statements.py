"""Is it a statement to be checked, or a question to be answered?

A small list in seven languages. In doubt it is a question: a question that got a verdict would be
left unanswered, a statement that is answered is only told less plainly. Key words ("leave policy")
and requests ("List the fees.") are questions.
"""

import re

from selfrag.models.words import fold

_FEWEST_WORDS = 4
_ASKS = re.compile(
    r"^(?:(?:please|so|and|but|hi|hello|por favor|e|y|et|und|bitte|s'il (?:te|vous) plait)[, ]+)*"
    r"(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will"
    r"|would|should|has|have|had|may|must|am|isn't|aren't|doesn't|don't|tell|explain|describe|list"
    r"|summari[sz]e|give|show|compare|find|name|define|state|outline|discuss|search|look|write"
    r"|translate|quote|count|identify|let|i (?:want|need|would|'d)|i'd|help|in (?:what|which)"
    r"|quem|qual|quais|que|quando|onde|aonde|como|por ?que|quant[oa]s?|explique|descreva|liste"
    r"|resuma|diga|mostre|compare|fale|conte|cite|defina|de que|em que|no que|o que|para que|a que"
    r"|quien(?:es)?|cual(?:es)?|cuando|donde|adonde|cuant[oa]s?|explica|describe|lista|resume|dime"
    r"|muestra|di|para|qui|quoi|quand|ou|comment|pourquoi|combien|quel(?:le)?s?|est-ce|explique[zr]?"
    r"|decri[sv]\w*|resume[zr]?|donne[zr]?|montre[zr]?|liste[zr]?|wer|wen|wem|was|wann|wo|woher|wohin"
    r"|warum|wieso|wie|welche[rnms]?|ist|sind|hat|kann|erklare?n?|beschreibe?n?|nenne?n?|zeige?n?"
    r"|chi|cosa|che|quando|dove|come|perche|quale|quali|quant[oiae]|spiega|descrivi|elenca"
    r"|wie|wat|wanneer|waar|waarom|hoe|welke?|leg|beschrijf|noem)\b"
)
_SAYS = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|did|do|can|cannot|could|will|would|must|may"
    r"|should|causes?|increases?|decreases?|reduces?|contains?|includes?|requires?|needs?|means?"
    r"|sao|foi|foram|era|tem|ha|pode|podem|deve|devem|esta|estao|causa|aumenta|reduz|custa|exige"
    r"|es|son|fue|fueron|tiene|tienen|puede|pueden|debe|hay|cuesta"
    r"|est|sont|etait|ont|peut|peuvent|doit|doivent"
    r"|ist|sind|war|waren|hat|haben|kann|konnen|muss|mussen|wird|werden|kostet"
    r"|sono|ha|hanno|puo|deve|heeft|zijn|kan|moet)\b"
)


def is_statement(text: str) -> bool:
    """Whether ``text`` says something that can be true or false, rather than asking."""
    folded = fold(text).strip().lstrip("¿¡\"'“«(- ")
    if "?" in text or "？" in text or "؟" in text or len(folded.split()) < _FEWEST_WORDS:
        return False
    if _ASKS.match(folded):
        return False
    # A full stop is how a statement is written; without one it must at least have a verb.
    verb = _SAYS.search(folded) or re.search(r"\bé\b", text, re.IGNORECASE)
    return folded.endswith((".", "!", "。")) or bool(verb)
