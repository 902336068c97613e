"""`ctxvm-draft`: the CTXVM draft (seed 001). One kind for all messages, one-layer encryption.

Its text drops jsonrpc and id while most of its examples keep them (AMB-201). We emit them and accept both; the variant
`STRICT_TEXT` emits what the text says.
"""

from __future__ import annotations

from dataclasses import replace

from .model import (
    AnnouncementEnvelope,
    CancelForm,
    Envelope,
    Kinds,
    Loss,
    Member,
    MessageClass,
    Params,
    PaymentForm,
    PriceForm,
    ProgressForm,
    Revision,
    Rule,
    ServerRequests,
    TagValue,
    WrapTime,
    optional,
    required,
)

REVISION = Revision(
    name="ctxvm-draft",
    title="CTXVM draft",
    source="001_2dd24ef00746d737.txt",
    mcp_version="2025-03-26",
    kinds=Kinds(
        request=25910,
        response=25910,
        notification=25910,
        announcements={
            MessageClass.SERVER: 31316,
            MessageClass.TOOLS: 31317,
            MessageClass.RESOURCES: 31318,
            MessageClass.RESOURCE_TEMPLATES: 31318,
            MessageClass.PROMPTS: 31319,
        },
        wraps=(1059,),
    ),
    kind_reqs={
        MessageClass.REQUEST: "CTX-KIND-01",
        MessageClass.RESPONSE: "CTX-KIND-02",
        MessageClass.NOTIFICATION_TO_CLIENT: "CTX-KIND-03",
        MessageClass.SERVER: "CTX-KIND-04",
        MessageClass.TOOLS: "CTX-KIND-05",
        MessageClass.RESOURCES: "CTX-KIND-06",
        MessageClass.RESOURCE_TEMPLATES: "CTX-KIND-06",
        MessageClass.PROMPTS: "CTX-KIND-08",
    },
    envelope=Envelope.JSONRPC,
    conforming_envelopes=frozenset({Envelope.JSONRPC, Envelope.NESTED}),
    tolerated_envelopes=frozenset({Envelope.JSONRPC, Envelope.NESTED}),
    announcement_envelope=AnnouncementEnvelope.RESULT,
    cancel=CancelForm.MCP,
    progress=ProgressForm.MCP,
    payment=PaymentForm.INVOICE,
    prices=PriceForm.PLAIN,
    wrap_time=WrapTime.PAST,
    initialized_is_sent=True,
    server_ids=True,
    method_tag_binds=False,
    server_requests=ServerRequests.ALL,
    requirements={
        Rule.CONTENT_IS_JSON: "CTX-BODY-01",
        Rule.REQUEST_MEMBERS: "CTX-BODY-03",
        Rule.RESULT_PLACE: "CTX-BODY-05",
        Rule.ERROR_FORM: "CTX-BODY-07",
        Rule.ONE_OUTCOME: "CTX-BODY-09",
        Rule.COMPLETION_VALUES: "CTX-COMP-02",
        Rule.METHOD_AGREES: "CTX-TAG-04",
        Rule.ANNOUNCEMENT_ENVELOPE: "CTX-BODY-10",
        Rule.LIST_ENVELOPE: "CTX-BODY-11",
        Rule.ANNOUNCEMENT_MEMBERS: "CTX-ANN-05",
        Rule.PRICE_FORM: "CTX-PRICE-01",
    },
    params={
        "notifications/progress": Params("CTX-NOTE-01", {"progressToken": Member.ID, "progress": Member.NUMBER}),
        "notifications/cancelled": Params("CTX-NOTE-02", {"requestId": Member.ID}),
        "notifications/payment_required": Params(
            "CTX-PAY-02", {"amount": Member.NUMBER, "currency": Member.TEXT, "invoice": Member.TEXT}
        ),
    },
    losses=frozenset(),
    tags={
        MessageClass.REQUEST: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-01"),
            optional("s", TagValue.SERVER_ID, "CTX-TAG-02"),
        ),
        MessageClass.INITIALIZE: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-05"),
            optional("s", TagValue.SERVER_ID, "CTX-TAG-06"),
            required("method", TagValue.METHOD, "CTX-TAG-07"),
        ),
        MessageClass.PING: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-01"),
            optional("s", TagValue.SERVER_ID, "CTX-TAG-02"),
        ),
        MessageClass.RESPONSE: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-09"),
            required("e", TagValue.REQUEST_EVENT, "CTX-TAG-08"),
        ),
        MessageClass.LIST_RESPONSE: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-09"),
            required("e", TagValue.REQUEST_EVENT, "CTX-TAG-08"),
            optional("cap", TagValue.PRICES, "CTX-TAG-23"),
        ),
        MessageClass.INITIALIZE_RESPONSE: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-09"),
            required("e", TagValue.REQUEST_EVENT, "CTX-TAG-10"),
            required("d", TagValue.SERVER_ID, "CTX-TAG-11"),
            optional("support_encryption", TagValue.FLAG, "CTX-TAG-12"),
        ),
        MessageClass.ERROR: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-09"),
            required("e", TagValue.REQUEST_EVENT, "CTX-TAG-08"),
        ),
        MessageClass.NOTIFICATION_TO_CLIENT: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-13"),
            optional("e", TagValue.REQUEST_EVENT, "CTX-TAG-17"),
        ),
        MessageClass.NOTIFICATION_TO_SERVER: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-13"),
            optional("s", TagValue.SERVER_ID, "CTX-TAG-14"),
            optional("e", TagValue.REQUEST_EVENT, "CTX-TAG-17"),
        ),
        MessageClass.INITIALIZED: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-18"),
            required("s", TagValue.SERVER_ID, "CTX-TAG-19"),
        ),
        MessageClass.PROGRESS: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-13"),
            required("e", TagValue.REQUEST_EVENT, "CTX-TAG-21"),
        ),
        MessageClass.CANCEL: (
            required("p", TagValue.RECIPIENT, "CTX-TAG-13"),
            optional("s", TagValue.SERVER_ID, "CTX-TAG-14"),
            required("e", TagValue.REQUEST_EVENT, "CTX-TAG-22"),
        ),
        MessageClass.PAYMENT_REQUIRED: (
            required("p", TagValue.RECIPIENT, "CTX-PAY-06"),
            required("e", TagValue.REQUEST_EVENT, "CTX-PAY-03"),
        ),
        MessageClass.SERVER: (
            required("d", TagValue.SERVER_ID, "CTX-ANN-01"),
            optional("name", TagValue.TEXT, "CTX-ANN-03"),
            optional("about", TagValue.TEXT, "CTX-ANN-03"),
            optional("picture", TagValue.TEXT, "CTX-ANN-03"),
            optional("website", TagValue.TEXT, "CTX-ANN-03"),
            optional("support_encryption", TagValue.FLAG, "CTX-ANN-04"),
        ),
        MessageClass.TOOLS: (
            required("d", TagValue.LIST_ID, "CTX-ANN-10"),
            required("s", TagValue.SERVER_ID, "CTX-ANN-11"),
            optional("cap", TagValue.PRICES, "CTX-PRICE-01"),
        ),
        MessageClass.RESOURCES: (
            required("d", TagValue.LIST_ID, "CTX-ANN-20"),
            required("s", TagValue.SERVER_ID, "CTX-ANN-21"),
            optional("cap", TagValue.PRICES, "CTX-PRICE-01"),
        ),
        MessageClass.RESOURCE_TEMPLATES: (
            required("d", TagValue.LIST_ID, "CTX-ANN-30"),
            required("s", TagValue.SERVER_ID, "CTX-ANN-31"),
            optional("cap", TagValue.PRICES, "CTX-PRICE-01"),
        ),
        MessageClass.PROMPTS: (
            required("d", TagValue.LIST_ID, "CTX-ANN-40"),
            required("s", TagValue.SERVER_ID, "CTX-ANN-41"),
            optional("cap", TagValue.PRICES, "CTX-PRICE-01"),
        ),
    },
)

STRICT_TEXT = replace(
    REVISION,
    name="ctxvm-draft-strict-text",
    title="CTXVM draft, to the letter of its text",
    envelope=Envelope.NESTED,
    losses=frozenset({Loss.REQUEST_IDS}),
)
