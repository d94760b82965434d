"""What the trace of a search says in words, below the stages that ran."""

from dataclasses import asdict

from selfrag.retrieval.result import Stage, StageStatus
from selfrag.ui.funnel import remarks


def test_notes_skipped_stages_and_reasons_to_leave_one_out_are_said():
    stages = [
        Stage("dense", StageStatus.RAN, 0.01, None, 100, 100),
        Stage("fusion", StageStatus.RAN, 0.01, None, 150, 150, note="90 candidates are in (pt)"),
        Stage("mmr", StageStatus.OFF, reason="FULL_MMR is off"),
        Stage("rerank", StageStatus.SKIPPED, reason="it is being fetched (3 of 34 MB)"),
        Stage("parents", StageStatus.OFF),
    ]
    assert remarks([asdict(stage) for stage in stages]) == [
        "fusion: 90 candidates are in (pt)",
        "MMR is left out: FULL_MMR is off",
        "rerank was skipped: it is being fetched (3 of 34 MB)",
    ]


def test_run_recorded_before_notes_were_kept_is_still_drawn():
    stage = asdict(Stage("fusion", StageStatus.RAN))
    del stage["note"]
    assert remarks([stage]) == []
