"""An answer as a tree of text whose claims know their support and whose marks can be clicked.

The Markdown that a model writes is read by a CommonMark parser and kept as data: the page builds
elements from it, never HTML. Links and images are kept as their text, since an answer made from a
document must not lead anywhere but into that document.
"""

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from selfrag.reflection.events import ClaimGrade
from selfrag.reflection.grades import Support

Node = dict[str, Any]

#: support of a claim -> how it is marked; what could not be graded stays unmarked
KINDS = {Support.FULLY: "full", Support.PARTIALLY: "partial", Support.NOT: "none"}

_MARK = re.compile(r"\[(\d{1,3})\]")
_ANY_MARK = re.compile(r"\s*\[(?:doc(?:ument)?\.?\s*)?\d{1,3}\]", re.IGNORECASE)
_BLANK = re.compile(r"\n{2,}")
_ACTIVE = re.compile(r"([\\`*_~<>\[\]!&|#+-])")
_BLOCKS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "heading": "h",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
}
_INLINE = {"strong": "strong", "em": "em", "s": "s"}
_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def answer_tree(
    answer: str, claims: Sequence[ClaimGrade], numbers: Sequence[int], *, quoted: bool = False
) -> list[Node]:
    """The answer as nodes for the page.

    Args:
        answer: Markdown with marks ``[1]``.
        claims: as graded; each is found in the answer by its letters, whatever its spacing.
        numbers: the citations that exist; any other mark stays text.
        quoted: the answer consists of sentences from documents and is no Markdown at all.

    Returns:
        ``{"tag", "children"}`` for an element, ``{"text", "support", "claim"}`` for a text
        (support ``full``, ``partial``, ``none`` or None), ``{"cite": n}`` for a mark.
    """
    root: list[Node] = []
    if quoted:
        root += [
            {"tag": "p", "children": [{"text": part}]} for part in _BLANK.split(answer) if part
        ]
    else:
        stack = [root]
        for token in _parser.parse(_with_quotes_kept(answer, claims)):
            _block(token, stack)
    leaves = list(_leaves(root, set(numbers)))
    _colour(leaves, claims)
    return root


def _with_quotes_kept(answer: str, claims: Sequence[ClaimGrade]) -> str:
    """Markdown in which the words that are quoted from a document stand for themselves.

    A model writes Markdown, but a star or a link inside a sentence that it copied is the
    document's, and what is checked against the page must read as on the page.
    """
    places: list[tuple[int, int]] = []
    for quote in {claim.quote.strip() for claim in claims if claim.quote}:
        start = answer.find(quote) if _ACTIVE.search(quote) else -1
        while start >= 0:
            places.append((start, start + len(quote)))
            start = answer.find(quote, start + len(quote))
    parts, position = [], 0
    for start, end in sorted(places):
        if start >= position:
            parts += [answer[position:start], _ACTIVE.sub(r"\\\1", answer[start:end])]
            position = end
    return "".join([*parts, answer[position:]])


def _block(token: Token, stack: list[list[Node]]) -> None:
    name = token.type.removesuffix("_open").removesuffix("_close")
    if token.type == "inline":
        _inline(token.children or [], stack[-1])
    elif token.type in ("fence", "code_block"):
        stack[-1].append({"tag": "pre", "children": [{"text": token.content, "code": True}]})
    elif token.type == "hr":
        stack[-1].append({"tag": "hr", "children": []})
    elif token.nesting == 1:
        tag = "div" if token.hidden else _BLOCKS.get(name, "div")
        node: Node = {"tag": tag, "children": []}
        if start := token.attrGet("start"):
            node["start"] = int(start)
        stack[-1].append(node)
        stack.append(node["children"])
    elif token.nesting == -1:
        stack.pop()
    elif token.content:
        stack[-1].append({"tag": "p", "children": [{"text": token.content}]})


