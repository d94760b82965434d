"""What of answers is to be measured: which questions, strategies and rounds, within which bounds.

What it takes, and what can be measured at all with the models that are there, stands above the
button.
"""

import streamlit as st

from selfrag.errors import UserError
from selfrag.evaluation.answers.choice import ONE_IS_ENOUGH, AnswerChoice, usual_rounds
from selfrag.evaluation.answers.question_files import EXAMPLE
from selfrag.evaluation.answers.questions import QuestionSet
from selfrag.evaluation.answers.spending import StudyBudget
from selfrag.evaluation.answers.studies import Asked
from selfrag.reflection.strategy import Strategy
from selfrag.service import SelfRag
from selfrag.ui.answers_words import about_questions, what_is_measured, what_it_takes
from selfrag.ui.colours import main_button
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.settings_panel import STRATEGIES
from selfrag.ui.taking import draw_taking, draw_told

_FILE, _TOLD = "answers-questions", "answers-told"
_STRATEGIES, _ROUNDS, _ORACLE = "answers-strategies", "answers-rounds", "answers-oracle"
_CALLS, _MINUTES, _DOLLARS = "answers-calls", "answers-minutes", "answers-dollars"
_MOST_ROUNDS = 100


def restore(asked: Asked) -> None:
    """Choose what a study was asked for, before anything is drawn."""
    choice, state = asked.choice, st.session_state
    state[_FILE] = f"{asked.questions}.csv"
    state[_STRATEGIES], state[_ROUNDS] = list(choice.strategies), choice.rounds
    state[_ORACLE], state[_CALLS] = choice.oracle, choice.budget.calls
    seconds = choice.budget.seconds
    state[_MINUTES] = None if seconds is None else seconds / 60
    state[_DOLLARS] = choice.budget.cost


def draw_choice(rag: SelfRag) -> None:
    """Draw the choices, what they take, and the button that begins."""
    st.markdown(
        "Every strategy answers every question. You see which answers better, what "
        "that costs, and whether it stays silent where your documents do not tell."
    )
    draw_told(_TOLD)
    questions = _questions(rag)
    choice = _choice(rag) if questions is not None else None
    if questions is not None and choice is not None:
        _plan(rag, questions, choice)


def _questions(rag: SelfRag) -> QuestionSet | None:
    """The chosen file; None, and what to do, where there is none."""
    names = rag.answers.files.all(owner())
    if st.session_state.get(_FILE) not in names:
        st.session_state.pop(_FILE, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Questions",
            names,
            key=_FILE,
            placeholder="No questions yet",
            width=320,
            persist_state="session",
        )
        _upload(rag)
        if chosen is not None:
            st.button(
                "Remove the questions",
                icon=":material/delete:",
                type="tertiary",
                on_click=guarded(_remove),
                args=(rag, chosen),
            )
    if chosen is None:
        st.info(
            "Upload a CSV file with questions and their right answers. The example asks about the "
            "sample library: take it to see how it works, or as a template for your own.",
            icon=":material/quiz:",
        )
        return None
    try:
        found = rag.answers.files.read(chosen, owner())
    except UserError as error:
        st.error(literal(str(error)))
        return None
    st.caption(about_questions(found))
    return found


def _upload(rag: SelfRag) -> None:
    with st.popover("Upload questions", icon=":material/upload_file:"):
        st.caption(
            "A CSV file with the columns question and ground_truth, and perhaps answerable (yes or "
            "no), label (supported, refuted, not enough evidence) and gold (where the answer "
            "stands: a sentence, or a file and its page)."
        )
        draw_taking("Questions", ["csv"], _TOLD, lambda name, content: _take(rag, name, content))
        st.download_button(
            "Example",
            EXAMPLE.read_bytes,
            EXAMPLE.name,
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
        )


def _choice(rag: SelfRag) -> AnswerChoice | None:
    """What was chosen; None, and why, where nothing can be measured so."""
    picked = st.pills(
        "Strategies",
        [each.value for each in Strategy],
        selection_mode="multi",
        default=None if _STRATEGIES in st.session_state else [each.value for each in Strategy],
        key=_STRATEGIES,
        help="  \n".join(f"**{each.value}**: {STRATEGIES[each]}" for each in Strategy),
        persist_state="session",
    )
    usual = usual_rounds(rag.settings)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rounds = st.number_input(
            "Rounds",
            1,
            _MOST_ROUNDS,
            "min" if _ROUNDS in st.session_state else usual,
            key=_ROUNDS,
            width=120,
            help="How often each question is answered. A language model does not answer twice in "
            "the same way; without one, every round gives the same.",
            persist_state="session",
        )
        with st.popover("Budget", icon=":material/savings:"):
            st.caption("It ends there, and shows what it has. Empty is no bound.")
            budget = _budget()
    if usual == 1:
        st.caption(ONE_IS_ENOUGH)
    oracle = st.toggle(
        "Also with the right passages given (oracle)",
        key=_ORACLE,
        help="Each strategy answers again from the passages that hold the answer. What it then "
        "gets wrong is no fault of the search. Needs the column gold, or labels of passages.",
        persist_state="session",
    )
    try:
        return AnswerChoice(tuple(picked or ()), int(rounds), oracle, budget)
    except UserError as error:
        st.caption(literal(str(error)))
        return None


def _budget() -> StudyBudget:
    calls = st.number_input("Model calls", min_value=1, value=None, key=_CALLS, step=100)
    minutes = st.number_input("Minutes", min_value=1.0, value=None, key=_MINUTES, step=10.0)
    dollars = st.number_input(
        "US dollars", min_value=0.01, value=None, key=_DOLLARS, step=1.0, format="%.2f"
    )
    return StudyBudget(
        calls=calls, seconds=60 * minutes if minutes is not None else None, cost=dollars
    )


def _plan(rag: SelfRag, questions: QuestionSet, choice: AnswerChoice) -> None:
    view = rag.answers.background(owner()).view()
    busy = view is not None and not view.finished
    try:
        plan = rag.answers.plan(questions, choice)
    except UserError as error:
        st.error(literal(str(error)))
        return
    empty = not rag.ready()
    with st.container(border=True, gap="xsmall", key="answers-plan"):
        for line in what_it_takes(plan, rag.settings.llm_configured):
            st.markdown(line)
        for line in what_is_measured(plan, questions, choice):
            st.caption(line)
        if plan.warning:
            st.caption(f":orange[:material/warning:] {literal(plan.warning)}")
    if empty:
        st.info(
            "Your library is empty: add the PDFs that the questions are about first.",
            icon=":material/library_add:",
        )
    st.button(
        "Measure",
        key="answers-measure",
        type=main_button(),
        icon=":material/play_arrow:",
        disabled=busy or empty,
        on_click=guarded(rag.answers.start),
        args=(questions, choice, owner()),
    )


def _take(rag: SelfRag, name: str, content: bytes) -> str:
    taken = rag.answers.files.add(content, name, owner())
    st.session_state[_FILE] = f"{taken.name}.csv"
    return f"“{taken.name}.csv” is there: choose strategies and measure."


def _remove(rag: SelfRag, name: str) -> None:
    rag.answers.files.remove(name, owner())
    st.session_state.pop(_FILE, None)
