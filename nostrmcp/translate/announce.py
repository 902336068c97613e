"""Servers and their lists, announced to whoever looks: build and parse, under any revision."""

from __future__ import annotations

from dataclasses import dataclass

from ..nostr import Event, LocalProtocolError, UnsignedEvent, Violation, filters, nip19, strict_json
from ..nostr.errors import ErrorClass as NostrErrorClass
from ..revisions.model import (
    ANNOUNCEMENTS,
    LIST_MEMBERS,
    AnnouncementEnvelope,
    MessageClass,
    Presence,
    PriceForm,
    Revision,
    TagRule,
    TagValue,
)
from .body import Body
from .check import is_amount
from .codec import PRICED_TYPES, Tag, price_tag
from .errors import ErrorClass
from .route import Price

LIST_METHODS = {
    MessageClass.TOOLS: "tools/list",
    MessageClass.RESOURCES: "resources/list",
    MessageClass.RESOURCE_TEMPLATES: "resources/templates/list",
    MessageClass.PROMPTS: "prompts/list",
}
_TEXTS = ("name", "about", "picture", "website")


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a server says of itself, or one of its lists. `content` is the bare initialize or list result."""

    type: MessageClass
    pubkey: bytes
    server_id: str | None
    content: Body
    name: str | None = None
    about: str | None = None
    picture: str | None = None
    website: str | None = None
    encryption: bool = False
    ephemeral_wraps: bool = False
    prices: tuple[Price, ...] = ()
    capabilities: tuple[str, ...] = ()


def build(announcement: Announcement, revision: Revision, created_at: int) -> UnsignedEvent:
    """The event of an announcement; the caller dates it after its own latest."""
    kind = revision.kinds.announcements.get(announcement.type)
    if kind is None:
        raise LocalProtocolError(ErrorClass.NOT_CARRIED, f"this revision does not announce {announcement.type}")
    content = announcement.content
    if revision.announcement_envelope is AnnouncementEnvelope.RESPONSE:
        content = {"jsonrpc": "2.0", "id": 1, "result": content}
    tags = tuple(tag for rule in revision.tags[announcement.type] for tag in _tags(rule, announcement, revision))
    return UnsignedEvent(announcement.pubkey, created_at, kind, tags, strict_json.dump(content).decode())


def _tags(rule: TagRule, announcement: Announcement, revision: Revision) -> list[Tag]:
    if not rule.emitted:
        return []
    if rule.value is TagValue.CAPABILITIES:
        return _capability_tags(rule.name, announcement, revision)
    if rule.value is TagValue.PRICES:
        listed = PRICED_TYPES.get(LIST_METHODS.get(announcement.type, ""))
        prices = [price for price in announcement.prices if listed in (None, price.type)]
        return [price_tag(rule.name, price, revision) for price in prices]
    server_id = announcement.server_id
    values: dict[TagValue, tuple[str, ...] | None] = {
        TagValue.SERVER_ID: None if server_id is None else (server_id,),
        TagValue.LIST_ID: None if server_id is None else (f"{server_id}/{LIST_METHODS.get(announcement.type)}",),
        TagValue.REQUEST_KIND: (str(revision.kinds.request),),
        TagValue.FLAG: () if announcement.encryption else None,
        TagValue.EPHEMERAL_FLAG: () if announcement.ephemeral_wraps else None,
    }
    value = values[rule.value] if rule.value in values else _text(announcement, rule.name)
    if value is None:
        if rule.presence is Presence.REQUIRED:
            raise LocalProtocolError(ErrorClass.MISSING_TAG, f"the {rule.name} tag is required, its value is not given")
        return []
    return [(rule.name, *value)]


def _text(announcement: Announcement, name: str) -> tuple[str] | None:
    text: str | None = getattr(announcement, name)
    return None if text is None else (text,)


def _capability_tags(name: str, announcement: Announcement, revision: Revision) -> list[Tag]:
    """One tag an item. A resource is named by its name, and by its URI where it has a price."""
    unsaid = {price.capability: price for price in announcement.prices}
    tags: list[Tag] = []
    items = announcement.content.get(LIST_MEMBERS[announcement.type], [])
    if type(items) is not list:
        raise LocalProtocolError(ErrorClass.MALFORMED_BODY, "the list is no list")
    for item in items:
        its_name = item.get("name") if type(item) is dict else None
        if type(its_name) is not str:
            raise LocalProtocolError(ErrorClass.MALFORMED_BODY, "an item of the list has no name")
        price = unsaid.pop(str(item.get("uri", its_name)), None) or unsaid.pop(its_name, None)
        tags.append((name, its_name) if price is None else price_tag(name, price, revision))
    if unsaid or (announcement.prices and revision.prices is PriceForm.NONE):
        raise LocalProtocolError(ErrorClass.NOT_CARRIED, "a price for what is not in the list, or where there are none")
    return tags


def parse(event: Event, revision: Revision) -> Announcement:
    """What an announcement says, wrapped in a response or bare."""
    candidates = [one for one, kind in revision.kinds.announcements.items() if kind == event.kind]
    if not candidates:
        raise Violation(NostrErrorClass.WRONG_KIND, "event.kind", f"kind {event.kind} announces nothing here")
    value = strict_json.parse(event.content)
    content = value.get("result") if type(value) is dict and type(value.get("result")) is dict else value
    if type(content) is not dict:
        raise Violation(ErrorClass.MALFORMED_BODY, "event.content", "not a JSON object")
    found = next((one for one in candidates if LIST_MEMBERS.get(one) in content), None)
    if MessageClass.SERVER not in candidates and (found is None or type(content[LIST_MEMBERS[found]]) is not list):
        raise Violation(ErrorClass.MALFORMED_BODY, "event.content", "not a list that this kind announces")
    if MessageClass.SERVER in candidates and "error" in content:
        raise Violation(ErrorClass.MALFORMED_BODY, "event.content", "an error in place of a server")
    message_class = found or MessageClass.SERVER
    rules = revision.tags[message_class]
    for rule in rules:
        identifies = rule.value in (TagValue.SERVER_ID, TagValue.LIST_ID)
        if identifies and rule.presence is Presence.REQUIRED and event.first(rule.name) is None:
            raise Violation(ErrorClass.MISSING_TAG, "event.tags", f"there is no {rule.name} tag")
    server_tag = next((rule.name for rule in rules if rule.value is TagValue.SERVER_ID), None)
    capability_tags = [rule.name for rule in rules if rule.value in (TagValue.CAPABILITIES, TagValue.PRICES)]
    tagged = [tag for tag in event.tags if tag[0] in capability_tags and len(tag) > 1]
    texts = texts_in(event) if message_class is MessageClass.SERVER else {}
    return Announcement(
        message_class,
        event.pubkey,
        event.first(server_tag) if server_tag else None,
        content,
        name=texts.get("name"),
        about=texts.get("about"),
        picture=texts.get("picture"),
        website=texts.get("website"),
        encryption=says_encryption(event),
        ephemeral_wraps=says_ephemeral(event),
        prices=prices_in(event, revision) if tagged else (),
        capabilities=tuple(tag[1] for tag in tagged),
    )


def texts_in(event: Event) -> dict[str, str]:
    """What a server says of itself to people, by the names of the tags that hold it."""
    return {name: text for name in _TEXTS if (text := event.first(name)) is not None}


def says_encryption(event: Event) -> bool:
    """Whether support for encryption is said, in either form: present, and not the word false."""
    return any(tag[0] == "support_encryption" and tag[1:2] != ("false",) for tag in event.tags)


def says_ephemeral(event: Event) -> bool:
    """Whether support for ephemeral wraps is said."""
    return any(tag[0] == "support_encryption_ephemeral" for tag in event.tags)


def prices_in(event: Event, revision: Revision) -> tuple[Price, ...]:
    """The prices in an event's cap tags, none where the revision has no prices."""
    if revision.prices is PriceForm.NONE:
        return ()
    return tuple(_price(tag, revision) for tag in event.tags if tag[0] == "cap" and len(tag) > 3 and is_amount(tag[2]))


