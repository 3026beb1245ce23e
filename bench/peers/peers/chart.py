"""A bar chart of all results as SVG: every engine's speed over that of the fastest engine other than Skald."""
from xml.sax.saxutils import escape

from .report import describe, speed

COLOURS = ("#0b7285", "#e8890c", "#7048a8", "#5c7c2f", "#a0413c")  # Skald's first; again from the start after the last
LEFT, BAR, GAP, WIDTH, HEAD = 290, 15, 12, 900, 72  # pixels
ROOM = 96  # behind the longest bar, for its label


def draw(results):
    """Rows without a peer's result have nothing to be compared with and are left out."""
    engines = results.engines()
    colours = {e: COLOURS[i % len(COLOURS)] for i, e in enumerate(engines)}
    rows = [row for row in results.rows if row.faster_peer()]
    longest = max((row.median(e) / base(row) for row in rows for e in row.samples), default=1)
    unit = (WIDTH - LEFT - ROOM) / max(longest, 1)
    body, y = [], HEAD
    for row in rows:
        body += group(row, [e for e in engines if e in row.samples], colours, unit, y)
        y += len(row.samples) * BAR + GAP
    return page(y + 8, [line_at_one(unit, y), *heading(results), *legend(engines, colours), *body])


def base(row):
    return row.median(row.faster_peer())


def group(row, engines, colours, unit, top):
    """The bars of one row, and what it is."""
    middle = top + len(engines) * BAR / 2 + 4
    out = [text(LEFT - 8, middle, f"{row.shape} {row.type}, {row.title()}", anchor="end")]
    for i, engine in enumerate(engines):
        y, width = top + i * BAR, row.median(engine) / base(row) * unit
        out.append(f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{colours[engine]}"/>')
        ratio = row.median(engine) / base(row)
        out.append(text(LEFT + width + 5, y + BAR - 4, f"{ratio:.2f}  ({speed(row.median(engine))}/s)", size=11))
    return out


def heading(results):
    return [text(12, 22, "Speed over that of the fastest other engine; in brackets: tokens per second", size=15),
            text(12, 40, describe(results), size=11)]


def legend(engines, colours):
    out, x = [], LEFT
    for engine in engines:
        out.append(f'<rect x="{x}" y="50" width="11" height="11" fill="{colours[engine]}"/>')
        out.append(text(x + 16, 60, engine))
        x += 40 + 8 * len(engine)
    return out


def line_at_one(unit, bottom):
    x = LEFT + unit
    return f'<line x1="{x:.1f}" y1="{HEAD - 4}" x2="{x:.1f}" y2="{bottom}" stroke="#222" stroke-dasharray="4 3"/>'


def text(x, y, content, anchor="start", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(content)}</text>'


def page(height, body):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" fill="#222">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *body, "</svg>"]) + "\n"
