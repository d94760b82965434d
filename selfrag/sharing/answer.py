"""An answer as HTML: claims marked by their support, numbers that lead to the evidence."""

from collections.abc import Sequence

from selfrag.reflection.events import RunFinished
from selfrag.reflection.marks import Node, answer_tree
from selfrag.sharing.page import text

#: how a claim is marked -> what that means
MEANING = {"full": "backed by a source", "partial": "partly backed", "none": "not backed"}
_TAGS = {
    *("p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "pre"),
    *("strong", "em", "s", "code", "div"),
}
_SIGNS = {"full": "✓", "partial": "!", "none": "✕"}


def answer_html(end: RunFinished, *, quoted: bool) -> str:
    """The answer with a legend of the marks that are in it.

    Args:
        quoted: whether it consists of sentences from documents, which are shown as they stand.
    """
    numbers = [citation.number for citation in end.citations]
    tree = answer_tree(end.answer, end.claims, numbers, quoted=quoted)
    found = _supports(tree)
    legend = "".join(
        f'<span class="item {kind}"><span class="sign" aria-hidden="true">{_SIGNS[kind]}</span> '
        f'<span class="claim {kind}">{words}</span></span>'
        for kind, words in MEANING.items()
        if kind in found
    )
    legend = f'<p class="legend">{legend}</p>' if legend else ""
    return f'<div class="answer">{_build(tree)}{legend}</div>'


def _build(nodes: Sequence[Node]) -> str:
    parts = []
    for node in nodes:
        if "cite" in node:
            number = int(node["cite"])
            parts.append(
                f'<a class="cite" href="#source-{number}" aria-label="Source {number}">{number}</a>'
            )
        elif "text" in node:
            parts.append(_leaf(node))
        elif node["tag"] in ("br", "hr"):
            parts.append(f"<{node['tag']}>")
        else:
            tag = "p" if node["tag"] == "h" else node["tag"] if node["tag"] in _TAGS else "div"
            heading = ' class="heading"' if node["tag"] == "h" else ""
            start = f' start="{int(node["start"])}"' if node.get("start") else ""
            parts.append(f"<{tag}{heading}{start}>{_build(node['children'])}</{tag}>")
    return "".join(parts)


def _leaf(node: Node) -> str:
    kind = node.get("support")
    if kind is None:
        return text(node["text"])
    said = "" if kind == "full" else f'<span class="unseen"> ({MEANING[kind]})</span>'
    title = MEANING[kind]
    return f'<span class="claim {kind}" title="{title}">{text(node["text"])}</span>{said}'


def _supports(nodes: Sequence[Node]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if node.get("support"):
            found.add(node["support"])
        found |= _supports(node.get("children", ()))
    return found
