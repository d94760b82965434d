"""Imports point one way, and nothing below the pages imports Streamlit."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "selfrag"

#: Each layer may import itself and what stands below it.
LAYERS = [
    {"deadline", "errors", "pages", "palette", "quotes", "settings", "storage", "wording"},
    {"index", "models"},
    {"retrieval", "records"},
    {"reflection", "evaluation", "documents", "sharing"},
    {"assembly", "service", "diagnosis", "process"},
    {"interfaces", "ui", "__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, those for type checking apart."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "selfrag":
                yield from (f"selfrag.{alias.name}" for alias in node.names)
            else:
                yield node.module


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


FILES = sorted(path for path in PACKAGE.rglob("*.py") if layer(path) != "__init__")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_one_way(path: Path):
    level = LEVEL[layer(path)]
    for module in imported(path):
        if module.startswith("selfrag."):
            below = module.split(".")[1]
            assert LEVEL[below] <= level, f"{module} is above {layer(path)}"


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if layer(path) != "ui"],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_nothing_below_the_pages_imports_streamlit(path: Path):
    assert not any(module.split(".")[0] == "streamlit" for module in imported(path))
