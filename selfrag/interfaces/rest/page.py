"""The documentation page: the OpenAPI description as one HTML file that needs no network."""

import json
import re
import shlex
from html import escape
from typing import Any

from starlette.responses import HTMLResponse, Response

_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .75rem; border: 1px solid GrayText; border-radius: .4rem }
code, pre { font: .875rem/1.5 ui-monospace, monospace }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0 }
th { font-weight: 600; border-bottom: 1px solid GrayText }
summary { cursor: pointer; padding: .5rem 0 }
details { border-top: 1px solid GrayText }
.wide { overflow-x: auto; margin: 0 0 1rem }
"""
#: Nothing is fetched and nothing is run, whatever a description may say.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def page(document: dict[str, Any], url: str) -> Response:
    """The page; ``url`` is this server's, for the examples."""
    operations = [
        _operation(path, method, operation, document["components"]["schemas"], url)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    schemas = [
        f"<details id='{escape(name)}'><summary><code>{escape(name)}</code></summary>"
        f"<pre>{escape(json.dumps(schema, indent=2))}</pre></details>"
        for name, schema in sorted(document["components"]["schemas"].items())
    ]
    about = "".join(
        f"<p>{_code(part)}</p>" for part in document["info"]["description"].split("\n\n")
    )
    html = (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>Self-RAG for programs</title><style>{_STYLE}</style></head><body>"
        f"<h1>Self-RAG for programs</h1>{about}"
        "<p>For machines: <a href='openapi.json'>openapi.json</a> (OpenAPI 3.1). "
        "MCP clients connect to <code>/mcp</code> (streamable HTTP) or <code>/sse</code>.</p>"
        f"<h2>Endpoints</h2>{''.join(operations)}<h2>Schemas</h2>{''.join(schemas)}</body></html>"
    )
    return HTMLResponse(html, headers={"Content-Security-Policy": _POLICY})


def _operation(
    path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any], url: str
) -> str:
    rows = [
        (item["name"], _kind(item["schema"]), item["required"], item["description"])
        for item in operation["parameters"]
    ]
    asked = _table(("parameter", "what", "needed", "meaning"), rows) if rows else ""
    body = "".join(
        f"<p>Body: <code>{escape(media)}</code>, {_link(content['schema'])}</p>"
        for media, content in operation.get("requestBody", {}).get("content", {}).items()
    )
    answers = [
        (status, _media(told), told["description"])
        for status, told in sorted(operation["responses"].items())
    ]
    return (
        f"<details><summary><code><b>{method.upper()}</b> {escape(path)}</code> "
        f"{escape(operation['summary'])}</summary><p>{_code(operation.get('description', ''))}</p>"
        f"{asked}{body}{_table(('status', 'what', 'when'), answers)}"
        f"<pre>{escape(example(path, method, operation, schemas, url))}</pre></details>"
    )


def example(
    path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any], url: str
) -> str:
    """A command for a shell that calls it.

    What it asks stands as an example in the description; parts of the path that only the caller
    knows are in capitals.

    Args:
        schemas: the models of the description, by name.
    """
    words = ["curl", "-s"]
    body = operation.get("requestBody", {}).get("content", {})
    if method != ("post" if body else "get"):
        words += ["-X", method.upper()]
    if "multipart/form-data" in body:
        words += ["-F", "file=@FILE.pdf"]
    if "application/json" in body:
        schema = schemas[body["application/json"]["schema"]["$ref"].rpartition("/")[2]]
        asked = {name: schema["properties"][name]["examples"][0] for name in schema["required"]}
        words += ["-H", "Content-Type: application/json", "-d", json.dumps(asked)]
    for item in operation["parameters"]:
        if item["in"] == "query" and item["required"]:
            given = f"{item['name']}={item['schema']['examples'][0]}"
            words += ["-G", "--data-urlencode", given]
    place = re.sub(r"{(\w+)}", lambda part: part[1].upper(), path)
    return shlex.join([*words, f"{url}{place}"])


def _table(heads: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    head = "".join(f"<th>{item}</th>" for item in heads)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) for row in rows)
    return f"<div class='wide'><table><tr>{head}</tr>{body}</table></div>"


def _cell(cell: Any) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else ""
    return cell.html if isinstance(cell, _Html) else _code(str(cell))


class _Html:
    def __init__(self, html: str) -> None:
        self.html = html


def _media(told: dict[str, Any]) -> _Html:
    parts = [
        _link(content["schema"]) if "$ref" in content["schema"] else escape(media)
        for media, content in told["content"].items()
    ]
    return _Html(", ".join(parts))


def _link(schema: dict[str, Any]) -> str:
    name = escape(schema["$ref"].rpartition("/")[2])
    return f"<a href='#{name}'>{name}</a>"


def _kind(schema: dict[str, Any]) -> _Html:
    if "$ref" in schema:
        return _Html(_link(schema))
    return _Html(escape(str(schema.get("type", ""))))


def _code(text: str) -> str:
    """Text with its `code` marked."""
    parts = escape(text).split("`")
    return "".join(
        f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts)
    )
