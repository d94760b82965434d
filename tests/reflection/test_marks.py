"""The answer as a tree: claims keep their support, marks are split off, nothing else gets in."""

from selfrag.reflection.events import ClaimGrade
from selfrag.reflection.grades import Support
from selfrag.reflection.marks import Node, answer_tree

FULL, PART, NONE = Support.FULLY, Support.PARTIALLY, Support.NOT


def claim(text: str, support: Support = FULL) -> ClaimGrade:
    return ClaimGrade(text=text, support=support)


def leaves(nodes: list[Node]) -> list[Node]:
    found = []
    for node in nodes:
        found += leaves(node["children"]) if "children" in node else [node]
    return found


def marked(nodes: list[Node], support: str) -> str:
    return "".join(leaf["text"] for leaf in leaves(nodes) if leaf.get("support") == support)


def text(nodes: list[Node]) -> str:
    return "".join(leaf.get("text", f"[{leaf.get('cite')}]") for leaf in leaves(nodes))


def tags(nodes: list[Node]) -> list[str]:
    found = []
    for node in nodes:
        if "tag" in node:
            found += [node["tag"], *tags(node["children"])]
    return found


def test_each_claim_has_its_own_support():
    tree = answer_tree(
        "Tides rise. [1] Ships wait. [2] Dogs fly.",
        [claim("Tides rise."), claim("Ships wait.", PART), claim("Dogs fly.", NONE)],
        [1, 2],
    )
    assert marked(tree, "full") == "Tides rise"
    assert marked(tree, "partial") == "Ships wait"
    assert marked(tree, "none") == "Dogs fly"
    assert [leaf["cite"] for leaf in leaves(tree) if "cite" in leaf] == [1, 2]


def test_claim_is_found_across_emphasis_marks_and_line_breaks():
    tree = answer_tree(
        "The **tidal range** [1] is\nthirteen metres.",
        [claim("The tidal range is thirteen metres. [Doc 1]")],
        [1],
    )
    assert marked(tree, "full").split() == ["The", "tidal", "range", "is", "thirteen", "metres"]
    assert "strong" in tags(tree)


def test_same_sentence_twice_is_marked_twice_in_order():
    tree = answer_tree("Yes. No. Yes.", [claim("Yes."), claim("No.", NONE), claim("Yes.")], [])
    assert [leaf["claim"] for leaf in leaves(tree) if leaf["support"]] == [0, 1, 2]


def test_claim_that_is_not_in_the_answer_marks_nothing():
    tree = answer_tree("Tides rise.", [claim("Something else entirely.")], [])
    assert not any(leaf["support"] for leaf in leaves(tree))


def test_claim_that_could_not_be_graded_stays_unmarked():
    tree = answer_tree("Tides rise.", [claim("Tides rise.", Support.UNKNOWN)], [])
    assert not any(leaf["support"] for leaf in leaves(tree))


def test_mark_that_names_no_citation_stays_text():
    tree = answer_tree("See a[7] and this. [1]", [], [1])
    assert text(tree) == "See a[7] and this. [1]"
    assert [leaf["cite"] for leaf in leaves(tree) if "cite" in leaf] == [1]


def test_links_and_images_lead_nowhere():
    tree = answer_tree(
        "Go [here](https://evil.test/?q=1) ![pixel](https://evil.test/p.png).", [], []
    )
    assert "evil.test" not in str(tree)
    assert text(tree) == "Go here pixel."


def test_html_is_text():
    tree = answer_tree("<script>alert(1)</script> and <b>bold</b>", [], [])
    assert text(tree) == "<script>alert(1)</script> and <b>bold</b>"
    assert tags(tree) == ["p"]


def test_lists_tables_and_code_keep_their_shape():
    tree = answer_tree(
        "3. one\n4. two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\nx[1]\n```", [], [1]
    )
    assert tree[0]["tag"] == "ol" and tree[0]["start"] == 3
    assert {"li", "table", "th", "td", "pre"} <= set(tags(tree))
    assert not any("cite" in leaf for leaf in leaves(tree))


def test_claim_may_run_over_two_list_items():
    tree = answer_tree("- tides rise\n- ships wait", [claim("tides rise ships wait")], [])
    assert marked(tree, "full") == "tides riseships wait"


def test_empty_answer_is_an_empty_tree():
    assert answer_tree("", [claim("x")], []) == []


HOSTILE = (
    "Set __init__ to *two* ~~stars~~ for $5 and $6, see [here](https://a.test) <b>now</b> # 1."
)


def test_quoted_sentences_show_as_they_stand():
    tree = answer_tree(f"{HOSTILE} [1]\n\n> - second", [claim(HOSTILE)], [1], quoted=True)
    assert text(tree) == f"{HOSTILE} [1]> - second"
    assert set(tags(tree)) == {"p"}
    assert marked(tree, "full") == HOSTILE.rstrip(".")


def test_model_may_format_but_not_the_words_it_copied():
    quote = HOSTILE.rstrip(".")
    graded = ClaimGrade(text=quote, support=FULL, document=1, quote=quote)
    tree = answer_tree(f"**Note:** {quote}. [1]", [graded], [1])
    assert text(tree) == f"Note: {quote}. [1]"
    assert tags(tree) == ["p", "strong"]
