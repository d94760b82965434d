"""What each mode finds on retrieval sets, and what each stage adds to the one before.

    python -m selfrag.evaluation.modes DIR... [--cache FOLDER] [--chunked]

Prints one table a set, in Markdown. Differences are in nDCG@10, with the p of the randomisation
test; modes in which a stage was skipped say so. The cross-encoder is the one that
``RERANKER_MODEL`` names, fetched before anything is measured.
"""

import argparse
import logging
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from selfrag.errors import UserError
from selfrag.evaluation.beir import read_beir
from selfrag.evaluation.experiment import Cutting, Experiment, experiment
from selfrag.evaluation.metrics import MEASURES, Values, means, per_query
from selfrag.evaluation.paired import Difference, compare
from selfrag.evaluation.verdict import name_of_mean
from selfrag.models.cross_encoders import FetchedReranker
from selfrag.models.embeddings import make_embeddings
from selfrag.models.rerankers import make_reranker
from selfrag.retrieval.result import Mode, StageStatus
from selfrag.settings import load_settings

#: Mode -> the mode that it adds one stage to.
BEFORE = {
    Mode.HYBRID: Mode.BM25,
    Mode.HYBRID_MMR: Mode.HYBRID,
    Mode.HYBRID_RERANK: Mode.HYBRID,
    Mode.FULL: Mode.HYBRID,
}


@dataclass(frozen=True, slots=True)
class ModeFigures:
    """One mode on one set.

    Attributes:
        values: measure -> query id -> value.
        seconds: median of a search, its query's vector known already.
        skipped: stages of the mode that could not run.
        added: against the mode in ``BEFORE``, in nDCG@10; None for single lists.
    """

    mode: Mode
    values: Values
    seconds: float
    skipped: tuple[str, ...]
    added: Difference | None


def measure(opened: Experiment, modes: Sequence[Mode] = tuple(Mode)) -> list[ModeFigures]:
    """Every mode on an open set."""
    known: dict[Mode, Values] = {}
    figures = []
    for mode in modes:
        rankings: dict[str, list[str]] = {}
        seconds = []
        skipped: set[str] = set()
        for key, text in opened.data.queries.items():
            found = opened.search(text, mode)
            seconds.append(found.seconds)
            rankings[key] = opened.ranking(found)
            skipped |= {s.name for s in found.stages if s.status is StageStatus.SKIPPED}
        values = known[mode] = per_query(opened.data.qrels, rankings)
        before = known.get(BEFORE.get(mode, mode)) if mode in BEFORE else None
        added = compare(values[MEASURES[0]], before[MEASURES[0]]) if before else None
        figures.append(ModeFigures(mode, values, median(seconds), tuple(sorted(skipped)), added))
    return figures


def table(figures: Sequence[ModeFigures]) -> str:
    """The figures in Markdown."""
    heads = " | ".join(map(name_of_mean, MEASURES))
    lines = [
        f"| mode | {heads} | adds | win/tie/loss | p | ms | skipped |",
        f"| --- | {'--- | ' * len(MEASURES)}--- | --- | --- | --- | --- |",
    ]
    for each in figures:
        mean = means(each.values)
        shown = [mean[name] for name in MEASURES]
        cells = [
            each.mode.value,
            *("undefined" if value is None else f"{value:.3f}" for value in shown),
        ]
        if each.added is None:
            cells += ["", "", ""]
        else:
            p = each.added.p_randomisation
            cells += [
                f"{each.added.mean:+.4f} to {BEFORE[each.mode].value}",
                f"{each.added.wins}/{each.added.ties}/{each.added.losses}",
                "no test" if p is None else f"{p:.4f}",
            ]
        cells += [f"{each.seconds * 1000:.1f}", ", ".join(each.skipped)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 done, 1 failed."""
    parser = argparse.ArgumentParser(prog="python -m selfrag.evaluation.modes")
    parser.add_argument("folders", nargs="+", type=Path, help="in BEIR layout")
    parser.add_argument("--cache", type=Path, help="keep vectors here for the next time")
    parser.add_argument("--chunked", action="store_true", help="cut documents as PDFs are cut")
    parser.add_argument("--queries", default="queries.jsonl", help="file of queries")
    chosen = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="selfrag-models-") as models:
            settings, kept = load_settings(), chosen.cache or Path(models)
            model = make_embeddings(settings, kept)
            reranker = make_reranker(settings.reranker_model, kept / "rerankers")
            if isinstance(reranker, FetchedReranker):
                reranker.fetch(wait=True)
            for folder in chosen.folders:
                data = read_beir(folder, queries=chosen.queries)
                with experiment(
                    data,
                    model,
                    cutting=Cutting(chunked=chosen.chunked),
                    reranker=reranker,
                    cache_dir=chosen.cache,
                ) as opened:
                    sys.stdout.write(
                        f"\n### {data.name}: {len(data.queries)} queries, {opened.children} "
                        f"passages, {model.name}\n\n{table(measure(opened))}\n"
                    )
                    sys.stdout.flush()
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    sys.exit(main())
