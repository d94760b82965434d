"""A study of answers, whole: what it says, how good, when silent, at what cost, question by
question."""

from collections.abc import Sequence

import streamlit as st

from selfrag.evaluation.answers import findings, text
from selfrag.evaluation.answers.measures import MEASURES
from selfrag.evaluation.answers.measuring import ORACLE_ALONE
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.evaluation.study_text import Table
from selfrag.records.results import ResultRecord
from selfrag.ui.answers_charts import quality, silence
from selfrag.ui.answers_questions import draw_questions
from selfrag.ui.answers_tables import draw_cells, draw_quality, draw_spending
from selfrag.ui.answers_words import silence_words, spending_words
from selfrag.ui.colours import palette, strategy_colours
from selfrag.ui.literal import literal
from selfrag.ui.study_files import SINGLE, SUMMARY, draw_files
from selfrag.ui.tables import draw_table
from selfrag.wording import count

_BAR = {"displayModeBar": False}


def draw_answers(study: AnswerStudy, record: ResultRecord | None, said: Sequence[str] = ()) -> None:
    """Draw it.

    Args:
        record: under which it is kept, if it is.
        said: how it came about, in Markdown.
    """
    if study.stopped is not None:
        st.info("It was stopped before its end.", icon=":material/stop_circle:")
    for place, sentence in enumerate(findings.headlines(study)):
        st.markdown(f"**{literal(sentence)}**" if place == 0 else literal(sentence))
    for line in said:
        st.caption(line)
    for caveat in findings.caveats(study):
        st.caption(f":orange[:material/warning:] {literal(caveat)}")
    for note in study.notes:
        if note == ORACLE_ALONE:
            continue  # it stands where the oracle does
        st.caption(f":material/info: {literal(note)}")
    tables = text.tables(study)
    _quality(study, tables)
    _silence(study)
    _spending(study)
    draw_questions(study)
    _had_not(study, tables)
    draw_files(
        study.name,
        {
            "CSV: the summary": (SUMMARY, lambda: text.as_csv(study)),
            "CSV: every answer": (SINGLE, lambda: _every_round(study)),
        },
        study.to_json,
        record.made_of if record else {},
        lambda made_of: text.as_html(study, made_of),
    )


def _quality(study: AnswerStudy, tables: Sequence[Table]) -> None:
    shown = [
        measure
        for measure in findings.quality(study)
        if MEASURES[measure].share and study.ranked(measure)
    ]
    if shown:
        st.markdown("**How good the answers are**")
        st.plotly_chart(
            quality(study, shown, strategy_colours(), palette()),
            config=_BAR,
            key="answers-quality",
            alt="Each measure of each strategy with its 95 % interval",
        )
        meanings = [f"{MEASURES[it].label}: {MEASURES[it].meaning}" for it in shown]
        st.caption(
            "Further to the right is better. The line is where the mean may lie as far as these "
            "questions can tell (95 %); the tests decide whether two differ.  \n"
            + "  \n".join(literal(meaning) for meaning in meanings)
        )
    draw_quality(study)
    with st.expander("Tests between strategies", icon=":material/balance:", type="compact"):
        for title, heads, rows in tables:
            if title.startswith("Tests on"):
                st.markdown(f"**{literal(title)}**")
                _draw(heads, rows)


def _silence(study: AnswerStudy) -> None:
    st.markdown("**Silent where it should be?**")
    known = any(each.known for each in study.abstention.values())
    if known:
        st.plotly_chart(
            silence(study.abstention, palette()),
            config=_BAR,
            key="answers-silence",
            alt="What each strategy did with evidence and without",
        )
    for name, cells in study.abstention.items():
        if cells.known or not known:
            st.caption(literal(silence_words(name, cells)))
        if not known:
            break  # it is the same sentence for each
    warned = findings.shown_with_a_warning(study)
    if warned:
        st.caption(f":material/info: {literal(warned)}")
    if ORACLE_ALONE in study.notes:
        st.caption(f":material/info: {literal(ORACLE_ALONE)}")
    if known:
        st.caption(
            "Evidence is found where the search brought a passage that holds the answer. With the "
            "oracle it always does: what is wrong there is no fault of the search. Filled "
            "is an answer, hatched is silence; green is right."
            + (
                f" Each question counts {study.rounds} times, once in each round."
                if study.rounds > 1
                else ""
            )
        )
        with st.expander("The four cells in numbers", icon=":material/grid_view:", type="compact"):
            draw_cells(study)


def _spending(study: AnswerStudy) -> None:
    st.markdown("**What an answer takes**")
    said = spending_words(study)
    if said:
        st.markdown(literal(said))
    draw_spending(study)


def _had_not(study: AnswerStudy, tables: Sequence[Table]) -> None:
    """Undefined values with their reasons, failures with their questions."""
    if study.undefined:
        with st.expander(
            f"{count(study.undefined, 'value')} undefined: in no mean, counted here",
            icon=":material/block:",
        ):
            _table(tables, "Undefined values, and why")
    if study.failures:
        with st.expander(
            f"{count(len(study.failures), 'answer or grade', 'answers and grades')} could not be "
            "had",
            icon=":material/error:",
        ):
            rows = [
                [literal(it.question, 90), it.system, str(it.round), it.what, literal(it.reason)]
                for it in study.failures
            ]
            draw_table(["question", "strategy", "round", "what", "because"], rows)


def _table(tables: Sequence[Table], title: str) -> None:
    for name, heads, rows in tables:
        if name == title:
            _draw(heads, rows)
            return


def _draw(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    draw_table([literal(head) or "pair" for head in heads], [list(map(literal, r)) for r in rows])


def _every_round(study: AnswerStudy) -> str:
    """One file of all rounds; the column says which."""
    rounds = [text.round_csv(study, number) for number in range(1, study.rounds + 1)]
    return rounds[0] + "".join(each.split("\n", 1)[1] for each in rounds[1:])
