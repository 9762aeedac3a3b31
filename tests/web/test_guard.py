"""Who may ask the viewer: Host, Origin, the token; and the headers of every answer."""

import pytest

from adidem.core.errors import ConfigError
from adidem.core.web.guard import HEADERS, POLICY, Access, Guard, loopback
from adidem.core.web.serve import listen
from viewing import asked

TOKEN = "a-token-of-some-length"


async def hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b"hello"})


def local(path="/", query=None, **headers):
    return asked(Guard(hello, Access.to("127.0.0.1", 8610, None)), path, query, headers)


def remote(path="/", query=None, host="0.0.0.0", also=(), **headers):
    return asked(Guard(hello, Access.to(host, 8610, TOKEN, also)), path, query, headers)


@pytest.mark.parametrize("host", ["127.0.0.1:8610", "localhost:8610", "LOCALHOST", "localhost:9000", "[::1]:8610"])
def test_this_machine_is_answered_under_any_port_as_through_a_tunnel(host):
    assert local(host=host).status == 200


STRANGE = """evil.example evil.example:8610 127.0.0.1.evil.example localhost.evil.example 192.168.0.7:8610 [
evil.example@127.0.0.1.example 0.0.0.0:8610""".split()


@pytest.mark.parametrize("host", [*STRANGE, ""])
def test_any_other_name_is_refused(host):
    answer = local(host=host)
    assert answer.status == 421
    assert "hello" not in answer.text


def test_a_host_that_is_missing_is_refused():
    assert local(host=None).status == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:9999", "https://localhost:8610", "", "http://[", "http://[::1"],
)
def test_another_origin_is_refused(origin):
    answer = local(origin=origin)
    assert answer.status == 403
    assert answer.headers["content-security-policy"] == POLICY


def test_its_own_origin_is_answered():
    assert local(origin="http://127.0.0.1:8610").status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_elsewhere_may_link_but_not_load(site):
    assert local(**{"sec-fetch-site": site, "sec-fetch-mode": "navigate"}).status == 200
    for mode in ("no-cors", "cors", "same-origin", ""):
        assert local(**{"sec-fetch-site": site, "sec-fetch-mode": mode}).status == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_sent(method):
    answer = asked(Guard(hello, Access.to("127.0.0.1", 8610, None)), "/", method=method)
    assert answer.status == 405


@pytest.mark.parametrize("headers", [{}, {"host": "evil.example"}, {"origin": "http://evil.example"}])
def test_every_answer_has_the_headers(headers):
    answer = local(**headers)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_the_policy_allows_no_inline_script_and_nothing_from_elsewhere():
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "default-src 'none'" in POLICY


def test_off_loopback_nobody_is_answered_without_the_token():
    for query in (None, {"token": ""}, {"token": "wrong"}, {"token": TOKEN + "x"}):
        answer = remote(query=query)
        assert answer.status == 401
        assert "hello" not in answer.text
        assert TOKEN not in answer.text
    for cookie in ("adidem_view_8610=wrong", "adidem_view_8610=", f"other={TOKEN}", ""):
        assert remote(cookie=cookie).status == 401


def test_the_token_becomes_a_cookie_and_leaves_the_address():
    answer = remote("/episodes", {"run": "a b", "token": TOKEN, "q": 'x"y&z'}, host="127.0.0.9")
    assert answer.status == 303
    assert answer.headers["location"] == "/episodes?run=a+b&q=x%22y%26z"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert remote(cookie=f"a=b; {cookie.partition(';')[0]}").text == "hello"


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "/a\r\nset-cookie: x=y"])
def test_the_token_never_leads_elsewhere(path):
    place = remote(path, {"token": TOKEN}).headers["location"]
    assert place.startswith("/")
    assert not place.startswith(("//", "/\\"))
    assert "\r" not in place


def test_bound_to_everywhere_any_address_is_answered_but_no_name():
    cookie = f"adidem_view_8610={TOKEN}"
    assert remote(host="0.0.0.0", cookie=cookie).status == 200
    for name, status in (("10.0.0.7:8610", 200), ("[fd00::7]:8610", 200), ("rebound.example", 421), ("box:8610", 421)):
        answer = asked(Guard(hello, Access.to("0.0.0.0", 8610, TOKEN)), "/", None, {"host": name, "cookie": cookie})
        assert answer.status == status, name
    allowed = asked(
        Guard(hello, Access.to("::", 8610, TOKEN, ("Box",))), "/", None, {"host": "box:1", "cookie": cookie}
    )
    assert allowed.status == 200


LOOPBACK = dict.fromkeys(("127.0.0.1", "127.9.9.9", "::1", "localhost"), True)
ELSE = dict.fromkeys(("0.0.0.0", "::", "10.0.0.1", "box"), False)


@pytest.mark.parametrize(("host", "is_it"), {**LOOPBACK, **ELSE}.items())
def test_what_loopback_is(host, is_it):
    assert loopback(host) is is_it


def test_a_token_is_made_for_every_other_place_and_none_for_loopback():
    for host, needs in (("127.0.0.1", False), ("0.0.0.0", True)):
        place = listen(host, 0)
        place.socket.close()
        assert (place.access.token is not None) is needs
        assert ("token=" in place.url) is needs
        if needs:
            assert len(place.access.token) >= 32


@pytest.mark.parametrize("token", ["short", "", "a token with blanks in it", "naïve-token-naïve-token", "a;b" * 9])
def test_a_token_that_is_too_short_or_no_cookie_is_refused(token):
    with pytest.raises(ConfigError, match="a token has 16 or more"):
        listen("127.0.0.1", 0, token)


def test_a_port_that_is_taken_is_one_line():
    place = listen("127.0.0.1", 0)
    try:
        place.socket.listen()
        with pytest.raises(ConfigError, match="give another --port"):
            listen("127.0.0.1", place.socket.getsockname()[1])
    finally:
        place.socket.close()


@pytest.mark.parametrize("host", ["no such host", "999.1.1.1", "host.invalid", "a..b"])
def test_a_host_that_is_none_is_one_line(host):
    with pytest.raises(ConfigError, match="cannot listen on"):
        listen(host, 0)
