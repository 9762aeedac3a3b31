"""The viewer's routes: the list of runs, a run's episodes, an episode with its pair, and what these pages ask for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import orjson
from attrs import define, field

from adidem.core.errors import ConfigError, UnknownName
from adidem.core.judging.fence import shown
from adidem.core.llm.templates import render
from adidem.core.report.text import spelled
from adidem.core.rules import Rules
from adidem.core.runs.finding import is_run, is_trained
from adidem.core.runs.store import RunStore
from adidem.core.web import formats
from adidem.core.web.folders import Runs
from adidem.core.web.guard import Access, App, Guard
from adidem.core.web.heads import Head, changed_at, damaged, glance, head
from adidem.core.web.index import Extent, Index
from adidem.core.web.pair import pair, whole_text
from adidem.core.web.query import ORDERS, Asked, Filters, facets, find
from adidem.core.web.training import Trained, curves, trained, written_at
from adidem.core.web.words import words

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PAGES, STATIC = Path(__file__).parent / "pages", Path(__file__).parent / "static"
TYPES = {"view.css": "text/css; charset=utf-8", "view.js": "text/javascript; charset=utf-8"}
AT_ONCE = 0.08
"""Seconds that a page spends on an index that is behind; the rest is done in the background."""
AT_ONCE_EACH = 0.03
"""The same, for each run of a list."""
GOING = 0.2
"""Seconds that the deleting of a run's folder may take."""
NOWHERE = Path(os.devnull)


class NotThere(ConfigError):
    """A link leads to what the run does not hold."""


