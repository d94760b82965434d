"""What the Chat page says: the line under an answer, suggestions, colours, quotes."""

import tomllib
from pathlib import Path

import pytest

from selfrag.palette import DARK, LIGHT, Palette
from selfrag.reflection.events import ClaimGrade, RunFinished, StepUsage, UsefulnessGraded
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support
from selfrag.ui.quoted import in_context, shortened
from selfrag.ui.verdict import foot_line

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml"
FULL, PART, NONE = Support.FULLY, Support.PARTIALLY, Support.NOT


def finished(*claims: Support, **more) -> RunView:
    end = RunFinished(
        status=more.pop("status", "answered"),
        answer="A",
        support=FULL,
        useful=True,
        retries=more.pop("retries", 0),
        attempt=1,
        elapsed_s=1.24,
        claims=[ClaimGrade(text="x", support=support) for support in claims],
        **more,
    )
    return RunView.of([UsefulnessGraded(attempt=1, useful=True, score=5), end])


def line(view: RunView) -> str:
    return foot_line(view).replace("\N{NO-BREAK SPACE}", " ")


def test_foot_line_says_claims_usefulness_cost_and_time():
    usage = StepUsage(llm_calls=6, input_tokens=2_000, output_tokens=310)
    view = finished(FULL, FULL, FULL, usage=usage)
    assert line(view) == "3 claims, all backed · useful 5/5 · 6 calls, 2,310 tokens · 1.2 s"


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ([FULL], "1 claim, backed"),
        ([NONE, NONE], "2 claims, none backed"),
        ([PART], "1 claim, partly backed"),
        ([FULL, PART, NONE, NONE], "4 claims: 1 backed, 1 partly, 2 not"),
        ([Support.UNKNOWN], "1 claim, not checked"),
    ],
)
def test_foot_line_counts_claims_by_support(claims: list[Support], said: str):
    assert line(finished(*claims)).startswith(said + " · ")


def test_foot_line_counts_retries_and_citations_to_nothing():
    said = line(finished(FULL, retries=2, removed_citations=1))
    assert "2 retries" in said
    assert "1 citation to nothing removed" in said


def test_estimated_tokens_are_said_to_be_estimated():
    usage = StepUsage(llm_calls=1, input_tokens=10, estimated=True)
    assert "about 10 tokens" in line(finished(FULL, usage=usage))


@pytest.mark.parametrize(("name", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_charts_use_the_colours_of_the_theme(name: str, palette: Palette):
    theme = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][name]
    assert palette.good == theme["greenColor"]
    assert palette.fair == theme["orangeColor"]
    assert palette.bad == theme["redColor"]
    assert palette.path == theme["primaryColor"]
    assert palette.line == theme["borderColor"]
    assert (palette.text, palette.paper) == (theme["textColor"], theme["backgroundColor"])


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("colour", ["greenTextColor", "orangeTextColor", "redTextColor"])
def test_coloured_text_has_contrast(name: str, colour: str):
    theme = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][name]
    assert contrast(theme[colour], theme["backgroundColor"]) >= 4.5


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("surface", ["backgroundColor", "sidebar"])
def test_captions_have_contrast(name: str, surface: str):
    """Streamlit writes captions at 60% of the text's colour."""
    theme = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][name]
    paper = theme["sidebar"]["backgroundColor"] if surface == "sidebar" else theme[surface]
    assert contrast(mixed(theme["textColor"], paper, 0.6), paper) >= 4.5


@pytest.mark.parametrize("name", ["light", "dark"])
def test_what_is_chosen_has_contrast(name: str):
    """Streamlit writes what is chosen in the primary colour, on a fifth of it when pointed at."""
    theme = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][name]
    chosen = theme["primaryColor"]
    assert contrast(chosen, mixed(chosen, theme["backgroundColor"], 0.2)) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_drawn_stands_out(palette: Palette):
    for drawn in (palette.good, palette.fair, palette.bad, palette.path, palette.quiet):
        assert contrast(drawn, palette.paper) >= 3.0, "WCAG 2.2, 1.4.11"
    assert contrast(palette.paper, palette.path) >= 4.5, "the name of the step that runs"


def mixed(colour: str, paper: str, share: float) -> str:
    """A colour laid over another with ``share`` of its strength."""
    pairs = [(int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(
        f"{round(over * share + under * (1 - share)):02x}" for over, under in pairs
    )


def contrast(first: str, second: str) -> float:
    """WCAG 2.2: (lighter + 0.05) / (darker + 0.05) of the relative luminances."""

    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def test_context_shows_every_quote_in_bold_and_what_stands_around():
    shown = in_context("One. Two words. Three. Four words.", ["Two words.", "Four words."])
    assert shown.replace("\\", "") == "One. **Two words.** Three. **Four words.**"


def test_context_without_the_quote_is_the_passage():
    assert in_context("Only this", ["something else"]) == "Only this"


def test_long_text_is_cut_between_words():
    assert shortened("one two three", 9) == "one two…"
    assert shortened("one  two", 9) == "one two"
