"""What the application prints when it starts: what is configured and what is missing."""

import sys
from collections.abc import Sequence

from selfrag.diagnosis import Check, Verdict

MARKS = {Verdict.OK: "+", Verdict.MISSING: "-", Verdict.PROBLEM: "!"}


def announce(checks: Sequence[Check], url: str) -> None:
    """Print one line for each check, and where programs are served, on standard error."""
    print("\nSelf-RAG is ready.", file=sys.stderr)
    for check in checks:
        print(f"  {MARKS[check.verdict]} {check.name}: {check.sentence}", file=sys.stderr)
    print(f"  + for programs: {url}/api/docs, MCP at {url}/mcp and {url}/sse", file=sys.stderr)
    print(file=sys.stderr, flush=True)
