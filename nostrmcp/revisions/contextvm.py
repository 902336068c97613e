"""`contextvm`: the living ContextVM protocol, pinned (contextvm-docs 8bd9e8c: draft spec, CEP-4, 6, 8, 19, 35).

One server is one key: no server identifiers. Announcements are replaceable. CEP-8 in its transparent lifecycle only.
"""

from __future__ import annotations

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

# Discovery tags: on whatever message a side sends first in a session.
_FIRST_OF_CLIENT = (
    optional("support_encryption", TagValue.FLAG, "CVM-FLOW-61"),
    optional("support_encryption_ephemeral", TagValue.EPHEMERAL_FLAG, "CVM-FLOW-61"),
)
_TEXTS_OF_SERVER = (
    optional("name", TagValue.TEXT, "CVM-ANN-54"),
    optional("about", TagValue.TEXT, "CVM-ANN-54"),
    optional("picture", TagValue.TEXT, "CVM-ANN-54"),
    optional("website", TagValue.TEXT, "CVM-ANN-54"),
)
_FIRST_OF_SERVER = (
    *_TEXTS_OF_SERVER,
    optional("support_encryption", TagValue.FLAG, "CVM-FLOW-62"),
    optional("support_encryption_ephemeral", TagValue.EPHEMERAL_FLAG, "CVM-FLOW-62"),
)

