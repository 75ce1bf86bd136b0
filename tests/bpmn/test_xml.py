from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bpm.bpmn import Limits, read_file
from bpm.bpmn.limits import DEFAULT_LIMITS
from bpm.bpmn.xml import read_xml
from bpm.core.errors import DefinitionInvalid
from tests.bpmn.files import HEAD, LINE, definitions, process
from tests.support.processor_time import processor_time

NAME = "Größe prüfen 🚀 żółć"
BODY = HEAD + process(LINE.replace('id="t"', f'id="t" name="{NAME}"')) + "</definitions>"


def refused(data: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[str, int]:
    """Return rule and line of the one problem of a file that is not read at all."""
    with pytest.raises(DefinitionInvalid) as caught:
        read_file(data, limits=limits)
    (problem,) = caught.value.problems
    return problem.rule, problem.line


DOCTYPES = {
    "bare": "<!DOCTYPE definitions>",
    "system": '<!DOCTYPE definitions SYSTEM "file:///etc/passwd">',
    "public": '<!DOCTYPE definitions PUBLIC "x" "http://127.0.0.1:9/x.dtd">',
    "entity": '<!DOCTYPE definitions [<!ENTITY x "y">]>',
    "external entity": '<!DOCTYPE definitions [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    "parameter entity": '<!DOCTYPE d [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]>',
    "default attribute": '<!DOCTYPE d [<!ATTLIST process isExecutable CDATA "true">]>',
}


@pytest.mark.parametrize("doctype", DOCTYPES.values(), ids=DOCTYPES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_type_declarations_are_refused(doctype: str, encoding: str) -> None:
    assert (
        refused((f'<?xml version="1.0" encoding="{encoding}"?>{doctype}' + BODY).encode(encoding))[0]
        == "doctype"
    )


def test_an_external_entity_reads_no_file(tmp_path: Path) -> None:
    """P98: no parser of the product follows entities."""
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read")
    before = secret.stat().st_atime_ns
    text = BODY.replace(NAME, "&x;")
    doctype = f'<!DOCTYPE definitions [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    with pytest.raises(DefinitionInvalid) as caught:
        read_file((doctype + text).encode())
    assert "do not read" not in str(caught.value)
    assert secret.stat().st_atime_ns == before


def test_entities_that_grow_are_refused_at_once() -> None:
    """P98: a thousand million laughs."""
    bomb = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30))
    with processor_time() as spent:
        assert (
            refused(f"<!DOCTYPE definitions [{bomb}]>{BODY.replace(NAME, '&a29;')}".encode())[0] == "doctype"
        )
    assert spent.seconds < 5


def test_an_undeclared_entity_is_an_error_with_its_line() -> None:
    assert refused(BODY.replace(NAME, "\n&x;").encode()) == ("not-well-formed", 2)


def test_fifty_megabytes_are_refused_at_once() -> None:
    data = definitions(process("<!-- " + "x" * 50_000_000 + " -->"))
    with processor_time() as spent:
        assert refused(data)[0] == "too-large"
    assert spent.seconds < 5


def test_the_size_limit_is_exact() -> None:
    data = definitions(process(LINE))
    assert read_file(data, limits=Limits(size_bytes=len(data))).problems == ()
    assert refused(data, Limits(size_bytes=len(data) - 1))[0] == "too-large"


@pytest.mark.parametrize("depth", [10_000, 1_000, 201])
def test_depth_is_limited(depth: int) -> None:
    deep = "<a>" * (depth - 1) + "</a>" * (depth - 1)
    assert refused(definitions(deep))[0] == "too-deep"


def test_the_depth_limit_is_exact() -> None:
    read_file(definitions("<a>" * 199 + "</a>" * 199))
    assert refused(definitions("\n" + "<a>" * 200 + "</a>" * 200)) == ("too-deep", 2)


def test_two_hundred_subprocesses_inside_one_another_are_reported_not_crashed_on() -> None:
    deep = "".join(f'<subProcess id="x{n}">' for n in range(197)) + "<startEvent/>" + "</subProcess>" * 197
    rules = {problem.rule for problem in read_file(definitions(process(deep))).problems}
    assert rules == {"missing-id"}


def test_the_number_of_elements_is_limited() -> None:
    data = definitions("<a/>" * 1_000)
    read_file(data, limits=Limits(elements=1_001))
    assert refused(data, Limits(elements=1_000))[0] == "too-many-elements"


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "not-well-formed"),
        (b"\x00", "not-well-formed"),
        (b"hello", "not-well-formed"),
        (b"<definitions>", "not-well-formed"),
        (b"<definitions/><definitions/>", "not-well-formed"),
        (b'<?xml version="1.0" encoding="nonsense"?><a/>', "not-well-formed"),
        (b"\xff\xfe<\x00a", "not-well-formed"),
        (b'<a b="1" b="2"/>', "not-well-formed"),
        (b"<x:definitions/>", "not-well-formed"),
        (b"\xef\xbb\xbf\xef\xbb\xbf<a/>", "not-well-formed"),
        (b"<definitions/>", "not-bpmn"),
        (b'<definitions xmlns="urn:other"/>', "not-bpmn"),
        (b'<process xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>', "not-bpmn"),
        (b'{"not": "xml"}', "not-well-formed"),
        (b"PK\x03\x04", "not-well-formed"),
    ],
)
def test_what_is_no_bpmn_file_gives_one_clear_problem(data: bytes, rule: str) -> None:
    assert refused(data)[0] == rule


