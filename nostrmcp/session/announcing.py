"""Servers that are announced: what they are and what they have, kept current on relays."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..mcp import catalogue, paths
from ..mcp.catalogue import SERVER_INFO
from ..mcp.jsonrpc import Error, Notification, Result
from ..nostr import LocalProtocolError, Violation, filters, strict_json
from ..revisions.model import LIST_MEMBERS, MessageClass, PriceForm, Revision
from ..translate import announce
from ..translate.announce import LIST_METHODS, Announcement
from .actions import Action, Drop, Link, Notice, Publish
from .errors import ErrorClass
from .links import Body, McpLink, has_handshake, own_request
from .settings import Encryption, McpServer
from .subscriptions import LISTEN, LISTS, is_named, name_in

if TYPE_CHECKING:
    from .server import Server

# The list that each notification says has changed; resources and their templates change together.
_CHANGED = {
    "notifications/tools/list_changed": (MessageClass.TOOLS,),
    "notifications/prompts/list_changed": (MessageClass.PROMPTS,),
    "notifications/resources/list_changed": (MessageClass.RESOURCES, MessageClass.RESOURCE_TEMPLATES),
}
_CAPABILITIES = {
    MessageClass.TOOLS: "tools",
    MessageClass.RESOURCES: "resources",
    MessageClass.RESOURCE_TEMPLATES: "resources",
    MessageClass.PROMPTS: "prompts",
}
DISCOVER = "server/discover"
# Pages of a list that are read before it is taken to have no end.
MAX_PAGES = 100


def can_describe(version: str) -> bool:
    """Whether MCP servers of this version can be asked what they are, so that they can be announced."""
    return has_handshake(version) or catalogue.find(DISCOVER, version) is not None


class Announcer:
    """Announces each server that is to be, in every revision it speaks, each at an address of its own."""

    def __init__(self, host: Server) -> None:
        self._host = host
        self._latest: dict[tuple[int, MessageClass, str | None], int] = {}
        # Lists that are being read, and whether each has changed since that began.
        self._reading: dict[tuple[Link, MessageClass], bool] = {}
        # The number of the subscription by which each MCP server without a handshake tells of changes.
        self._listening: dict[Link, int] = {}
        # The kind of what stands at each address: what a provider that withdraws has to name.
        self.addresses: dict[str, int] = {}

    @property
    def latest(self) -> int:
        """The date of the newest announcement; it may lie a little in the future."""
        return max(self._latest.values(), default=0)

    def id_of(self, server: McpServer, revision: Revision) -> str:
        """The server's id in a revision: its own, and with the revision's name where another has taken the address."""
        kind = revision.kinds.announcements[MessageClass.SERVER]
        same = [one for one in self._host.settings.revisions if one.kinds.announcements[MessageClass.SERVER] == kind]
        return server.id if not server.announced or same[0] is revision else f"{server.id}.{revision.name}"

    def speaks(self, server: McpServer, revision: Revision) -> bool:
        """Whether a server is to be had in a revision: one without server ids has room for the first."""
        return revision.server_ids or server is self._host.settings.servers[0]

    def begin(self, server: McpServer, link: McpLink) -> list[Action]:
        """Begin the conversation with the MCP server, and announce what it says of itself."""
        return link.when_ready(partial(self._announce_all, server, link))

    def _announce_all(self, server: McpServer, link: McpLink, failure: Error | None) -> list[Action]:
        if failure is not None or not server.announced:
            return []
        if link.result is not None:
            return self._announce_as(server, link, link.result)
        if not can_describe(link.version):
            return [_undescribed(f"MCP {link.version} has no way to ask for it")]
        return [link.call(own_request(DISCOVER, link.version), partial(self._discovered, server, link))[1]]

    def _discovered(self, server: McpServer, link: McpLink, answer: Result | Error) -> list[Action]:
        """Without a handshake, what an MCP server answers to server/discover is announced as its result would be."""
        if isinstance(answer, Error):
            return [_undescribed("it was asked, and gave an error")]
        said = _as_initialized(answer.result, server, link.version)
        flags = {flag: True for flag, path in LISTS.values() if paths.read(said, ("capabilities", *path)) is True}
        heard: list[Action] = []
        if flags:
            asked = own_request(LISTEN, link.version, {"notifications": flags})
            self._listening[link.link], deliver = link.call(asked, partial(self._ended, link))
            heard.append(deliver)
        return [*heard, *self._announce_as(server, link, said)]

    def _ended(self, link: McpLink, _answer: Result | Error) -> list[Action]:
        del self._listening[link.link]
        return []

    def _announce_as(self, server: McpServer, link: McpLink, said: Body) -> list[Action]:
        actions = self._announce(server, MessageClass.SERVER, said)
        for message_class, capability in _CAPABILITIES.items():
            if type(paths.read(said, ("capabilities", capability))) is dict:
                actions += self._begin(server, link, message_class)
        return actions

    def told(self, link: McpLink, notification: Notification) -> list[Action] | None:
        """A notification on the subscription that is the announcer's own; None where it is another's, or of none."""
        number = self._listening.get(link.link)
        if number is None or not is_named(name_in(notification), number, link.version):
            return None
        return self.changed(link, notification.method) if notification.method in _CHANGED else []

    def changed(self, link: McpLink, method: str) -> list[Action]:
        """Read a list that has changed, and announce it anew."""
        server = next(one for one in self._host.settings.servers if one.id == link.link.server)
        if not server.announced or link.session is not None:
            return []
        return [action for one in _CHANGED[method] for action in self._begin(server, link, one)]

    def _begin(self, server: McpServer, link: McpLink, message_class: MessageClass) -> list[Action]:
        """Read a list from its first page. One that changes while it is read is read once more after that, however
        often it changes: an MCP server that says so without end, and answers nothing, makes nothing grow."""
        key = (link.link, message_class)
        if key in self._reading:
            self._reading[key] = True
            return []
        self._reading[key] = False
        return self._read(server, link, message_class, [], None)

    def _read(
        self, server: McpServer, link: McpLink, message_class: MessageClass, pages: list[Any], cursor: str | None
    ) -> list[Action]:
        params = None if cursor is None else {"cursor": cursor}
        request = own_request(LIST_METHODS[message_class], link.version, params)
        return [link.call(request, partial(self._was_read, server, link, message_class, pages))[1]]

    def _was_read(
        self, server: McpServer, link: McpLink, message_class: MessageClass, pages: list[Any], answer: Result | Error
    ) -> list[Action]:
        key = (link.link, message_class)
        if isinstance(answer, Error):
            del self._reading[key]
            return []
        pages.append(answer.result)
        cursor = answer.result.get("nextCursor")
        # What is larger than relays carry is not announced, so no more of it is read.
        fits = sum(len(strict_json.dump(page)) for page in pages) <= self._host.settings.limits.event
        if type(cursor) is str and len(pages) < MAX_PAGES and fits:
            return self._read(server, link, message_class, pages, cursor)
        has_changed = self._reading.pop(key)
        member = LIST_MEMBERS[message_class]
        lists = [page[member] for page in pages if type(page.get(member)) is list]
        items = [item for one in lists for item in one]
        actions = self._announce(server, message_class, {member: items})
        return [*actions, *self._begin(server, link, message_class)] if has_changed else actions

    def _announce(self, server: McpServer, message_class: MessageClass, content: dict[str, Any]) -> list[Action]:
        """One event a revision, dated after our own latest at its address; what is too large is not announced."""
        settings, sender = self._host.settings, self._host.sender
        encrypts = settings.encryption is not Encryption.DISABLED
        actions: list[Action] = []
        for revision in settings.revisions:
            if message_class not in revision.kinds.announcements or not self.speaks(server, revision):
                continue
            server_id = self.id_of(server, revision) if revision.server_ids else None
            announcement = Announcement(
                message_class,
                sender.own,
                server_id,
                content,
                name=server.name,
                about=server.about,
                picture=server.picture,
                website=server.website,
                encryption=encrypts,
                ephemeral_wraps=encrypts,
                prices=() if revision.prices is PriceForm.NONE else _priced(message_class, settings.prices, content),
            )
            address = (revision.kinds.announcements[message_class], message_class, server_id)
            created_at = max(self._host.now.unix, self._latest.get(address, 0) + 1)
            try:
                event = sender.sign(announce.build(announcement, revision, created_at))
            except LocalProtocolError as problem:
                actions.append(Drop(None, Violation(problem.error_class, "announcement", problem.detail)))
                continue
            self._latest[address] = created_at
            self.addresses[str(filters.address(event))] = event.kind
            actions.append(Publish(event))
        return actions


def _as_initialized(discovered: Body, server: McpServer, version: str) -> Body:
    """What server/discover gives, in the form of an initialize result: what announcements hold, in every version."""
    info, capabilities = paths.read(discovered, ("_meta", SERVER_INFO)), discovered.get("capabilities")
    said = {
        "protocolVersion": version,
        "capabilities": capabilities if type(capabilities) is dict else {},
        # It may keep to itself what it is; an initialize result may not.
        "serverInfo": info if type(info) is dict else {"name": server.name or server.id, "version": ""},
    }
    instructions = discovered.get("instructions")
    return said | ({"instructions": instructions} if type(instructions) is str else {})


def _undescribed(detail: str) -> Notice:
    detail = f"what the MCP server is and has is not known, so nothing is announced: {detail}"
    return Notice(None, Violation(ErrorClass.UNSUPPORTED, "announcement", detail))


def _priced(message_class: MessageClass, prices: Any, content: dict[str, Any]) -> Any:
    """The prices of what is in the list."""
    if message_class is MessageClass.SERVER:
        return ()
    items = [item for item in content[LIST_MEMBERS[message_class]] if type(item) is dict]
    names = [item.get(name) for item in items for name in ("name", "uri", "uriTemplate")]
    listed = {name for name in names if type(name) is str}
    return tuple(price for price in prices if price.capability in listed)
