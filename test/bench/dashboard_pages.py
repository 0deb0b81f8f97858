# ===- dashboard_pages.py - the dashboard as Markdown and HTML ----------------=== #
#
# Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------=== #
"""Pages of what dashboard.py measured. A page is a list of tables: title, note, head, rows of cells."""

from html import escape

import dashboard_tables as tables

HEADING = "dynac against its CPU peers"


def shown(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def percent(value):
    return "" if value is None else f"{100 * value:.0f} %"


def names(results):
    """Contenders that have a time somewhere."""
    return [name for name in tables.CONTENDERS if any(name in r.get("ms", {}) for r in results)]


def suites_table(results):
    peers = [name for name in names(results) if name != "dynac"]
    rows = [[row["suite"], row["models"], percent(row["pass_rate"]), row["timed"], shown(row["best_f32"]), row["below_0.9"],
             *(shown(row[peer]) for peer in peers)] for row in tables.suites(results)]
    note = (f"Speed: a peer's time over dynac's, geometric mean over models that take onnxruntime {tables.SHORT_MS:g} ms or more; "
            f"above 1 dynac is faster. A model that dynac does not get right counts {tables.MISSED:g}.")
    return ("Suites", note, ["suite", "models", "pass rate", "timed", "best f32 peer", "below 0.9",
                             *(tables.CONTENDERS[peer] for peer in peers)], rows)


def contenders_table(results):
    rows = [[row["contender"], f"{row['ran']} of {row['asked']}", shown(row["time"]), shown(row["compile_s"], 1), shown(row["compile"]),
             shown(row["memory_mb"], 0), shown(row["memory"]), row["why"]] for row in tables.contenders(results)]
    note = ("Geometric means over models that the contender and dynac both run. Compiling is CPU time until it is ready to run; "
            "peers compile when they load. Memory is the process's peak. Why: what most often kept it from running a model.")
    return ("Contenders", note, ["contender", "runs", "time, of dynac's", "compile s", "of dynac's", "peak MB", "of dynac's", "why"],
            rows)


def models_table(title, note, results):
    listed = names(results)
    rows = []
    for r in tables.by_ratio(results):
        missing = "; ".join(f"{tables.CONTENDERS.get(name, name)}: {why}"
                            for name, why in r.get("missing", {}).items() if name != "dynac" and name in listed)
        rows.append([r["name"], tables.SUITES.get(r["suite"], r["suite"]), r["state"], shown(tables.ratio(r)),
                     *(shown(r.get("ms", {}).get(name), 3) for name in listed), shown(r.get("compile_s", {}).get("dynac"), 1),
                     shown(r.get("artifact_mb"), 1), shown(r.get("memory_mb", {}).get("dynac"), 0),
                     "; ".join(filter(None, [r["why"], missing]))])
    head = ["model", "suite", "state", "speed", *(f"{tables.CONTENDERS[name]} ms" for name in listed), "compile s", "artifact MB",
            "peak MB", "why"]
    return title, note, head, rows


def page(results):
    long, short = ([r for r in results if tables.is_short(r) == wanted] for wanted in (False, True))
    result = [suites_table(results), contenders_table(results),
              models_table("Models", "Speed against the faster of the f32 peers, slowest first.", long)]
    if short:
        result.append(models_table(f"Models below {tables.SHORT_MS:g} ms", "Left out of the means above: they time the call.", short))
    return result


def facts_line(facts):
    threads, clock = facts["threads"], facts["clock"]
    return f"{facts['date']}, {facts['cpu']}, {threads} thread{'s' if threads > 1 else ''}, least {clock} time."


def markdown(results, facts, with_models=True):
    text = f"# {HEADING}\n\n{facts_line(facts)}\n"
    for title, note, head, rows in page(results)[:None if with_models else 2]:
        lines = [head, ["---"] * len(head), *([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)]
        text += f"\n## {title}\n\n{note}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
    return text


STYLE = """
:root{color-scheme:light dark;--page:#f7f7f5;--card:#fff;--text:#1c1f24;--soft:#5c6470;--line:#dcdfe3;--fast:#0b62c4;--slow:#b4490c}
@media(prefers-color-scheme:dark){:root{--page:#14171b;--card:#1c2026;--text:#e6e8eb;--soft:#9aa3af;--line:#343a43;--fast:#6cb2ff;
--slow:#ff9a4d}}
body{font:14px/1.45 system-ui,sans-serif;margin:0;padding:20px 24px 40px;color:var(--text);background:var(--page)}
h1{font-size:22px;margin:0}h2{font-size:16px;margin:26px 0 2px}p{margin:2px 0 10px;color:var(--soft);max-width:105ch}
.box{background:var(--card);border:1px solid var(--line);border-radius:10px;overflow-x:auto;display:inline-block;
max-width:100%;vertical-align:top}
table{border-collapse:collapse}td,th{padding:5px 12px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap;
font-variant-numeric:tabular-nums}tr:last-child td{border-bottom:0}th{font-weight:600;cursor:pointer;background:var(--card)}
td:first-child,th:first-child,.text{text-align:left}td.why{white-space:normal;min-width:22em;max-width:40em;color:var(--soft)}
.track{display:inline-block;width:96px;margin-left:8px;text-align:left}
.bar{display:inline-block;height:8px;border-radius:2px;background:var(--fast);vertical-align:1px}
.slow .bar{background:var(--slow)}.bad .state{color:var(--slow);font-weight:600}.total td{font-weight:600}
th[aria-sort=ascending]::after{content:" ▴"}th[aria-sort=descending]::after{content:" ▾"}
"""

# Columns sort by a click, numbers as numbers; empty cells stay below.
SCRIPT = """
for (const table of document.querySelectorAll('table')) table.querySelectorAll('th').forEach((th, i) => {
  th.tabIndex = 0;
  const sort = () => {
    const down = th.getAttribute('aria-sort') !== 'descending';
    table.querySelectorAll('th').forEach(h => h.removeAttribute('aria-sort'));
    th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const body = table.tBodies[0], key = row => row.cells[i].textContent.trim(), sign = down ? -1 : 1;
    [...body.rows].sort((a, b) => {
      const x = key(a), y = key(b);
      if (!x || !y) return !x - !y;
      return sign * (isNaN(parseFloat(x)) || isNaN(parseFloat(y)) ? x.localeCompare(y) : parseFloat(x) - parseFloat(y));
    }).forEach(row => body.append(row));
  };
  th.onclick = sort;
  th.onkeydown = event => { if (event.key === 'Enter') sort(); };
});
"""


def html_cell(title, cell):
    text = escape(str(cell))
    if title in ("speed", "best f32 peer") and cell:
        return f'<td>{text}<span class="track"><span class="bar" style="width:{min(float(cell), 4) * 24:.0f}px"></span></span></td>'
    kind = {"why": "text why", "state": "text state", "suite": "text"}.get(title)
    return f'<td class="{kind}">{text}</td>' if kind else f"<td>{text}</td>"


def row_class(head, row):
    cells = dict(zip(head, row))
    if row[0] == "all":
        return ' class="total"'
    if cells.get("state", "passed") != "passed":
        return ' class="bad slow"'
    speed = cells.get("speed") or cells.get("best f32 peer")
    return ' class="slow"' if speed and float(speed) < 1 else ""


def html(results, facts):
    body = ""
    for title, note, head, rows in page(results):
        body += f'<h2>{escape(title)}</h2>\n<p>{escape(note)}</p>\n<div class="box"><table><thead><tr>'
        body += "".join(f'<th{" class=text" if name in ("why", "state", "suite") else ""}>{escape(name)}</th>' for name in head)
        body += "</tr></thead><tbody>\n"
        for row in rows:
            body += f"<tr{row_class(head, row)}>" + "".join(map(html_cell, head, row)) + "</tr>\n"
        body += "</tbody></table></div>\n"
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{HEADING}</title><style>{STYLE}</style></head>\n<body><h1>{HEADING}</h1>\n<p>{escape(facts_line(facts))}</p>\n"
            f"{body}<script>{SCRIPT}</script></body></html>\n")
