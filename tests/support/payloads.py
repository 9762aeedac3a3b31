"""Thirty hostile texts that no page, report or terminal may run, load from, or be laid out by.

Each sets `window.ran` where it is executed, asks a port of this machine that nobody listens on where it loads, or tries
to break out of its place. Tests plant them in names, turns, records, reasons, messages and labels.
"""

from __future__ import annotations

RAN = "window.ran = 1"
NOWHERE = "http://127.0.0.1:9"
ESC = "\x1b"

PAYLOADS: tuple[str, ...] = (
    # scripts
    f"<script>{RAN}</script>",
    f"</script><script>{RAN}</script>",
    f"<scr<script>ipt>{RAN}</scr</script>ipt>",
    f"<SCRIPT SRC={NOWHERE}/x.js></SCRIPT>",
    f"</p></li></td></table></details></article></main></body><script>{RAN}</script>",
    f"<!--><script>{RAN}</script-->",
    f"]]><script>{RAN}</script><![CDATA[",
    # event handlers and breaking out of attributes
    f'"><img src=x onerror="{RAN}">',
    f"' onmouseover='{RAN}' autofocus onfocus='{RAN}' x='",
    f"<details open ontoggle='{RAN}'>&#60;script&#62;</details>",
    f"<form action={NOWHERE}/><button autofocus onfocus='{RAN}'>go</button></form>",
    f"<video autoplay onloadstart='{RAN}'><source src={NOWHERE}/x.mp4 onerror='{RAN}'></video>",
    # SVG and frames
    f"<svg onload='{RAN}'><animate onbegin='{RAN}' attributeName=x dur=1s></svg>",
    f"</text></g></svg><svg><script>{RAN}</script></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>parent.ran = 1</script>'></iframe></foreignObject></svg>",
    f'<iframe src="javascript:parent.ran = 1"></iframe><object data={NOWHERE}/x></object><embed src={NOWHERE}/x>',
    # loading, moving and restyling the page
    f"<style>* {{ display: none !important }}</style><link rel=stylesheet href={NOWHERE}/x.css>",
    f"<meta http-equiv=refresh content='0;url={NOWHERE}/'><base href={NOWHERE}/>",
    f"<div style='position: fixed; inset: 0; background: url({NOWHERE}/x.png)'>over everything</div>",
    f'<a href="javascript:{RAN}" id=payload>click</a> javascript:{RAN}',
    # templates, formulas and mathematics
    f"{{{{ 7 * 7 }}}} {{% raise %}} ${{{RAN}}} `${{{RAN}}}` {{{{ ''.__class__ }}}}",
    f'=HYPERLINK("{NOWHERE}/","open")',
    "$\\frac{1}{$ _{x^ $$ \\input{/etc/passwd}",
    "| a | b |\n|---|---|\n# heading\n[link](javascript:alert(1)) ![i](http://127.0.0.1:9/i.png)",
    # direction, marks and characters that cannot be seen
    "\u202eevil\u2066 \u200f\u202d<script>window.ran = 1</script>",
    "Z" + "\u0334\u0335\u0336\u0337\u0338" * 400 + " algo",
    "\x00\x08\x0b\x7f\x85 nul and\u2028 separators \ufeff \ud7ff \ufffe",
    # terminals
    f"{ESC}[2J{ESC}[1;1H{ESC}[31mred{ESC}]0;title\x07{ESC}]8;;{NOWHERE}\x07link{ESC}]8;;\x07\x9b31m",
    "[bold red]markup[/bold red] [/] [link=http://127.0.0.1:9]here[/link]",
    # length
    "W" * 1_000_000,
)