def test_the_name_of_the_file_stands_in_every_problem() -> None:
    with pytest.raises(DefinitionInvalid) as caught:
        read_file(b"", name="order.bpmn")
    assert caught.value.problems[0].resource == "order.bpmn"
    file = read_file(definitions(process('<task id="t" default="x"/>')), name="order.bpmn")
    assert [problem.resource for problem in file.problems] == ["order.bpmn"]


ENCODED = {
    "utf-8 undeclared": BODY.encode(),
    "utf-8 declared": ('<?xml version="1.0" encoding="UTF-8"?>' + BODY).encode(),
    "utf-8 with mark": BODY.encode("utf-8-sig"),
    "utf-8 with mark, declared": ('<?xml version="1.0" encoding="UTF-8"?>' + BODY).encode("utf-8-sig"),
    "utf-16 with mark": ('<?xml version="1.0" encoding="UTF-16"?>' + BODY).encode("utf-16"),
    "utf-16 with mark, undeclared": BODY.encode("utf-16"),
    "utf-16 big": b"\xfe\xff" + ('<?xml version="1.0" encoding="UTF-16"?>' + BODY).encode("utf-16-be"),
    "character references": ('<?xml version="1.0" encoding="US-ASCII"?>' + BODY).encode(
        "ascii", "xmlcharrefreplace"
    ),
}


@pytest.mark.parametrize("data", ENCODED.values(), ids=ENCODED)
def test_unicode_names_survive_every_encoding(data: bytes) -> None:
    (model,) = read_file(data).processes
    assert model.graph is not None
    assert model.graph.nodes["t"].name == NAME


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("ISO-8859-1", "Größe é"), ("windows-1252", "Größe € „é“"), ("ISO-8859-15", "Größe €")],
)
def test_western_encodings_are_read_as_declared(encoding: str, name: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + BODY.replace(NAME, name)
    (model,) = read_file(text.encode(encoding)).processes
    assert model.graph is not None
    assert model.graph.nodes["t"].name == name


def test_bytes_that_contradict_the_declaration_are_refused() -> None:
    text = '<?xml version="1.0" encoding="UTF-8"?>' + BODY.replace(NAME, "Größe")
    assert refused(text.encode("latin-1"))[0] == "not-well-formed"


def test_the_platforms_encoding_does_not_matter() -> None:
    code = (
        "import sys; from bpm.bpmn import read_file;"
        "sys.stdout.buffer.write(read_file(sys.stdin.buffer.read()).processes[0].graph.nodes['t'].name.encode())"
    )
    environment = os.environ | {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=BODY.encode(),
        capture_output=True,
        cwd=root,
        env=environment,
        check=True,
    )
    assert done.stdout.decode() == NAME


def test_spaces_have_short_names_whatever_the_prefix() -> None:
    spaces = {
        "http://camunda.org/schema/1.0/bpmn": "camunda",
        "http://operaton.org/schema/1.0/bpmn": "camunda",
        "http://flowable.org/bpmn": "camunda",
        "http://activiti.org/bpmn": "camunda",
        "http://camunda.org/schema/zeebe/1.0": "zeebe",
        "urn:bpm-engine:1": "own",
        "urn:other": "urn:other",
    }
    for namespace, space in spaces.items():
        xml = read_xml(
            f'<a xmlns:q="{namespace}" q:b="1" c="2"><q:d q:e="3" f="4"/></a>'.encode(), DEFAULT_LIMITS
        )
        assert xml.vendor == {(space, "b"): "1"}
        assert xml.attributes == {"c": "2"}
        (child,) = xml.children
        assert (child.space, child.tag) == (space, "d")
        assert child.attributes == {"e": "3", "f": "4"}


def test_text_is_all_character_data_directly_inside() -> None:
    xml = read_xml(b"<a> x <b>no</b><!-- no --> y <![CDATA[<z>]]>&#65;<?no no?>.</a>", DEFAULT_LIMITS)
    assert xml.text == " x  y <z>A."


def test_lines_are_those_of_the_file() -> None:
    xml = read_xml(b"<a>\n<b/>\n\n<c/></a>", DEFAULT_LIMITS)
    assert [child.line for child in (xml, *xml.children)] == [1, 2, 4]
