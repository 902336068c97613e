"""The HTML report in a real browser, without a network, as wide as a phone and as wide as a desk."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import zlib
from html import unescape
from pathlib import Path

import pytest

from nostrmcp.conformance.render import RENDERERS
from nostrmcp.conformance.stream import Stream

from .test_reports import MIXED, hostile_stream, stream_of

PLAIN = stream_of(*MIXED, verdict="violations", exit=1)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def browser() -> str:
    """A Chromium; where there is none the test skips, except where CI has to have one."""
    if CHROMIUM is None and os.environ.get("NOSTRMCP_BROWSER") == "required":
        pytest.fail("there is no chromium, and NOSTRMCP_BROWSER=required")
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    return CHROMIUM


def chromium(browser: str, page: Path, home: Path, *options: str) -> str:
    """Open a page without a network; what is printed."""
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        f"--user-data-dir={home / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND", *options, page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, timeout=120, check=True, env=os.environ | {"HOME": str(home)})
    return done.stdout.decode()


def pixels(path: Path) -> tuple[int, int, int]:
    """Width and height of a screenshot, and how many different bytes its picture has."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    packed, position = b"", 8
    while position < len(data):
        (length,) = struct.unpack(">I", data[position : position + 4])
        if data[position + 4 : position + 8] == b"IDAT":
            packed += data[position + 8 : position + 8 + length]
        position += 12 + length
    return width, height, len(set(zlib.decompress(packed)))


# A page around the report, so that a script of ours, which the report forbids, can measure it.
FRAME = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<iframe id="page" style="border:0;width:{width}px;height:900px" srcdoc="{report}"></iframe>
<pre id="found"></pre><script>
addEventListener("load", () => {{
  const inner = document.getElementById("page").contentDocument
  for (const one of inner.querySelectorAll("details")) one.open = true
  document.getElementById("found").textContent = JSON.stringify({{
    wide: inner.documentElement.scrollWidth, scripts: inner.scripts.length, images: inner.images.length,
    open: inner.querySelectorAll("details[open]").length, title: inner.title,
    size: parseFloat(inner.defaultView.getComputedStyle(inner.body).fontSize),
    columns: [...inner.querySelectorAll(".sides")].map(one =>
      inner.defaultView.getComputedStyle(one).gridTemplateColumns.split(" ").length),
  }})
}})
</script></body>
"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("stream", [PLAIN, hostile_stream()], ids=["plain", "hostile"])
def test_the_page_in_a_browser(width: int, stream: Stream, browser: str, tmp_path: Path) -> None:
    report, frame, shot = tmp_path / "report.html", tmp_path / "frame.html", tmp_path / "shot.png"
    with report.open("w", encoding="utf-8") as file:
        RENDERERS["html"](stream, file)
    quoted = report.read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
    frame.write_text(FRAME.format(width=width, report=quoted), encoding="utf-8")
    dom = chromium(browser, frame, tmp_path, "--dump-dom", "--virtual-time-budget=5000")
    measured = re.search('<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert measured is not None
    found = json.loads(unescape(measured[1]))
    assert found["wide"] <= width, "nothing but the matrix is scrolled sideways"
    assert (found["scripts"], found["images"]) == (0, 0)
    assert found["open"] >= 6
    assert found["size"] >= 16
    assert set(found["columns"]) == {1 if width < 700 else 2}, (
        "expected and actual stand side by side where there is room"
    )
    assert found["title"].startswith("MCP over Nostr: ")

    chromium(browser, report, tmp_path, f"--window-size={width},900", f"--screenshot={shot}")
    wide, high, colours = pixels(shot)
    assert high == 900 and wide >= width
    assert colours > 20, "there is something to be seen"