def _inline(tokens: Sequence[Token], into: list[Node]) -> None:
    stack = [into]
    for token in tokens:
        name = token.type.removesuffix("_open").removesuffix("_close")
        if token.type == "softbreak":
            stack[-1].append({"text": "\n"})
        elif token.type == "hardbreak":
            stack[-1].append({"tag": "br", "children": []})
        elif token.type == "code_inline":
            stack[-1].append({"tag": "code", "children": [{"text": token.content}]})
        elif name in _INLINE and token.nesting == 1:
            node: Node = {"tag": _INLINE[name], "children": []}
            stack[-1].append(node)
            stack.append(node["children"])
        elif name in _INLINE and token.nesting == -1:
            stack.pop()
        elif token.content:
            stack[-1].append({"text": token.content})


def _leaves(nodes: list[Node], numbers: set[int]) -> list[tuple[list[Node], Node]]:
    """Every text with the list that holds it, marks split off as nodes of their own."""
    found: list[tuple[list[Node], Node]] = []
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        if "children" in node:
            found[:0] = _leaves(node["children"], numbers)
        elif "text" in node and not node.get("code"):
            parts = _split_marks(node["text"], numbers)
            nodes[position : position + 1] = parts
            found[:0] = [(nodes, part) for part in parts if "text" in part]
    return found


def _split_marks(text: str, numbers: set[int]) -> list[Node]:
    parts: list[Node] = []
    position = 0
    for mark in _MARK.finditer(text):
        if int(mark[1]) not in numbers:
            continue
        if before := text[position : mark.start()]:
            parts.append({"text": before})
        parts.append({"cite": int(mark[1])})
        position = mark.end()
    if rest := text[position:]:
        parts.append({"text": rest})
    return parts


def _colour(leaves: list[tuple[list[Node], Node]], claims: Sequence[ClaimGrade]) -> None:
    """Give every stretch of text the support of the claim it belongs to."""
    letters: list[tuple[int, int]] = []  #: leaf and position of every letter that counts
    squeezed: list[str] = []
    for number, (_, leaf) in enumerate(leaves):
        for position, letter in enumerate(leaf["text"]):
            for folded in squeeze(letter):
                squeezed.append(folded)
                letters.append((number, position))
    haystack = "".join(squeezed)
    owners: list[list[int | None]] = [[None] * len(leaf["text"]) for _, leaf in leaves]
    after = 0
    for index, claim in enumerate(claims):
        needle = squeeze(_ANY_MARK.sub("", claim.text))
        if not needle or claim.support not in KINDS:
            continue
        start = haystack.find(needle, after)
        if start < 0:
            start = haystack.find(needle)
        if start < 0:
            continue
        after = start + len(needle)
        _own(owners, letters[start], letters[after - 1], index)
    for number in range(len(leaves) - 1, -1, -1):
        parent, leaf = leaves[number]
        where = next(i for i, node in enumerate(parent) if node is leaf)
        parent[where : where + 1] = _stretches(leaf["text"], owners[number], claims)


def _own(
    owners: list[list[int | None]], first: tuple[int, int], last: tuple[int, int], claim: int
) -> None:
    for leaf in range(first[0], last[0] + 1):
        begin = first[1] if leaf == first[0] else 0
        end = last[1] if leaf == last[0] else len(owners[leaf]) - 1
        for position in range(begin, end + 1):
            owners[leaf][position] = claim


def _stretches(text: str, owners: Sequence[int | None], claims: Sequence[ClaimGrade]) -> list[Node]:
    parts: list[Node] = []
    begin = 0
    for position in range(1, len(text) + 1):
        if position < len(text) and owners[position] == owners[begin]:
            continue
        owner = owners[begin]
        kind = KINDS[claims[owner].support] if owner is not None else None
        parts.append({"text": text[begin:position], "claim": owner, "support": kind})
        begin = position
    return parts


def squeeze(text: str) -> str:
    """Letters and digits alone: how a claim is told again never changes those."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())
