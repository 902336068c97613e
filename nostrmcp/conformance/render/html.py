"""A run as one HTML page: the matrix, and each failure with its traffic. No script, no network."""

from __future__ import annotations

from html import escape
from typing import TextIO

from ..stream import Cell, Stream, Summary, Value, summarise, told
from ..text import pretty, visible, visible_lines
from . import words

LIMIT = 500
_STYLE = """
:root{color-scheme:light dark;--good:#0a6b2d;--bad:#b3141f;--line:#8886}
@media(prefers-color-scheme:dark){:root{--good:#6fd08c;--bad:#ff8a8a}}
body{font:16px/1.5 system-ui,sans-serif;margin:1rem auto;padding:0 1rem;max-width:70rem;overflow-wrap:anywhere}
h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}
.scroll{overflow-x:auto}table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.3rem .6rem;
text-align:right;white-space:nowrap}th,caption{text-align:left}.good{color:var(--good)}.bad{color:var(--bad);font-weight:bold}
details{border:1px solid var(--line);border-radius:.4rem;padding:.5rem .8rem;margin:.5rem 0}summary{cursor:pointer}
pre{white-space:pre-wrap;background:#8881;padding:.5rem;border-radius:.3rem;font-size:.85rem;margin:.3rem 0}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:.8rem}
@media(max-width:45rem){.sides{grid-template-columns:1fr}}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(stream: Stream, out: TextIO) -> None:
    """Write the page; strangers' strings are text in it and nothing else."""
    header, summary, footer = summarise(stream)
    title = f"MCP over Nostr: {words.conclusion(header, footer)}"
    out.write(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head>\n<body><main>\n"
    )
    good = words.mood(footer)
    out.write(f'<h1>{_text(words.name_of(header))}: <span class="{good}">{_text(footer["verdict"])}</span></h1>\n')
    if footer["aborted"]:
        out.write(f"<p>{_text(footer['aborted'])}</p>\n")
    out.write(f"<p>{_text(words.tally(footer['counts']))}.</p>\n")
    facts = f"seed {header['seed']}, {footer['seconds']:.1f} s, {header['started']}, vectors {header['vectors'][:12]}"
    out.write(f"<p>Tested through <code>{_text(header['testee'])}</code>: {_text(facts)}.</p>\n")
    _write_matrix(summary, out)
    if summary.not_offered:
        out.write(f"<h2>Not offered</h2><p>{_text(', '.join(words.not_offered(header, summary)))}</p>\n")
    missing = words.not_run(footer, summary)
    if missing:
        out.write(f"<h2>Not run</h2><ul>{''.join(f'<li>{_text(one)}</li>' for one in missing)}</ul>\n")
    out.write("<h2>What did not pass</h2>\n")
    listed = 0
    for result in told(stream):
        listed += 1
        if listed <= LIMIT:
            _write_result(header, result, out)
    if not listed:
        out.write("<p>Nothing.</p>\n")
    if listed > LIMIT:
        out.write(f"<p>{listed - LIMIT} more are in the stream.</p>\n")
    out.write("</main></body></html>\n")


def _write_matrix(summary: Summary, out: TextIO) -> None:
    revisions, areas = words.matrix(summary)
    if areas:
        out.write('<h2>Revisions</h2><div class="scroll" tabindex="0" role="region" aria-label="Revisions"><table>')
        out.write("<caption>cases passed of asked</caption><thead><tr>")
        out.write("".join(f'<th scope="col">{_text(one)}</th>' for one in ["revision", "score", *areas]))
        out.write("</tr></thead><tbody>")
        for revision in revisions:
            cells = "".join(_cell(summary.cells.get((revision, area))) for area in areas)
            score = _text(words.score(summary.revisions[revision]))
            out.write(f'<tr><th scope="row">{_text(revision)}</th><td>{score}</td>{cells}</tr>')
        out.write("</tbody></table></div>\n")
    for name, found in [*words.ground(summary), (words.HARDENING, sorted(summary.hardening.items()))]:
        if found:
            rows = "".join(f'<tr><th scope="row">{_text(one)}</th>{_cell(cell)}</tr>' for one, cell in found)
            out.write(f'<h2>{_text(name)}</h2><div class="scroll"><table>')
            out.write(f"<caption>cases passed of asked</caption><tbody>{rows}</tbody></table></div>\n")


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    if words.is_bad(cell):
        return f'<td class="bad">{words.cell_text(cell)} ✗</td>'
    good = ' class="good"' if 0 < cell.passed == cell.asked else ""
    return f"<td{good}>{words.cell_text(cell)}</td>"


def _write_result(header: Value, result: Value, out: TextIO) -> None:
    bad = ' class="bad"' if result["verdict"] in words.BAD else ""
    out.write(f"<details><summary><span{bad}>{_text(result['verdict'])}</span> <code>{_text(result['case'])}</code> ")
    out.write(f"{_text(result['title'])}</summary>")
    out.write(f"<p>{_text(result['level'])}, {_text(result['suite'])}, {_text(result['op'])}: ")
    out.write(f"{_text(result['status'])}. {_text(result.get('detail', ''))}</p>")
    if "baseline" in result:
        out.write(f"<p>The baseline says: {_text(result['baseline']['reason'])}</p>")
    rows = [f"<li>{_text(name)}: {_text(text)}</li>" for name, text in result.get("requirements", {}).items()]
    rows += [f"<li>harm: {_text(effect)}</li>" for effect in result.get("notes", [])]
    out.write(f"<ul>{''.join(rows)}</ul>" if rows else "")
    if "expected" in result:
        out.write('<div class="sides">')
        for name in ("expected", "actual"):
            out.write(f"<div>{name}<pre>{_text(pretty(result.get(name, '')), lines=True)}</pre></div>")
        out.write("</div>")
    for who, line in result.get("wire", []):
        out.write(f"<div>{_text(who)}<pre>{_text(line)}</pre></div>")
    if result.get("stderr"):
        out.write(f"<div>standard error<pre>{_text(result['stderr'], lines=True)}</pre></div>")
    out.write(f"<div>again<pre>{_text(words.rerun(header, result))}</pre></div></details>\n")


def _text(value: object, lines: bool = False) -> str:
    text = str(value)
    return escape("\n".join(visible_lines(text)) if lines else visible(text))
