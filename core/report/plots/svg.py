"""Turns a matplotlib figure into SVG that stands in a page with a strict policy: no inline style, no metadata, no id
that another plot has, colours by the page's style sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from adidem.core.language.patterns import Pattern
from adidem.core.report.plots.style import NAMED

SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"
KEPT = frozenset("fill stroke stroke-width stroke-dasharray stroke-dashoffset opacity fill-opacity text-anchor".split())
"""Of an inline style what becomes an attribute; the rest is said once in the style sheet."""

PLACES = frozenset({"d", "x", "y", "width", "height", "transform"})
"""Attributes whose numbers are places in the plot: a hundredth of a point is more than anybody sees."""

_SIZE = Pattern(r"([\d.]+)px")
_REFERENCE = Pattern(r"url\(#([^)]+)\)")
_LONG = Pattern(r"-?\d+\.\d{3,}")


def inline(figure: Any, name: str, says: str) -> str:
    """The figure as one `<svg>` element; `name` makes its ids its own, `says` is read out in its place."""
    out = BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(out.getvalue())
    used = set(_references(root))
    for parent in root.iter():
        parent.tail = None
        if parent.tag != f"{{{SVG}}}text":
            parent.text = None
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _plain(element, name, used)
    root.attrib = {"viewBox": root.attrib["viewBox"], "class": "plot", "role": "img", "aria-label": says}
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _references(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        if LINK in element.attrib:
            yield element.attrib[LINK].removeprefix("#")
        for value in element.attrib.values():
            yield from (found[1] for found in _REFERENCE.finditer(value))


def _plain(element: ElementTree.Element, name: str, used: set[str]) -> None:
    """Styles to attributes, colours to classes, ids to the plot's own."""
    style = element.attrib.pop("style", "")
    for part in style.split(";"):
        key, _, value = (text.strip() for text in part.partition(":"))
        if key in KEPT:
            element.attrib[key] = value
        elif key == "font" and (size := _SIZE.search(value)):
            element.attrib["font-size"] = size[1]
        elif key == "font-size":
            element.attrib[key] = value.removesuffix("px")
    classes = [
        f"{place}-{NAMED[element.attrib.pop(place).lower()]}"
        for place in ("fill", "stroke")
        if element.attrib.get(place, "").lower() in NAMED
    ]
    if classes:
        element.attrib["class"] = " ".join(classes)
    if "id" in element.attrib:
        own = element.attrib.pop("id")
        if own in used:
            element.attrib["id"] = f"{name}-{own}"
    if LINK in element.attrib:
        element.attrib["href"] = f"#{name}-{element.attrib.pop(LINK).removeprefix('#')}"
    for key in PLACES & element.attrib.keys():
        element.attrib[key] = " ".join(_LONG.sub(_rounded, element.attrib[key]).split())
    for key, value in element.attrib.items():
        element.attrib[key] = _REFERENCE.sub(lambda found: f"url(#{name}-{found[1]})", value)


def _rounded(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}"
