"""Servers that announce themselves in another form, and readers that see another server than the one announced."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nostrmcp.conformance.operations import OPERATIONS, Value
from nostrmcp.nostr import ErrorClass, Event
from nostrmcp.revisions import REVISIONS
from nostrmcp.revisions.model import (
    LIST_MEMBERS,
    AnnouncementEnvelope,
    MessageClass,
    PriceForm,
    Revision,
    TagRule,
)
from nostrmcp.translate import announce
from tests.zoo.member import Operations, patched
from tests.zoo.revisions_layer.making import (
    DVMCP,
    Wire,
    add,
    announcing,
    announcing_content,
    concluding,
    drop,
    lenient,
    member,
    put,
    refusing,
    rename,
    tabled,
    tag_values,
    with_rules,
    within,
)

RIGHT = OPERATIONS["parse_announcement"]
BARE = "r11 ctx cvm"
WITH_IDS = "r1 r1e r11 ctx"
LISTS = ("tools", "resources", "resource-templates", "prompts")
TEXTS = ("name", "about", "picture", "website")


def built(**fields: Any) -> Operations:
    return tabled("build_announcement", lambda revision: replace(revision, **fields))


def ruled(change: Callable[[MessageClass, TagRule], TagRule]) -> Operations:
    return tabled("build_announcement", lambda revision: with_rules(revision, change))


def on_kinds(*kinds: int) -> Operations:
    """One kind each for the server, tools, resources, templates and prompts."""
    classes = (MessageClass.SERVER, *LIST_MEMBERS)

    def change(revision: Revision) -> Revision:
        own = revision.kinds.announcements
        others = {one: kind for one, kind in zip(classes, kinds, strict=True) if one in own}
        return replace(revision, kinds=replace(revision.kinds, announcements=others))

    return tabled("build_announcement", change)


def items_of(given: Value) -> list[dict[str, Any]]:
    content = given["content"]
    return next((content[name] for name in LIST_MEMBERS.values() if name in content), [])


def is_list(given: Value) -> bool:
    return given["type"] in LISTS


def is_server(given: Value) -> bool:
    return given["type"] == "server"


def where(test: Callable[[Value], bool], change: Callable[[Value, Wire], None]) -> Operations:
    def changed(given: Value, event: Wire) -> None:
        if test(given):
            change(given, event)

    return announcing(changed)


def one_cap(given: Value, event: Wire) -> None:
    """All names in one tag."""
    for name in ("t", "cap"):
        bare = [tag for tag in event["tags"] if tag[0] == name and len(tag) == 2]
        if bare:
            event["tags"] = [tag for tag in event["tags"] if tag not in bare]
            event["tags"].append([name, *(tag[1] for tag in bare)])


def first_cap(given: Value, event: Wire) -> None:
    """One tag, for the first tool alone."""
    for name in ("t", "cap"):
        first = next((tag for tag in event["tags"] if tag[0] == name), None)
        drop(event, name)
        event["tags"] += [first] if first else []


def cap_of_uri(given: Value, event: Wire) -> None:
    """An unpriced resource under its URI."""
    by_name = {item["name"]: item.get("uri", item["name"]) for item in items_of(given)}
    for tag in event["tags"]:
        if tag[0] in ("t", "cap") and len(tag) == 2:
            tag[1] = by_name.get(tag[1], tag[1])


def cap_of_name(given: Value, event: Wire) -> None:
    """A priced resource under its name."""
    by_uri = {item.get("uri"): item["name"] for item in items_of(given)}
    for tag in event["tags"]:
        if tag[0] == "cap" and len(tag) > 2:
            kind, colon, uri = tag[1].partition(":") if tag[1].startswith("resource:") else ("", "", tag[1])
            tag[1] = kind + colon + by_uri.get(uri, uri)


def priced_only(given: Value, event: Wire) -> None:
    event["tags"] = [tag for tag in event["tags"] if tag[0] not in ("t", "cap") or len(tag) > 2]


def cap_for_all(given: Value, event: Wire) -> None:
    for item in items_of(given):
        if not any(tag[0] == "cap" and tag[1].endswith(item["name"]) for tag in event["tags"]):
            event["tags"].append(["cap", item["name"]])


def lowest(given: Value, event: Wire) -> None:
    for tag in event["tags"]:
        if tag[0] == "cap" and len(tag) > 2:
            tag[2] = tag[2].split("-")[0]


def whole_amounts(given: Value, event: Wire) -> None:
    for tag in event["tags"]:
        if tag[0] == "cap" and len(tag) > 2:
            tag[2] = tag[2].split(".")[0]


def sats_only(given: Value, event: Wire) -> None:
    for tag in event["tags"]:
        if tag[0] == "cap" and len(tag) > 3:
            tag[3] = "sats"


def unpriced(given: Value, event: Wire) -> None:
    event["tags"] = [tag[:2] if tag[0] == "cap" else tag for tag in event["tags"]]


def with_value(given: Value, event: Wire) -> None:
    put(event, "support_encryption", "true")


def as_flag(given: Value, event: Wire) -> None:
    if given["encryption"]:
        drop(event, "support_encryption")
        add(event, "support_encryption")


def always(given: Value, event: Wire) -> None:
    add(event, "support_encryption", *(["true"] if given["revision"].startswith("dvmcp") else []))


def with_identifier(given: Value, event: Wire) -> None:
    add(event, "d", given["server_id"] or "server")


def bare_array(given: Value, value: Any) -> Any:
    return items_of(given) if is_list(given) else value


# Reading


def reads(change: Callable[[Value, Wire], None]) -> Operations:
    """A reader that reads another event than it got; announcements are not verified here."""

    def run(given: Value) -> Value:
        event = {**given["event"], "tags": [list(tag) for tag in given["event"]["tags"]]}
        change(given, event)
        return RIGHT({**given, "event": event})

    return {"parse_announcement": run}


def sees(change: Callable[[Value, Value], Value]) -> Operations:
    return concluding("parse_announcement", lambda given, output: {**output, **change(given, output)})


def content_of(given: Value) -> Any:
    try:
        return json.loads(given["event"]["content"])
    except ValueError:
        return None


def is_wrapped(given: Value) -> bool:
    value = content_of(given)
    return type(value) is dict and "result" in value


def tagged(given: Value, name: str) -> list[list[str]]:
    return [tag for tag in given["event"]["tags"] if tag[0] == name]


def encryption_by(test: Callable[[list[str]], bool]) -> Operations:
    return sees(lambda given, output: {"encryption": any(map(test, tagged(given, "support_encryption")))})


def any_kind(given: Value, event: Wire) -> None:
    """The content tells what it is."""
    kinds = REVISIONS[given["revision"]].kinds.announcements
    value = content_of(given)
    value = value.get("result", value) if type(value) is dict else {}
    found = next((one for one, name in LIST_MEMBERS.items() if name in value and one in kinds), MessageClass.SERVER)
    event["kind"] = event["kind"] if event["kind"] in kinds.values() else kinds[found]


def anonymous(given: Value, event: Wire) -> None:
    add(event, "d", "")


def as_it_is(test: Callable[[Any], Any]) -> Operations:
    """A reader that takes content of another form, where kind and identifier are right."""

    def taken(given: Value) -> Value | None:
        event, value = given["event"], content_of(given)
        revision = REVISIONS[given["revision"]]
        known = event["kind"] in revision.kinds.announcements.values()
        if not known or (revision.server_ids and not tag_values(event, "d")) or not test(value):
            return None
        return {"type": "server", "server_id": None, "content": value, "encryption": False, "prices": []}

    return lenient("parse_announcement", taken)


def type_by_kind(given: Value, output: Value) -> Value:
    kinds = REVISIONS[given["revision"]].kinds.announcements
    return {"type": next(one.value for one, kind in kinds.items() if kind == given["event"]["kind"])}


def type_by_d(given: Value, output: Value) -> Value:
    """What the identifier of a list ends with."""
    endings = {
        "/tools/list": "tools",
        "/resources/list": "resources",
        "/resources/templates/list": "resource-templates",
        "/prompts/list": "prompts",
    }
    identifier = (tag_values(given["event"], "d") or [""])[0]
    return {"type": next((one for ending, one in endings.items() if identifier.endswith(ending)), "server")}


def server_by_d(given: Value, output: Value) -> Value:
    found = tag_values(given["event"], "d")
    return {"server_id": found[0] if found else None}


def names_in_content(given: Value, output: Value) -> Value:
    items = next((output["content"][name] for name in LIST_MEMBERS.values() if name in output["content"]), [])
    return {"capabilities": [item["name"] for item in items]}


def name_of_content(given: Value, output: Value) -> Value:
    return {"name": output["content"].get("serverInfo", {}).get("name", output["name"])}


def without_types(given: Value, output: Value) -> Value:
    return {"prices": [{name: one for name, one in price.items() if name != "type"} for price in output["prices"]]}


def with_types(given: Value, output: Value) -> Value:
    """The type is left where it stands."""
    return {
        "prices": [
            {**price, "capability": f"{price['type']}:{price['capability']}"} if "type" in price else price
            for price in output["prices"]
        ]
    }


def amounts(change: Callable[[str], Any]) -> Operations:
    return sees(
        lambda given, output: {"prices": [{**one, "amount": change(one["amount"])} for one in output["prices"]]}
    )


def number(text: str) -> Any:
    return int(text) if text.isdigit() else text


def split_at_last(given: Value, output: Value) -> Value:
    """The type is whatever stands before the last colon."""
    prices = []
    for price in output["prices"]:
        if "type" in price:
            kind, _, name = f"{price['type']}:{price['capability']}".rpartition(":")
            price = {**price, "type": kind, "capability": name}
        prices.append(price)
    return {"prices": prices}


def no_prices_of_servers(given: Value, output: Value) -> Value:
    return {"prices": [], "capabilities": []} if output["type"] == "server" else {}


def says_encryption(event: Event) -> bool:
    return any(tag[0] == "support_encryption" for tag in event.tags)


CONTROLS = [
    member("announce-control", "A server without a bug.", announcing(lambda given, event: None)),
    member("announce-control-table", "The tables are copied.", ruled(lambda one, rule: rule)),
    member("parse-control", "A reader without a bug.", reads(lambda given, event: None)),
    member("parse-control-output", "What was read is copied.", sees(lambda given, output: {})),
]

MEMBERS = [
    # Envelope
    member(
        "announce-bare",
        "Announces the bare result where the revision wraps it.",
        within("r1 r1e", built(announcement_envelope=AnnouncementEnvelope.RESULT)),
        fails="""
            r1/r1e-announce-server r1/r1e-announce-server-least r1/r1e-announce-tools r1/r1e-announce-tools-none
            r1/r1e-announce-resources r1/r1e-announce-prompts r1e-announce-tools-two
        """,
    ),
    member(
        "announce-wrapped",
        "Announces a JSON-RPC response where the revision has the bare result.",
        within(BARE, built(announcement_envelope=AnnouncementEnvelope.RESPONSE)),
        fails="""
            r11-build-server r11-build-tools r11-build-resources-priced ctx/cvm-announce-server ctx/cvm-announce-tools
            ctx-announce-resources-priced cvm-announce-resources
        """,
        passes="",
    ),
    member(
        "announce-array",
        "Announces the array of items (dvmcp).",
        announcing_content(bare_array),
        fails="""
            r1/r1e/ctx/cvm-announce-tools r1-announce-tools-none r1/r1e/ctx-announce-resources r1e-announce-tools-two
            r11-build-tools r11-build-tools-two r11-build-templates ctx-announce-prompts cvm-announce-tools-price
            cvm-announce-templates
        """,
        passes="",
    ),
    # Kinds
    member(
        "announce-replaceable",
        "Announces on ContextVM's later kinds.",
        within("r1 r1e r11 ctx", on_kinds(11316, 11317, 11318, 11319, 11320)),
        fails="""
            r1/r1e/ctx-announce-server r1/r1e/ctx-announce-tools r1-announce-resources r1e-announce-tools-none
            r11-build-server r11-build-tools r11-build-resources-priced ctx-announce-resources-priced
        """,
        passes="cvm-announce-server",
    ),
    member(
        "announce-addressable",
        "Announces on the kinds of the older revisions.",
        within("cvm", on_kinds(31316, 31317, 31318, 31318, 31319)),
        fails="""
            cvm-announce-server cvm-announce-server-bare cvm-announce-tools cvm-announce-tools-price
            cvm-announce-resources cvm-announce-templates cvm-announce-prompts
        """,
    ),
    member(
        "announce-kinds-in-order",
        "Announces prompts on the kind after resources, which is that of templates.",
        within("cvm", on_kinds(11316, 11317, 11318, 11320, 11319)),
        fails="cvm-announce-templates cvm-announce-prompts",
    ),
    # Identifiers
    member(
        "announce-without-d",
        "Announces without d.",
        announcing(lambda given, event: drop(event, "d")),
        fails="""
            r1/r1e/ctx-announce-server r1/r1e/ctx-announce-tools r1-announce-resources r1e-announce-tools-none
            r11-build-server r11-build-tools r11-build-resources-priced ctx-announce-resources-priced
        """,
        passes="cvm-announce-server cvm-announce-tools",
    ),
    member(
        "announce-list-without-s",
        "Announces lists without the server they belong to.",
        where(is_list, lambda given, event: drop(event, "s")),
        fails="""
            r1/r1e/ctx-announce-tools r1-announce-tools-none r1/r1e/ctx-announce-resources r1e-announce-tools-two
            r11-build-tools r11-build-tools-two r11-build-templates ctx-announce-prompts
        """,
        passes="r1/r1e-announce-server cvm-announce-tools",
    ),
    member(
        "announce-with-d",
        "Announces with d where the key is the server.",
        within("cvm", announcing(with_identifier)),
        fails="""
            cvm-announce-server cvm-announce-server-bare cvm-announce-tools cvm-announce-tools-price
            cvm-announce-resources cvm-announce-templates cvm-announce-prompts
        """,
    ),
    member(
        "announce-without-k",
        "Announces without k.",
        announcing(lambda given, event: drop(event, "k")),
        fails="""
            r1/r1e-announce-server r1/r1e-announce-server-least r11-build-server r11-build-server-encryption
            r11-build-server-completions
        """,
    ),
    member(
        "announce-k-of-rev1",
        "Announces the stored kind of requests.",
        announcing(lambda given, event: put(event, "k", "5910")),
        fails="""
            r1e-announce-server r1e-announce-server-least r11-build-server r11-build-server-encryption
            r11-build-server-completions
        """,
    ),
    member(
        "announce-k-everywhere",
        "Announces the kind of requests under every revision and with every list.",
        announcing(lambda given, event: add(event, "k", str(REVISIONS[given["revision"]].kinds.request))),
        fails="""
            r1/r1e/ctx/cvm-announce-tools r1-announce-tools-none r1/r1e/cvm-announce-resources r1e-announce-tools-two
            r11-build-tools r11-build-tools-two r11-build-templates ctx/cvm-announce-server
            ctx-announce-resources-priced
        """,
        passes="r1/r1e-announce-server r1/r1e-announce-server-least r11-build-server",
    ),
    member(
        "announce-texts-lost",
        "Announces without name, about, picture and website.",
        announcing(lambda given, event: drop(event, *TEXTS)),
        fails="ctx-announce-server-texts cvm-announce-server",
    ),
    # Capabilities and prices
    member(
        "announce-t-for-cap",
        "Names capabilities in t where they are in cap.",
        announcing(lambda given, event: rename(event, "cap", "t")),
        fails="""
            r1e-announce-tools r1e-announce-tools-two r1e/cvm-announce-resources r11-build-tools r11-build-tools-two
            r11-build-templates ctx-announce-tools-priced ctx-announce-resources-priced ctx-announce-prompts-priced
            cvm-announce-tools-price cvm-announce-prompts
        """,
        passes="r1-announce-tools r1e-announce-tools-none ctx-announce-tools cvm-announce-tools",
    ),
    member(
        "announce-cap-for-t",
        "Names capabilities in cap where they are in t.",
        announcing(lambda given, event: rename(event, "t", "cap")),
        fails="r1-announce-tools r1-announce-resources r1-announce-prompts",
    ),
    member(
        "announce-one-cap",
        "Names all tools in one cap or t.",
        announcing(one_cap),
        fails="r1-announce-tools r1e-announce-tools-two",
    ),
    member(
        "announce-first-cap",
        "Names the first tool alone.",
        announcing(first_cap),
        fails="r1-announce-tools r1e-announce-tools-two r11-build-tools-two",
    ),
    member(
        "announce-priced-only",
        "Names capabilities that have a price, and no others (dvmcp).",
        announcing(priced_only),
        fails="r1/r1e-announce-tools r1e-announce-tools-two r11-build-tools r11-build-tools-two",
    ),
    member(
        "announce-cap-for-all",
        "Names every capability where only prices are named.",
        within("ctx cvm", announcing(cap_for_all)),
        fails="""
            ctx/cvm-announce-tools ctx/cvm-announce-resources ctx-announce-resources-priced ctx-announce-prompts
            ctx/cvm-announce-templates
        """,
    ),
    member(
        "announce-cap-of-uri",
        "Names resources by URI.",
        within(DVMCP, announcing(cap_of_uri)),
        fails="r1/r1e-announce-resources r11-build-resources r11-build-resources-priced",
    ),
    member(
        "announce-price-by-name",
        "Prices resources by name.",
        announcing(cap_of_name),
        fails="r11-build-resources-priced ctx-announce-resources-priced cvm-announce-resources",
    ),
    member(
        "announce-price-bare",
        "Announces prices without the type of the capability.",
        within("cvm", built(prices=PriceForm.PLAIN)),
        fails="cvm-announce-tools-price cvm-announce-resources cvm-announce-prompts",
    ),
    member(
        "announce-price-typed",
        "Announces prices with a type where the revision has none.",
        within("r11 ctx", built(prices=PriceForm.TYPED)),
        fails="""
            r11-build-tools-priced r11-build-tools-two r11-build-resources-priced r11-build-prompts-priced
            ctx-announce-tools-priced ctx-announce-resources-priced ctx-announce-prompts-priced
        """,
    ),
    member(
        "announce-price-lost",
        "Announces no prices.",
        announcing(unpriced),
        fails="""
            r11-build-tools-priced r11-build-tools-two r11-build-resources-priced r11-build-prompts-priced
            ctx-announce-tools-priced ctx-announce-resources-priced ctx-announce-prompts-priced
            cvm-announce-tools-price cvm-announce-resources cvm-announce-prompts
        """,
    ),
    member(
        "announce-price-lowest", "Announces the lower end of a range.", announcing(lowest), fails="cvm-announce-prompts"
    ),
    member(
        "announce-price-whole",
        "Cuts fractions off.",
        announcing(whole_amounts),
        fails="r11-build-tools-two ctx-announce-resources-priced",
    ),
    member(
        "announce-price-in-sats",
        "Knows no unit but sats.",
        announcing(sats_only),
        fails="r11-build-tools-two ctx-announce-resources-priced cvm-announce-prompts",
    ),
    # Encryption
    member(
        "announce-encryption-true",
        "Announces support_encryption with the value true where its presence speaks.",
        within("ctx cvm", announcing(with_value)),
        fails="ctx/cvm-announce-server",
    ),
    member(
        "announce-encryption-flag",
        "Announces support_encryption without a value where it is true or false.",
        within(DVMCP, where(is_server, as_flag)),
        fails="r1/r1e-announce-server r11-build-server-encryption",
    ),
    member(
        "announce-encryption-always",
        "Announces encryption that it does not have (dvmcp).",
        where(is_server, always),
        fails="""
            r1/r1e-announce-server-least r11-build-server r11-build-server-completions ctx-announce-server-texts
            ctx/cvm-announce-server-bare
        """,
    ),
    member(
        "announce-encryption-never",
        "Does not announce the encryption that it has.",
        announcing(lambda given, event: drop(event, "support_encryption")),
        fails="ctx/cvm-announce-server",
    ),
    # Reading
    member(
        "parse-envelope-kept",
        "Takes the JSON-RPC response for the announcement.",
        sees(lambda given, output: {"content": content_of(given)}),
        fails="""
            r1/r1e-parse-server r1/r1e-parse-server-other-id r1/r1e-parse-resources r11/ctx/cvm-parse-server-wrapped
            r11/ctx/cvm-parse-tools-wrapped
        """,
        passes="r11-parse-server ctx-parse-server cvm-parse-server",
    ),
    member(
        "parse-wrapped-refused",
        "Reads bare announcements alone.",
        refusing("parse_announcement", ErrorClass.INVALID_JSON, is_wrapped),
        fails="""
            r1/r1e-parse-server r1/r1e-parse-server-other-id r1-parse-tools-any-d r1e-parse-resources
        """,
        passes="r11-parse-tools-wrapped ctx-parse-tools-wrapped cvm-parse-tools-wrapped",
    ),
    member(
        "parse-bare-refused",
        "Reads wrapped announcements alone.",
        refusing("parse_announcement", ErrorClass.INVALID_JSON, lambda given: not is_wrapped(given)),
        fails="""
            r11/ctx/cvm-parse-server r11-parse-tools-any-d r11-parse-resources-priced ctx-parse-server-encryption-true
            ctx-parse-tools-priced cvm-parse-server-prices cvm-parse-tools-price
        """,
        passes="r1-parse-server r1-parse-server-bare",
    ),
    member(
        "parse-any-kind",
        "Reads announcements of any kind.",
        reads(any_kind),
        fails="""
            r1/r1e-parse-kind-11316 r1/r1e-parse-kind-31990 r1/r1e-parse-response r11-parse-replaceable
            ctx-parse-later-kind ctx-parse-message cvm-parse-kind-addressable cvm-parse-kind-message
            r11-parse-initialize-response
        """,
    ),
    member(
        "parse-anonymous",
        "Reads announcements without d.",
        reads(anonymous),
        fails="r1/r1e/r11/ctx-parse-server-no-d r1/r1e/ctx-parse-tools-no-d",
    ),
    member(
        "parse-array",
        "Reads an array of items.",
        as_it_is(lambda value: type(value) is list),
        fails="""
            r1/r1e/r11/ctx/cvm-parse-tools-array r11-parse-server-array
        """,
    ),
    member(
        "parse-any-text",
        "Reads whatever content is.",
        as_it_is(lambda value: True),
        fails="""
            r1/r1e/r11/ctx-parse-server-text r1/r1e/r11/ctx/cvm-parse-tools-array r1/r1e-parse-server-error
            r11-parse-tools-none ctx-parse-tools-object cvm-parse-server-not-json cvm-parse-resources-with-tools
            cvm-parse-prompts-object r11-parse-server-array
        """,
    ),
    member(
        "parse-error",
        "Reads an error as a server.",
        as_it_is(lambda value: type(value) is dict and "error" in value),
        fails="r1/r1e-parse-server-error",
    ),
    member(
        "parse-no-list",
        "Reads lists that hold no array.",
        as_it_is(lambda value: type(value) is dict and "error" not in value and "result" not in value),
        fails="r11-parse-tools-none ctx-parse-tools-object cvm-parse-resources-with-tools cvm-parse-prompts-object",
    ),
    member(
        "parse-type-by-kind",
        "Goes by the kind, where two lists share one.",
        sees(type_by_kind),
        fails="r11/ctx-parse-templates r11-parse-templates-other-d",
    ),
    member(
        "parse-type-by-d",
        "Goes by the identifier of a list.",
        within(WITH_IDS, sees(type_by_d)),
        fails="r1/r1e/r11-parse-tools-any-d r11-parse-templates-other-d ctx-parse-tools-other-d",
    ),
    member(
        "parse-server-by-d",
        "Takes the identifier of a list for the server's.",
        within(WITH_IDS, sees(server_by_d)),
        fails="""
            r1/r1e/r11/ctx-parse-tools r1-parse-tools-any-d r1-parse-resources-no-t r1e-parse-resources
            r1e-parse-prompts r11-parse-tools-priced r11-parse-resources-priced-name ctx-parse-tools-wrapped
            ctx-parse-resources-priced
        """,
        passes="r1/r1e-parse-server",
    ),
    member(
        "parse-with-d",
        "Takes a d tag for an identifier where the key is the server.",
        within("cvm", sees(server_by_d)),
        fails="cvm-parse-server-identifier",
    ),
    member(
        "parse-texts-lost",
        "Does not read name, about, picture and website.",
        sees(lambda given, output: dict.fromkeys(TEXTS)),
        fails="""
            r1/r1e/r11/ctx/cvm-parse-server r1/r1e-parse-server-no-encryption r1/r1e-parse-server-encryption-flag
            ctx-parse-server-version
        """,
    ),
    member(
        "parse-name-of-content",
        "Takes the name from serverInfo.",
        sees(name_of_content),
        fails="""
            r1/r1e/r11/ctx/cvm-parse-server r1/r1e-parse-server-no-encryption r1/r1e/ctx-parse-server-bare
            r11-parse-server-least r11-parse-server-flag ctx/cvm-parse-server-encryption-true
            cvm-parse-server-identifier
        """,
        passes="",
    ),
    member(
        "parse-names-of-content",
        "Takes the names of capabilities from the list.",
        sees(names_in_content),
        fails="""
            r1-parse-tools-as-printed r1-parse-resources-no-t r1e-parse-resources-no-cap r11-parse-resources-priced
            r11-parse-templates-other-d ctx-parse-tools ctx-parse-tools-wrapped ctx-parse-prompts
            cvm-parse-server-prices cvm-parse-tools-price cvm-parse-resources
        """,
        passes="r1/r1e-parse-tools",
    ),
    member(
        "parse-encryption-true",
        "Reads support_encryption only with the value true (dvmcp).",
        encryption_by(lambda tag: tag[1:] == ["true"]),
        fails="""
            r1/r1e-parse-server-encryption-flag r11-parse-server-flag ctx/cvm-parse-server ctx-parse-server-version
        """,
    ),
    member(
        "parse-encryption-flag",
        "Reads support_encryption only without a value (the SDKs).",
        encryption_by(lambda tag: len(tag) == 1),
        fails="r1/r1e/r11-parse-server ctx/cvm-parse-server-encryption-true",
    ),
    member(
        "parse-encryption-false",
        "Reads support_encryption false as support.",
        patched("parse_announcement", (announce, "says_encryption", says_encryption)),
        fails="""
            r1/r1e/r11-parse-server-no-encryption r11-parse-encryption-false-more
        """,
    ),
    member(
        "parse-price-type-kept",
        "Leaves the type before the name.",
        sees(with_types),
        fails="cvm-parse-server-prices cvm-parse-tools-price cvm-parse-resources",
    ),
    member(
        "parse-price-type-lost",
        "Loses the type of a capability.",
        sees(without_types),
        fails="cvm-parse-server-prices cvm-parse-tools-price cvm-parse-resources",
    ),
    member(
        "parse-price-last-colon",
        "Splits type and name at the last colon.",
        sees(split_at_last),
        fails="cvm-parse-server-prices cvm-parse-resources",
    ),
    member(
        "parse-price-lost",
        "Reads no prices.",
        sees(lambda given, output: {"prices": []}),
        fails="""
            r11/ctx-parse-tools-priced r11-parse-tools-two r11/ctx-parse-resources-priced
            r11-parse-resources-priced-name cvm-parse-server-prices cvm-parse-tools-price cvm-parse-resources
            ctx-parse-tools-priced-printed
        """,
    ),
    member(
        "parse-price-number",
        "Makes numbers of prices.",
        amounts(number),
        fails="""
            r11/ctx-parse-tools-priced r11-parse-resources-priced r11-parse-resources-priced-name
            cvm-parse-server-prices cvm-parse-tools-price cvm-parse-resources ctx-parse-tools-priced-printed
        """,
    ),
    member(
        "parse-price-lowest",
        "Reads the lower end of a range.",
        amounts(lambda text: text.split("-")[0]),
        fails="cvm-parse-server-prices",
    ),
    member(
        "parse-price-in-sats",
        "Knows no unit but sats.",
        sees(lambda given, output: {"prices": [{**one, "unit": "sats"} for one in output["prices"]]}),
        fails="r11-parse-tools-two ctx-parse-resources-priced cvm-parse-server-prices",
    ),
    member(
        "parse-price-of-lists",
        "Reads prices on lists alone.",
        sees(no_prices_of_servers),
        fails="cvm-parse-server-prices",
    ),
]
