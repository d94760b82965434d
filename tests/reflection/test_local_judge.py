"""The local judge: right on plain cases, honest at its limits, deaf to what passages say."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from numpy.typing import NDArray

from selfrag.models.cues import Kind, asked_kind
from selfrag.models.evidence import EvidenceReader
from selfrag.quotes import find_quote
from selfrag.reflection.extractive_writer import NO_PASSAGES, ExtractiveWriter
from selfrag.reflection.grades import LIKELY, Support, Verdict
from selfrag.reflection.local_judge import LocalJudge
from selfrag.reflection.roles import Passage
from tests.reflection.test_extractive_writer import LEAVE, PASSAGES, ROYALTY, TRAVEL
from tests.support.encoder import packaged_encoder
from tests.support.passages import passage

ANSWERED = {
    "How many days of annual leave do I have?": 1,
    "How much is paid for meals?": 2,
    "Who negotiated the royalty agreement?": 3,
    "When does the patent expire?": 3,
}
UNANSWERED = [
    "What is the capital of Mongolia?",
    "What does the company pay for a gym membership?",
    "How is the server room cooled?",
    "Who chairs the works council?",
]


@pytest.fixture(scope="module")
def judge() -> LocalJudge:
    return LocalJudge(packaged_encoder())


@pytest.fixture(scope="module")
def writer() -> ExtractiveWriter:
    return ExtractiveWriter(packaged_encoder())


@pytest.mark.parametrize(
    ("answer", "useful"),
    [
        ("The script in A5 costs 10 euros.", True),
        ("The author studied in Karlsruhe.", False),
    ],
)
def test_answer_in_own_words_is_judged_by_the_sentences_that_back_it(
    judge: LocalJudge, answer: str, useful: bool
) -> None:
    text = (
        "The author studied mathematics in Karlsruhe. Whoever would like to have the script in A5 "
        "(black and white, ring binding) for 10 euros can write an e-mail to him."
    )
    question, kept = "How much is the script in A5?", [passage(1, text)]
    judge.grade_relevance(question, [*kept, *PASSAGES])
    assert judge.grade_usefulness(question, answer, kept).useful is useful


@pytest.mark.parametrize(("question", "number"), ANSWERED.items())
def test_passage_with_the_answer_is_relevant_and_the_answer_useful(
    judge: LocalJudge, writer: ExtractiveWriter, question: str, number: int
) -> None:
    grades = judge.grade_relevance(question, PASSAGES)
    assert grades[number - 1].relevant
    kept = [p for p, grade in zip(PASSAGES, grades, strict=True) if grade.relevant]
    answer = "".join(writer.write(question, kept))
    assert judge.grade_support(question, answer, kept).label is Support.FULLY
    useful = judge.grade_usefulness(question, answer, kept)
    assert useful.useful
    assert useful.score is not None
    assert useful.score >= 4


@pytest.mark.parametrize("question", UNANSWERED)
def test_nothing_is_relevant_to_what_the_documents_do_not_hold(
    judge: LocalJudge, question: str
) -> None:
    assert not any(grade.relevant for grade in judge.grade_relevance(question, PASSAGES))


def test_thought_names_the_words_shared_and_the_closest_sentence(judge: LocalJudge) -> None:
    grade = judge.grade_relevance("When does the patent expire?", PASSAGES)[2]
    assert "'patent'" in grade.thought
    assert "closest sentence: 'The patent expires in 2031.'" in grade.thought
    assert grade.probability is not None
    assert 0 <= grade.probability <= 1


def test_small_talk_needs_no_documents_and_questions_do(judge: LocalJudge) -> None:
    assert not judge.decide_retrieval("Good morning!").retrieve
    assert judge.decide_retrieval("How many days of leave?").retrieve


def test_quote_is_fully_supported_by_where_it_stands_whatever_the_mark_says(
    judge: LocalJudge,
) -> None:
    grade = judge.grade_support("When?", "The patent expires in 2031. [Doc 1]", PASSAGES)
    (claim,) = grade.claims
    assert (claim.support, claim.document) == (Support.FULLY, 3)
    assert claim.quote == "The patent expires in 2031."


def test_quoted_line_that_ends_in_a_colon_is_a_claim_and_a_lead_in_is_none(
    judge: LocalJudge,
) -> None:
    line = "100 points are given in these parts:"
    stands = [passage(1, f"ASSESSMENT\n{line}\nFirst test - 20 points\nSecond test - 25 points")]
    quoted = judge.grade_support("How many points are given?", f"{line} [Doc 1]", stands)
    assert [(claim.text, claim.support) for claim in quoted.claims] == [(line, Support.FULLY)]
    listed = judge.grade_support("What?", f"{line} [Doc 1]\nFirst test - 20 points [Doc 1]", stands)
    assert [claim.text for claim in listed.claims] == ["First test - 20 points"]


def test_what_is_only_likely_is_graded_as_likely(judge: LocalJudge) -> None:
    sure = judge.grade_usefulness(
        "When does the patent expire?", "The patent expires in 2031. [Doc 3]", PASSAGES
    )
    assert sure.probability is not None
    assert sure.probability >= LIKELY
    assert (sure.score, sure.missing) == (5, "")
    assert "probably answers" in sure.thought


def test_invented_sentence_is_not_supported(judge: LocalJudge) -> None:
    grade = judge.grade_support(
        "What of it?", "The moon is made of green cheese and orbits Jupiter. [Doc 1]", PASSAGES
    )
    assert grade.label is Support.NOT
    assert grade.unsupported == ("The moon is made of green cheese and orbits Jupiter.",)
    assert grade.claims[0].document is None


def test_label_follows_from_the_claims(judge: LocalJudge) -> None:
    answer = "The patent expires in 2031. [Doc 3] Dolphins sing operas in Finnish harbours. [Doc 3]"
    grade = judge.grade_support("When?", answer, PASSAGES)
    assert [c.support for c in grade.claims] == [Support.FULLY, Support.NOT]
    assert grade.label is Support.PARTIALLY


def test_paraphrase_is_backed_by_a_sentence_that_is_really_there(judge: LocalJudge) -> None:
    answer = "Employees get 25 days of annual leave each year [Doc 1]."
    (claim,) = judge.grade_support("How much leave?", answer, PASSAGES).claims
    assert claim.support in (Support.FULLY, Support.PARTIALLY)
    assert claim.document == 1
    assert claim.quote
    assert find_quote(claim.quote, LEAVE)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("It is not true that the patent expires in 2031.", "The patent expires in 2031."),
        (
            "No one believes that employees have 25 days of leave.",
            "Employees have 25 days of leave.",
        ),
    ],
)
def test_half_of_a_denial_is_no_quote(judge: LocalJudge, source: str, claim: str) -> None:
    grade = judge.grade_support("Is it so?", claim, [passage(1, source)])
    assert grade.claims[0].quote != claim.rstrip(".")
    assert "0 of 1" in grade.thought


def test_answer_that_rests_on_other_sentences_is_not_useful(judge: LocalJudge) -> None:
    answer = "Travel by train is reimbursed in second class. [Doc 2]"
    grade = judge.grade_usefulness("When does the patent expire?", answer, PASSAGES)
    assert grade.useful is False
    assert grade.score is not None
    assert grade.score < 4


def test_without_passages_there_is_no_usefulness_to_judge_and_no_error(
    judge: LocalJudge,
) -> None:
    grade = judge.grade_usefulness("hello", NO_PASSAGES, [])
    assert grade.useful is None
    assert not grade.error and "no documents" in grade.thought
    assert judge.grade_support("hello", NO_PASSAGES, []).label is Support.NOT_APPLICABLE
    assert judge.grade_relevance("hello", []) == []


@pytest.mark.parametrize(
    "question",
    [
        "What is this document about?",
        "what's in it about?",
        "Summarize this PDF",
        "Please summarise the documents",
        "Summarise the annual report.",
        "Do que se trata este documento?",
        "Resuma o documento",
        "¿De qué trata el documento?",
        "Worum geht es in diesem Dokument?",
    ],
)
def test_overview_quotes_what_was_found_and_claims_no_more(
    judge: LocalJudge, writer: ExtractiveWriter, question: str
) -> None:
    assert all(grade.relevant for grade in judge.grade_relevance(question, PASSAGES))
    answer = "".join(writer.write(question, PASSAGES))
    assert 1 <= answer.count("[Doc ") <= 3
    assert judge.grade_support(question, answer, PASSAGES).label is Support.FULLY
    assert judge.grade_usefulness(question, answer, PASSAGES).useful is None


def test_question_on_a_subject_is_no_overview(judge: LocalJudge) -> None:
    question = "Summarize the rules on parking for bicycles"
    assert not any(grade.relevant for grade in judge.grade_relevance(question, PASSAGES))


def test_rewrites_differ_each_time_and_end(judge: LocalJudge) -> None:
    question = "When does the patent of the university expire?"
    tried = [question]
    for _ in range(6):
        rewrite = judge.rewrite(question, tried, "", PASSAGES)
        if rewrite.query is None:
            break
        assert rewrite.query not in tried
        tried.append(rewrite.query)
    assert rewrite.query is None
    assert rewrite.thought
    assert tried[1] == "patent university expire"


def test_rewrite_without_passages_still_has_the_key_words(judge: LocalJudge) -> None:
    assert judge.rewrite("When does the patent expire?", [], "", []).query == "patent expire"


def test_grades_are_the_same_each_time(judge: LocalJudge) -> None:
    question = "Who negotiated the royalty agreement?"
    fresh = LocalJudge(EvidenceReader(packaged_encoder()))
    assert fresh.grade_relevance(question, PASSAGES) == judge.grade_relevance(question, PASSAGES)


@pytest.mark.parametrize("question", ["", "?", "the of and", "x" * 5000, "你好吗", "\u202e\u200b"])
@pytest.mark.parametrize("text", ["", "   ", "a", "[Doc 1]", "北京在中国。", "a | b\n1 | 2"])
def test_odd_input_gets_grades_and_no_crash(
    judge: LocalJudge, writer: ExtractiveWriter, question: str, text: str
) -> None:
    passages = [passage(1, text)]
    assert len(judge.grade_relevance(question, passages)) == 1
    answer = "".join(writer.write(question, passages))
    judge.grade_support(question, answer, passages)
    judge.grade_usefulness(question, answer, passages)
    judge.rewrite(question, [question], "", passages)


class Counting:
    """The real encoder, counting the texts it is given."""

    def __init__(self) -> None:
        self.texts = 0

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += len(texts)
        return packaged_encoder().vectors(texts)


def test_writer_and_judge_of_one_encoder_embed_at_most_five_texts_together() -> None:
    encoder = Counting()
    judge, writer = LocalJudge(encoder), ExtractiveWriter(encoder)
    question = "When does the patent expire?"
    judge.grade_relevance(question, PASSAGES)
    answer = "".join(writer.write(question, PASSAGES))
    judge.grade_support(question, answer, PASSAGES)
    judge.grade_usefulness(question, answer, PASSAGES)
    assert encoder.texts <= 4  # the question and three sentences: what a question costs


def grades_of(judge: LocalJudge, writer: ExtractiveWriter, passages: list[Passage]) -> list[object]:
    found: list[object] = []
    for question in [*ANSWERED, *UNANSWERED]:
        grades = judge.grade_relevance(question, passages)[: len(PASSAGES)]
        kept = [p for p, g in zip(passages, grades, strict=False) if g.relevant]
        answer = "".join(writer.write(question, kept)) if kept else ""
        useful = judge.grade_usefulness(question, answer, kept) if kept else None
        found.append(([g.relevant for g in grades], answer, useful and useful.useful))
        found.append(judge.rewrite(question, [question], "", passages).query)
    return found


def test_documents_that_say_both_decide_nothing_and_both_sentences_are_shown(
    judge: LocalJudge,
) -> None:
    old = passage(2, "Until the reform it was so: the old rule stands. Annual leave is 20 days.")
    new = passage(1, "Annual leave is 25 days. It is agreed with the head of the department.")
    grade = judge.grade_claim("Annual leave is 25 days.", [new])
    assert grade.verdict is Verdict.SUPPORTED
    grade = judge.grade_claim("Annual leave is 25 days.", [new, old])
    assert grade.verdict is Verdict.NOT_ENOUGH
    assert [(it.document, it.quote, it.against) for it in grade.evidence] == [
        (1, "Annual leave is 25 days.", False),
        (2, "Annual leave is 20 days.", True),
    ]
    assert "otherwise in another" in grade.thought


@pytest.mark.realdata
def test_no_passage_written_to_mislead_is_relevant_or_changes_another_grade(
    judge: LocalJudge, writer: ExtractiveWriter, shared_data: Path
) -> None:
    expected = grades_of(judge, writer, PASSAGES)
    lines = (shared_data / "injections.jsonl").read_text(encoding="utf-8").splitlines()
    for line in map(json.loads, lines):
        with_it = [*PASSAGES, passage(4, line["text"])]
        assert grades_of(judge, writer, with_it) == expected, line["id"]
        if "leave" in line["text"].lower():
            continue  # it does speak of annual leave
        for question in [*ANSWERED, *UNANSWERED]:
            assert not judge.grade_relevance(question, with_it)[3].relevant, line["id"]


@pytest.mark.realdata
def test_answer_sentence_is_first_as_often_as_reported(
    writer: ExtractiveWriter, shared_data: Path
) -> None:
    folder = shared_data / "beir" / "xquad-en"
    rows = [json.loads(line) for line in (folder / "answers.jsonl").open(encoding="utf-8")][::40]
    corpus = {
        row["_id"]: row["text"]
        for row in map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))
    }
    ids = sorted(corpus)
    right = []
    for place, row in enumerate(rows):
        others = [corpus[ids[(place * 7 + step) % len(ids)]] for step in (1, 2, 3)]
        texts = [corpus[row["doc_id"]], *(t for t in others if t != corpus[row["doc_id"]])]
        passages = [passage(n, text) for n, text in enumerate(texts, start=1)]
        answer = "".join(writer.write(row["question"], passages))
        right.append(any(a["text"] in answer for a in row["answers"]))
    assert np.mean(right) > 0.8


def test_a_question_is_answered_in_a_small_multiple_of_embedding_five_texts(
    judge: LocalJudge, writer: ExtractiveWriter
) -> None:
    # A ratio, because machines differ: everything but the embedding is to stay small beside it.
    reader = EvidenceReader(packaged_encoder())
    judge, writer = LocalJudge(reader), ExtractiveWriter(reader)
    long = [passage(n, f"{text} " * 3) for n, text in enumerate((LEAVE, TRAVEL, ROYALTY), start=1)]
    judge.grade_relevance("Which taxis are paid?", long)
    ratios = []
    for question in ANSWERED:
        sentences = re.split(r"(?<=\.) ", LEAVE + TRAVEL)[:4]
        begun = perf_counter()
        packaged_encoder().vectors([question, *sentences])
        embedding = perf_counter() - begun
        begun = perf_counter()
        judge.grade_relevance(question, long)
        answer = "".join(writer.write(question, long))
        judge.grade_support(question, answer, long)
        judge.grade_usefulness(question, answer, long)
        ratios.append((perf_counter() - begun) / embedding)
    assert np.median(ratios) < 3


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        (
            "Who wrote the paper on the parser?",
            "The paper describes LayoutParser, and the DIA library is open to everybody.",
            "a name",
        ),
        (
            "How fast is the tracer compared to the interpreter?",
            "We ran the tracer in 4 configurations and compared it to the interpreter of SFX.",
            "a number",
        ),
    ],
)
def test_answer_without_the_kind_of_thing_that_is_asked_for_is_not_useful(
    judge: LocalJudge, question: str, text: str, lacks: str
) -> None:
    passages = [passage(1, text)]
    judge.grade_relevance(question, [*passages, *PASSAGES])
    grade = judge.grade_usefulness(question, f"{text} [Doc 1]", passages)
    assert grade.useful is False
    assert f"asks for {lacks}" in grade.thought


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("When does the patent expire, in 2019?", "2019"),
        ("When does the patent expire after the royalty agreement?", "after"),
        ("When does the patent expire?", None),
    ],
)
def test_answer_that_may_be_of_another_year_or_time_is_given_as_perhaps_one(
    judge: LocalJudge, question: str, lacks: str | None
) -> None:
    judge.grade_relevance(question, PASSAGES)
    grade = judge.grade_usefulness(question, "The patent expires in 2031. [Doc 3]", PASSAGES)
    assert grade.useful
    assert grade.perhaps is (lacks is not None)
    assert not lacks or f"'{lacks}'" in grade.thought


def test_when_inside_a_question_asks_for_no_date() -> None:
    assert asked_kind("How many passengers did the ferry have when it arrived?") is Kind.NUMBER
    assert asked_kind("Quem era o diretor quando a ala abriu?") is Kind.PERSON
    for question in (
        "When did the ferry arrive?",
        "Who came, and when?",
        "Since when is she there?",
        "Desde quando ela é síndica?",
    ):
        assert asked_kind(question) is Kind.TIME


def test_probable_answer_to_who_without_a_name_is_given_as_perhaps_one(judge: LocalJudge) -> None:
    text = "A new wing for temporary exhibitions opens on Monday, 14 September 2025."
    passages = [passage(1, text)]
    judge.grade_relevance("Who designed the new wing?", [*passages, *PASSAGES])
    grade = judge.grade_usefulness("Who designed the new wing?", f"{text} [Doc 1]", passages)
    assert grade.perhaps


def test_same_question_is_answered_by_a_sentence_that_has_it(judge: LocalJudge) -> None:
    question = "Who wrote the paper on the parser?"
    text = "The paper on the parser was written by Zejiang Shen and five others."
    passages = [passage(1, text)]
    judge.grade_relevance(question, [*passages, *PASSAGES])
    assert judge.grade_usefulness(question, f"{text} [Doc 1]", passages).useful
