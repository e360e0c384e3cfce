# SPDX-License-Identifier: Apache-2.0
"""Horizontal bars as an SVG without scripts or fonts, for light and for dark pages."""

import dataclasses
from collections.abc import Sequence
from xml.sax.saxutils import escape

WIDTH = 800
LEFT, RIGHT = 250, 140
"""Room for the names, and for the two columns of numbers."""
TOP, ROW, BAR = 84, 24, 14
BOTTOM = 16

_STYLE = """
.page { fill: #ffffff; stroke: #d1d9e0 }
text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 }
.minor { font-size: 12px; fill: #59636e }
.end { text-anchor: end }
.native { fill: #0969da } .pure { fill: #8250df } .other { fill: #818b98 }
.unit { stroke: #59636e; stroke-dasharray: 3 3 }
.target { stroke: #d1242f; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117; stroke: #3d444d }
  text { fill: #f0f6fc }
  .minor { fill: #9198a1 }
  .native { fill: #4493f8 } .pure { fill: #ab7df8 } .other { fill: #656c76 }
  .unit { stroke: #9198a1 }
  .target { stroke: #ff7b72 }
}
"""


@dataclasses.dataclass(frozen=True)
class Bar:
    name: str
    value: float
    colour: str
    """native, pure or other."""
    note: str = ""
    """Shown in a column behind the value's."""
    target: float | None = None


def svg(title: str, subtitle: str, bars: Sequence[Bar]) -> str:
    """Values are ratios: 1 is drawn as a line through all bars."""
    longest = max([1.0, *(max(bar.value, bar.target or 0) for bar in bars)])
    unit = (WIDTH - LEFT - RIGHT) / longest
    height = TOP + ROW * len(bars) + BOTTOM
    box = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    one = f'x1="{LEFT + unit:.1f}" x2="{LEFT + unit:.1f}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
            f'<text class="title" x="20" y="30">{escape(title)}</text>',
            f'<text class="minor" x="20" y="50">{escape(subtitle)}</text>',
            *_legend(bars),
            *(line for number, bar in enumerate(bars) for line in _bar(bar, number, unit)),
            f'<line class="unit" {one} y1="{TOP - 6}" y2="{height - BOTTOM + 2}"/>',
            "</svg>\n",
        ]
    )


def _bar(bar: Bar, number: int, unit: float) -> list[str]:
    top = TOP + ROW * number
    middle = top + BAR - 3
    box = f'x="{LEFT}" y="{top}" width="{max(1, bar.value * unit):.1f}" height="{BAR}"'
    drawn = [
        f'<text class="end" x="{LEFT - 10}" y="{middle}">{escape(bar.name)}</text>',
        f'<rect class="{bar.colour}" {box} rx="2"/>',
        f'<text class="end" x="{WIDTH - 85}" y="{middle}">{bar.value:.2f}</text>',
        f'<text class="minor end" x="{WIDTH - 20}" y="{middle}">{escape(bar.note)}</text>',
    ]
    if bar.target is not None:
        x = LEFT + bar.target * unit
        drawn.append(
            f'<line class="target" x1="{x:.1f}" x2="{x:.1f}" y1="{top - 3}" y2="{top + BAR + 3}"/>'
        )
    return drawn


def _legend(bars: Sequence[Bar]) -> list[str]:
    names = [name for name in ("native", "pure") if any(bar.colour == name for bar in bars)]
    drawn = []
    x = LEFT
    for name in names:
        drawn.append(f'<rect class="{name}" x="{x}" y="{TOP - 24}" width="10" height="10" rx="2"/>')
        drawn.append(f'<text class="minor" x="{x + 15}" y="{TOP - 15}">{name} renderer</text>')
        x += 125
    if any(bar.target is not None for bar in bars):
        drawn.append(
            f'<line class="target" x1="{x + 4}" x2="{x + 4}" y1="{TOP - 26}" y2="{TOP - 12}"/>'
        )
        drawn.append(f'<text class="minor" x="{x + 15}" y="{TOP - 15}">target</text>')
    return drawn