REVISION = Revision(
    name="contextvm",
    title="ContextVM",
    source="ContextVM/contextvm-docs 8bd9e8c",
    mcp_version="2025-11-25",
    kinds=Kinds(
        request=25910,
        response=25910,
        notification=25910,
        announcements={
            MessageClass.SERVER: 11316,
            MessageClass.TOOLS: 11317,
            MessageClass.RESOURCES: 11318,
            MessageClass.RESOURCE_TEMPLATES: 11319,
            MessageClass.PROMPTS: 11320,
        },
        wraps=(1059, 21059),
    ),
    kind_reqs={
        MessageClass.REQUEST: "CVM-KIND-01",
        MessageClass.RESPONSE: "CVM-KIND-02",
        MessageClass.NOTIFICATION_TO_CLIENT: "CVM-KIND-03",
        MessageClass.SERVER: "CVM-KIND-04",
        MessageClass.TOOLS: "CVM-KIND-05",
        MessageClass.RESOURCES: "CVM-KIND-06",
        MessageClass.RESOURCE_TEMPLATES: "CVM-KIND-07",
        MessageClass.PROMPTS: "CVM-KIND-08",
    },
    envelope=Envelope.JSONRPC,
    conforming_envelopes=frozenset({Envelope.JSONRPC}),
    tolerated_envelopes=frozenset({Envelope.JSONRPC}),
    announcement_envelope=AnnouncementEnvelope.RESULT,
    cancel=CancelForm.MCP,
    progress=ProgressForm.MCP,
    payment=PaymentForm.PAYMENT_REQUEST,
    prices=PriceForm.TYPED,
    wrap_time=WrapTime.NOW,
    initialized_is_sent=True,
    server_ids=False,
    method_tag_binds=False,
    server_requests=ServerRequests.ALL,
    requirements={
        Rule.CONTENT_IS_JSON: "CVM-BODY-01",
        Rule.REQUEST_ENVELOPE: "CVM-BODY-02",
        Rule.REQUEST_MEMBERS: "CVM-BODY-03",
        Rule.RESPONSE_ENVELOPE: "CVM-BODY-04",
        Rule.RESULT_PLACE: "CVM-BODY-05",
        Rule.NOTIFICATION_ENVELOPE: "CVM-BODY-06",
        Rule.ERROR_FORM: "CVM-BODY-07",
        Rule.ONE_OUTCOME: "CVM-BODY-09",
        Rule.COMPLETION_VALUES: "CVM-COMP-02",
        Rule.ANNOUNCEMENT_ENVELOPE: "CVM-BODY-10",
        Rule.LIST_ENVELOPE: "CVM-BODY-11",
        Rule.ANNOUNCEMENT_MEMBERS: "CVM-ANN-05",
        Rule.PRICE_FORM: "CVM-PRICE-01",
        Rule.PRICE_IDENTIFIER: "CVM-PRICE-02",
    },
    params={
        "notifications/progress": Params("CVM-NOTE-01", {"progressToken": Member.ID, "progress": Member.NUMBER}),
        "notifications/cancelled": Params("CVM-NOTE-02", {"requestId": Member.ID}),
        "notifications/payment_required": Params(
            "CVM-PAY-02", {"amount": Member.NUMBER, "pay_req": Member.TEXT, "pmi": Member.PAYMENT_METHOD}
        ),
        "notifications/payment_accepted": Params("CVM-PAY-51", {"amount": Member.NUMBER, "pmi": Member.PAYMENT_METHOD}),
        "notifications/payment_rejected": Params("CVM-PAY-52", {"pmi": Member.PAYMENT_METHOD}),
    },
    losses=frozenset({Loss.SERVER_ID}),
    tags={
        MessageClass.REQUEST: (  # of either side
            required("p", TagValue.RECIPIENT, "CVM-TAG-01"),
            *_TEXTS_OF_SERVER,
            *_FIRST_OF_CLIENT,
            optional("pmi", TagValue.PAYMENT_METHODS, "CVM-PAY-58"),
        ),
        MessageClass.INITIALIZE: (
            required("p", TagValue.RECIPIENT, "CVM-TAG-05"),
            optional("support_encryption", TagValue.FLAG, "CVM-TAG-12"),
            optional("support_encryption_ephemeral", TagValue.EPHEMERAL_FLAG, "CVM-TAG-12"),
            optional("pmi", TagValue.PAYMENT_METHODS, "CVM-PAY-55"),
        ),
        MessageClass.PING: (  # of either side
            required("p", TagValue.RECIPIENT, "CVM-TAG-01"),
            *_TEXTS_OF_SERVER,
            *_FIRST_OF_CLIENT,
        ),
        MessageClass.RESPONSE: (
            optional("p", TagValue.RECIPIENT, "HOUSE-ROUTE-01"),
            required("e", TagValue.REQUEST_EVENT, "CVM-TAG-08"),
            *_FIRST_OF_SERVER,
        ),
        MessageClass.LIST_RESPONSE: (
            optional("p", TagValue.RECIPIENT, "HOUSE-ROUTE-01"),
            required("e", TagValue.REQUEST_EVENT, "CVM-TAG-08"),
            optional("cap", TagValue.PRICES, "CVM-TAG-23"),
            *_FIRST_OF_SERVER,
        ),
        MessageClass.INITIALIZE_RESPONSE: (
            optional("p", TagValue.RECIPIENT, "HOUSE-ROUTE-01"),
            required("e", TagValue.REQUEST_EVENT, "CVM-TAG-10"),
            *_TEXTS_OF_SERVER,
            optional("support_encryption", TagValue.FLAG, "CVM-TAG-12"),
            optional("support_encryption_ephemeral", TagValue.EPHEMERAL_FLAG, "CVM-TAG-12"),
        ),
        MessageClass.ERROR: (
            optional("p", TagValue.RECIPIENT, "HOUSE-ROUTE-01"),
            required("e", TagValue.REQUEST_EVENT, "CVM-TAG-08"),
            *_FIRST_OF_SERVER,
        ),
        MessageClass.NOTIFICATION_TO_CLIENT: (
            required("p", TagValue.RECIPIENT, "CVM-TAG-13"),
            optional("e", TagValue.REQUEST_EVENT, "CVM-TAG-17"),
            *_FIRST_OF_SERVER,
        ),
        MessageClass.NOTIFICATION_TO_SERVER: (
            required("p", TagValue.RECIPIENT, "CVM-TAG-13"),
            optional("e", TagValue.REQUEST_EVENT, "CVM-TAG-17"),
            *_FIRST_OF_CLIENT,
        ),
        MessageClass.INITIALIZED: (
            required("p", TagValue.RECIPIENT, "CVM-TAG-18"),
            *_FIRST_OF_CLIENT,
        ),
        MessageClass.PROGRESS: (
            required("p", TagValue.RECIPIENT, "CVM-TAG-13"),
            optional("e", TagValue.REQUEST_EVENT, "CVM-TAG-17"),
            *_FIRST_OF_SERVER,
        ),
        MessageClass.CANCEL: (
            required("p", TagValue.RECIPIENT, "CVM-TAG-13"),
            optional("e", TagValue.REQUEST_EVENT, "CVM-TAG-17"),
        ),
        MessageClass.PAYMENT_REQUIRED: (
            required("p", TagValue.RECIPIENT, "CVM-PAY-06"),
            required("e", TagValue.REQUEST_EVENT, "CVM-PAY-03"),
            *_FIRST_OF_SERVER,
        ),
        MessageClass.SERVER: (
            optional("name", TagValue.TEXT, "CVM-ANN-03"),
            optional("about", TagValue.TEXT, "CVM-ANN-03"),
            optional("picture", TagValue.TEXT, "CVM-ANN-03"),
            optional("website", TagValue.TEXT, "CVM-ANN-03"),
            optional("support_encryption", TagValue.FLAG, "CVM-ANN-04"),
            optional("support_encryption_ephemeral", TagValue.EPHEMERAL_FLAG, "CVM-ANN-04"),
            optional("cap", TagValue.PRICES, "CVM-PRICE-01"),
        ),
        MessageClass.TOOLS: (optional("cap", TagValue.PRICES, "CVM-PRICE-01"),),
        MessageClass.RESOURCES: (optional("cap", TagValue.PRICES, "CVM-PRICE-01"),),
        MessageClass.RESOURCE_TEMPLATES: (optional("cap", TagValue.PRICES, "CVM-PRICE-01"),),
        MessageClass.PROMPTS: (optional("cap", TagValue.PRICES, "CVM-PRICE-01"),),
    },
)