def _price(tag: Tag, revision: Revision) -> Price:
    capability, kind = tag[1], ""
    if revision.prices is PriceForm.TYPED and ":" in capability:
        kind, _, capability = capability.partition(":")
    return Price(kind, capability, tag[2], tag[3])


def merge(announcements: list[Event]) -> list[Event]:
    """Of announcements from several relays the current one of each address, newest first."""
    current: dict[str, Event] = {}
    for event in announcements:
        address = filters.address(event)
        if address is not None and (address not in current or filters.replaces(event, current[address])):
            current[address] = event
    return sorted(current.values(), key=filters.newest_first)


def server_address(announcement: Announcement, revision: Revision, relays: tuple[str, ...] = ()) -> str:
    """The naddr of an announced server."""
    kind = revision.kinds.announcements[MessageClass.SERVER]
    return nip19.encode(nip19.Address(announcement.server_id or "", announcement.pubkey, kind, relays))


def refuse_one_address(*revisions_of_one_server_id: Revision) -> None:
    """Two revisions cannot be announced under one server id: their announcements would replace each other."""
    kinds = [
        kind for revision in revisions_of_one_server_id for kind in set(revision.kinds.announcements.values())
    ]  # fmt: skip
    if len(kinds) != len(set(kinds)):
        raise LocalProtocolError(ErrorClass.NOT_CARRIED, "two revisions announce incompatible content at one address")


assert set(LIST_METHODS) | {MessageClass.SERVER} == ANNOUNCEMENTS