@define
class Viewer:
    """What the pages are made of: the runs of a folder, the rules of the families that are loaded (by name), and the
    index of each run that was looked at."""

    runs: Runs
    rules: Mapping[str, Rules] = field(factory=dict)
    _indexes: dict[Path, Index] = field(factory=dict, init=False)
    _heads: dict[Path, tuple[float, Head]] = field(factory=dict, init=False)
    _trained: dict[Path, tuple[float, Trained]] = field(factory=dict, init=False)

    def index(self, folder: Path) -> Index:
        """The index of a run; one object a run, for all threads."""
        return self._indexes.setdefault(folder, Index(folder))

    # ------------------------------------------------------------------------------------------------------- pages

    def listed(self, _: Request) -> Response:
        """Every run, the latest first."""
        found = [self._head(name, folder) for name, folder in self.runs.all().items()]
        heads = [head for head in found if head is not None]
        heads.sort(key=lambda found: found.changed, reverse=True)
        taught = [self._taught(name, folder) for name, folder in self.runs.trained().items()]
        taught.sort(key=lambda found: found.changed, reverse=True)
        version, root = self._all_version(), str(self.runs.root)
        return self._page("runs.html.j2", "/live", version, heads=heads, trained=taught, root=root)

    def _taught(self, name: str, folder: Path) -> Trained:
        """What a list says of a training run, remembered until it is written again."""
        written, known = written_at(folder), self._trained.get(folder)
        if known is None or known[0] != written:
            known = self._trained[folder] = written, trained(name, folder)
        return known[1]

    def training(self, request: Request) -> Response:
        """The learning curves of a training run."""
        name = request.query_params.get("run", "")
        folder = self.runs.training(name)
        version, found = _version_of(folder), curves(folder)
        return self._page("training.html.j2", formats.link("/live", training=name), version, run=name, curves=found)

    def _head(self, name: str, folder: Path) -> Head | None:
        """What a list says of a run; what was said of one that is done is remembered until it is written again. None
        where it is gone meanwhile."""
        written, known = changed_at(folder), self._heads.get(folder)
        if known is not None and known[0] == written and known[1].extent.whole and known[1].state != "playing":
            return known[1]
        try:
            found = glance(name, self.index(folder), AT_ONCE_EACH)
        except ConfigError as error:
            return damaged(name, folder, str(error)) if is_run(folder) else None
        self._heads[folder] = written, found
        return found

    def episodes(self, request: Request) -> Response:
        """A run's episodes, filtered, a page at a time."""
        query = request.query_params
        name = query.get("run", "")
        index = self.index(self.runs.folder(name))
        extent, filters = index.refresh(AT_ONCE), Filters.read(query)
        with index.reading() as db:
            asked = Asked(db, filters)
            found = asked.page(query.get("after"), query.get("before"))
            choices = facets(db)
            failure = asked.next_failure() if found.count else None
        return self._page(
            "episodes.html.j2",
            formats.link("/live", run=name),
            self._version(index, extent),
            run=name,
            head=head(name, index, extent),
            filters=filters,
            page=found,
            facets=choices,
            failure=failure,
            orders=ORDERS,
        )

    def episode(self, request: Request) -> Response:
        """An episode beside the one in the other world."""
        query = request.query_params
        name, key = query.get("run", ""), _key(query)
        index = self.index(self.runs.folder(name))
        extent, filters = index.refresh(AT_ONCE), Filters.read(query)
        with RunStore(index.folder) as store:
            try:
                found = pair(store, *key, self.rules, filters.terms)
            except KeyError:
                raise NotThere(f"the run {name} has no episode {' '.join(map(str, key))}") from None
        if found is None:
            raise ConfigError(f"the run {name} does not hold the scenario of {key[0]}")
        with index.reading() as db:
            row, asked = find(db, *key), Asked(db, filters)
            places: dict[str, Any] = {"row": row, "next": None, "previous": None, "failure": None, "at": 0, "count": 0}
            if row is not None:
                places["next"], places["previous"] = asked.beside(row), asked.beside(row, backwards=True)
                places["failure"] = asked.next_failure(row)
                places["at"], places["count"] = asked.position(row)
        return self._page(
            "episode.html.j2",
            formats.link("/live", run=name),
            self._version(index, extent),
            run=name,
            filters=filters,
            pair=found,
            **places,
        )

    # ------------------------------------------------------------------------------------------- what pages ask for

    def live(self, request: Request) -> Response:
        """The version of what a page shows: it changes when there is something new."""
        name, taught = request.query_params.get("run"), request.query_params.get("training")
        if taught is not None:
            return _json({"version": _version_of(self.runs.training(taught))})
        if name is None:
            return _json({"version": self._all_version()})
        index = self.index(self.runs.folder(name))
        return _json({"version": self._version(index, index.refresh(AT_ONCE))})

    def text(self, request: Request) -> Response:
        """One text of an episode in full, as plain text."""
        from starlette.responses import PlainTextResponse

        query = request.query_params
        with RunStore(self.runs.folder(query.get("run", ""))) as store:
            try:
                said = whole_text(store.episode(*_key(query)), query.get("part", ""), _number(query.get("turn", "")))
            except KeyError:
                said = None
        if said is None:
            raise NotThere(f"the run has no such text: {' '.join(map(str, _key(query)))}")
        return PlainTextResponse(said.encode("utf-8", "replace"), headers={"content-disposition": "inline"})

    def raw(self, request: Request) -> Response:
        """An episode as it is stored, as JSON."""
        from attrs import asdict

        with RunStore(self.runs.folder(request.query_params.get("run", ""))) as store:
            try:
                return _json(asdict(store.episode(*_key(request.query_params))))
            except KeyError:
                key = " ".join(map(str, _key(request.query_params)))
                raise NotThere(f"the run has no episode {key}") from None

    def static(self, request: Request) -> Response:
        """The style and the script of the pages."""
        from starlette.responses import Response

        name = request.path_params["name"]
        if name not in TYPES:
            raise UnknownName("file", name, TYPES)
        return Response(
            (STATIC / name).read_bytes(), headers={"content-type": TYPES[name], "cache-control": "no-cache"}
        )

    def icon(self, _: Request) -> Response:
        """No icon: browsers ask for one."""
        from starlette.responses import Response

        return Response(status_code=204)

    def refused(self, request: Request, error: Exception) -> Response:
        """What is not there, went away meanwhile, or cannot be read, as a page that says so."""
        missing = isinstance(error, UnknownName | NotThere)
        gone = None if missing else self._gone(request)
        return self._page("refused.html.j2", "", "", status=404 if missing or gone else 500, problem=gone or str(error))

    def _gone(self, request: Request) -> str | None:
        """That the run which was asked for was deleted meanwhile; None where it is there. A folder goes file by file,
        so it is looked at again a moment later."""
        name = request.query_params.get("run")
        for wait in (0.0, GOING):
            sleep(wait)
            there = {**self.runs.trained(), **self.runs.all()}.get(name or "", NOWHERE)
            if name is not None and not (is_run(there) or is_trained(there)):
                return f"the run {name} is gone: it was deleted while this page was made"
        return None

    def broken(self, request: Request, error: Exception) -> Response:
        """What fails though it should not: said on a page; the server's log has the rest."""
        gone = self._gone(request)
        if gone is not None:
            return self._page("refused.html.j2", "", "", status=404, problem=gone)
        return self._page("refused.html.j2", "", "", status=500, problem=f"{type(error).__name__}: {error}"[:2000])

    # ------------------------------------------------------------------------------------------------------ helpers

    def _page(self, template: str, live: str, version: str, *, status: int = 200, **values: Any) -> Response:
        from starlette.responses import HTMLResponse

        text = render(
            PAGES,
            template,
            f=formats,
            words=words(),
            assets=_assets(),
            live=live,
            version=version,
            single=self.runs.single,
            **values,
        )
        return HTMLResponse(shown(text).encode("utf-8", "replace"), status, {"cache-control": "no-store"})

    def _version(self, index: Index, extent: Extent) -> str:
        return f"{extent.version}-{spelled(index.folder.name)}"

    def _all_version(self) -> str:
        """Of the list: the times of all runs, and how far each index has got."""
        found = blake2b(digest_size=8)
        for name, folder in self.runs.all().items():
            found.update(f"{name}/{changed_at(folder)}/{self.index(folder).got}".encode())
        for name, folder in self.runs.trained().items():
            found.update(f"{name}/{written_at(folder)}".encode())
        return found.hexdigest()


