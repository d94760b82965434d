"""The colours of both themes, for whatever is drawn outside the pages' own elements.

The values are those of ``.streamlit/config.toml``; a test keeps them equal.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme: what is backed, partly so, not so; what can be clicked; what is neither."""

    good: str
    fair: str
    bad: str
    path: str
    quiet: str
    line: str
    text: str
    paper: str


LIGHT = Palette(
    "#2B8A3E", "#B35900", "#C92A2A", "#3451CC", "#868E96", "#E3E6EB", "#12151C", "#FFFFFF"
)
DARK = Palette(
    "#69DB7C", "#FFC078", "#FF8787", "#748FFC", "#868E96", "#2C303B", "#E8EAF0", "#12141A"
)

#: Each mode's own colour, the same on every page; none of them says good, fair, bad or clickable.
#: The stage that a mode adds to the one before has its colour too.
MODES_LIGHT = {
    "bm25": "#0B7285",
    "dense": "#9C36B5",
    "hybrid": "#1C7ED6",
    "hybrid_mmr": "#846358",
    "hybrid_rerank": "#D6336C",
    "full": "#343A40",
}
MODES_DARK = {
    "bm25": "#3BC9DB",
    "dense": "#DA77F2",
    "hybrid": "#4DABF7",
    "hybrid_mmr": "#C0A392",
    "hybrid_rerank": "#F783AC",
    "full": "#CED4DA",
}

#: Each strategy's own colour, by the same rule.
STRATEGIES_LIGHT = {"plain": "#6B7280", "critique": "#8D5B20", "selfrag": "#6741D9"}
STRATEGIES_DARK = {"plain": "#ADB5BD", "critique": "#D9A66B", "selfrag": "#B197FC"}