def _version_of(folder: Path) -> str:
    """Of a training run: when it was last written."""
    return f"{written_at(folder)}"


def _key(query: Mapping[str, str]) -> tuple[str, str, int]:
    return query.get("task", ""), query.get("condition", "none"), _number(query.get("repeat", "0"))


def _number(said: str) -> int:
    return int(said) if said.isascii() and said.isdigit() and len(said) < 10 else -1


def _json(value: Any) -> Response:
    from starlette.responses import Response

    return Response(orjson.dumps(value), media_type="application/json", headers={"cache-control": "no-store"})


def _assets() -> dict[str, str]:
    """The addresses of style and script; a changed file has another one."""
    return {
        name.rpartition(".")[2]: f"/static/{name}?v={blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()}"
        for name in TYPES
    }


def build(viewer: Viewer, access: Access) -> App:
    """The app behind its guard."""
    from starlette.applications import Starlette
    from starlette.responses import RedirectResponse
    from starlette.routing import Route

    def home(request: Request) -> Response:
        if viewer.runs.single:
            (name,) = viewer.runs.all()
            return RedirectResponse(formats.link("/episodes", run=name), 303)
        return viewer.listed(request)

    def nowhere(request: Request, _: Exception) -> Response:
        return viewer.refused(
            request, UnknownName("page", request.url.path, ("/", "/episodes", "/episode", "/training"))
        )

    handlers: dict[Any, Callable[..., Any]] = {ConfigError: viewer.refused, 404: nowhere, Exception: viewer.broken}
    routes = [
        Route("/", home),
        Route("/episodes", viewer.episodes),
        Route("/episode", viewer.episode),
        Route("/training", viewer.training),
        Route("/episode.json", viewer.raw),
        Route("/text", viewer.text),
        Route("/live", viewer.live),
        Route("/static/{name}", viewer.static),
        Route("/favicon.ico", viewer.icon),
    ]
    return Guard(Starlette(routes=routes, exception_handlers=handlers), access)
