"""JSON as an event and its content must be read: one text, one value, whoever reads it."""

from vectors.source.writing import Note, Suite, acceptable, invalid, valid

SUITE = Suite(
    "common/strict_json",
    "Reading JSON strictly",
    "1",
    {
        "DuplicateKey": Note(
            "AUTH_BYPASS",
            "an object names a key twice; parsers keep the first, the last, or both",
            "a filter, a signer and a handler each see another value in one signed message",
        ),
        "LoneSurrogate": Note(
            "MALLEABILITY",
            "half of a surrogate pair, which no UTF-8 text can hold",
            "implementations replace, drop or keep it and hash different bytes for one message",
        ),
        "InvalidUtf8": Note(
            "MALLEABILITY",
            "bytes that are not UTF-8",
            "decoders that put in replacement characters read another text than the one that was sent",
        ),
        "NotJson": Note(
            "MISSING_STEP",
            "text that lenient parsers take for JSON",
            "a message that one side executes is refused by the other",
        ),
        "Depth": Note(
            "RESOURCE",
            "nesting far beyond what any message needs",
            "a recursive parser overflows its stack: one event stops the process",
        ),
        "BigInteger": Note(
            "EDGE_CASE",
            "an integer that a 64-bit float cannot hold",
            "an id or an amount comes back changed, and the answer reaches nobody",
        ),
        "Spelling": Note(
            "BASIC", "white space, key order and escapes do not change the value", "valid messages are refused"
        ),
        "Overflow": Note(
            "EDGE_CASE", "a number too large for a 64-bit float", "Infinity enters the program, and cannot be written"
        ),
    },
)


def text(raw: str) -> dict[str, str]:
    return {"raw": raw}


def data(hexadecimal: str) -> dict[str, str]:
    return {"raw_hex": hexadecimal}


def gives(canonical: str) -> dict[str, str]:
    return {"canonical": canonical}


SUITE.group(
    "json_parse",
    valid("json-object", "an object is read and written in its own key order", "JSON-PARSE-04",
          text('{"b":1,"a":[true,false,null,"x"]}'), gives('{"b":1,"a":[true,false,null,"x"]}'), flags="Spelling"),
    valid("json-white-space", "white space between tokens changes nothing", "JSON-PARSE-04",
          text(' {\t"a" :\r\n[ 1 , 2 ] } '), gives('{"a":[1,2]}'), flags="Spelling"),
    valid("json-escapes", "escapes and plain characters are the same string", "JSON-PARSE-04",
          text('"\\u0041\\/\\u00e9\\n"'), gives('"A/é\\n"'), flags="Spelling"),
    valid("json-surrogate-pair", "an escaped surrogate pair is one character", "JSON-PARSE-03",
          text('"\\ud83d\\ude00"'), gives('"😀"'), flags="Spelling"),
    valid("json-equal-keys-apart", "equal keys in different objects are not repeated", "JSON-PARSE-02",
          text('{"a":{"a":1},"b":[{"a":2},{"a":3}]}'), gives('{"a":{"a":1},"b":[{"a":2},{"a":3}]}'), flags="Spelling"),
    valid("json-keys-like-in-a-string", "text inside a string that looks like a repeated key is text", "JSON-PARSE-02",
          text('{"a":"\\"a\\":1,\\"a\\":2"}'), gives('{"a":"\\"a\\":1,\\"a\\":2"}'), flags="Spelling"),
    valid("json-scalar", "a number alone is a JSON text", "JSON-PARSE-04", text("7"), gives("7"), flags="Spelling"),
    valid("json-empty-key", "the empty string is a key", "JSON-PARSE-02", text('{"":1}'), gives('{"":1}'),
          flags="Spelling"),
    valid("json-integer-above-2-53", "an integer above 2^53 keeps its value", "JSON-PARSE-06",
          text('{"id":9007199254740993}'), gives('{"id":9007199254740993}'), flags="BigInteger"),
    valid("json-integer-above-2-64", "an integer above 2^64 keeps its value", "JSON-PARSE-06",
          text('{"id":18446744073709551617}'), gives('{"id":18446744073709551617}'), flags="BigInteger"),
    valid("json-integer-alone", "an integer above 2^64 that is the whole text keeps its value", "JSON-PARSE-06",
          text("18446744073709551617"), gives("18446744073709551617"), flags="BigInteger"),
    valid("json-integer-of-40-digits", "a negative integer of 40 digits keeps its value", "JSON-PARSE-06",
          text("[-1234567890123456789012345678901234567890]"), gives("[-1234567890123456789012345678901234567890]"),
          flags="BigInteger"),
    invalid("json-integer-of-5000-digits", "an integer of 5,000 digits is refused and harms nothing", "JSON-PARSE-06",
            text("[" + "9" * 5_000 + "]"), "number_out_of_range", flags="Overflow"),
    invalid("json-deep-float", "a fraction below 5,000 arrays is refused and harms nothing", "JSON-PARSE-05",
            text("[" * 5_000 + "1.5" + "]" * 5_000), "too_deep", flags="Depth"),
    valid("json-integer-beside-float", "a big integer beside a fraction keeps its value", "JSON-PARSE-06",
          text("[0.5, 18446744073709551617]"), gives("[0.5,18446744073709551617]"), flags="BigInteger"),
    valid("json-depth-64", "64 nested arrays are read", "JSON-PARSE-05", text("[" * 64 + "]" * 64),
          gives("[" * 64 + "]" * 64), flags="Depth"),
    invalid("json-duplicate-key", "a key named twice is refused", "JSON-PARSE-02", text('{"a":1,"a":2}'),
            "duplicate_key", flags="DuplicateKey"),
    invalid("json-duplicate-key-same-value", "a key named twice with one value is refused", "JSON-PARSE-02",
            text('{"a":1,"a":1}'), "duplicate_key", flags="DuplicateKey"),
    invalid("json-duplicate-key-nested", "a key named twice deep inside is refused", "JSON-PARSE-02",
            text('{"a":[{"b":{"c":1,"d":2,"c":3}}]}'), "duplicate_key", flags="DuplicateKey"),
    invalid("json-duplicate-key-escaped", "a key named again in escapes is refused", "JSON-PARSE-02",
            text('{"a":1,"\\u0061":2}'), "duplicate_key", flags="DuplicateKey"),
    invalid("json-duplicate-key-beside-escaped-colon", "an escaped colon elsewhere does not hide a repeated key",
            "JSON-PARSE-02", text('{"a":"\\u003a","a":2}'), "duplicate_key", flags="DuplicateKey"),
    invalid("json-duplicate-key-hidden-by-colon", "an escaped colon in the last value does not hide a repeated key",
            "JSON-PARSE-02", text('{"a":2,"a":"\\u003a"}'), "duplicate_key", flags="DuplicateKey"),
    invalid("json-duplicate-empty-key", "the empty key named twice is refused", "JSON-PARSE-02", text('{"":1,"":2}'),
            "duplicate_key", flags="DuplicateKey"),
    invalid("json-high-surrogate-alone", "an escaped high surrogate alone is refused", "JSON-PARSE-03",
            text('"\\ud800"'), "lone_surrogate", flags="LoneSurrogate"),
    invalid("json-low-surrogate-alone", "an escaped low surrogate alone is refused", "JSON-PARSE-03",
            text('{"a":"x\\udfffx"}'), "lone_surrogate", flags="LoneSurrogate"),
    invalid("json-surrogates-swapped", "a surrogate pair in the wrong order is refused", "JSON-PARSE-03",
            text('"\\ude00\\ud83d"'), "lone_surrogate", flags="LoneSurrogate"),
    invalid("json-surrogate-in-key", "half of a surrogate pair in a key is refused", "JSON-PARSE-03",
            text('{"\\ud800":1}'), "lone_surrogate", flags="LoneSurrogate"),
    invalid("json-surrogate-as-bytes", "a surrogate in the form of UTF-8 bytes is refused", "JSON-PARSE-01",
            data("22eda08022"), "invalid_utf8", flags="InvalidUtf8"),
    invalid("json-byte-ff", "the byte ff is refused", "JSON-PARSE-01", data("22ff22"), "invalid_utf8",
            flags="InvalidUtf8"),
    invalid("json-overlong-utf8", "a slash in two bytes is refused", "JSON-PARSE-01", data("22c0af22"), "invalid_utf8",
            flags="InvalidUtf8"),
    invalid("json-cut-utf8", "a character that ends too early is refused", "JSON-PARSE-01", data("22e28222"),
            "invalid_utf8", flags="InvalidUtf8"),
    invalid("json-nan", "NaN is refused", "JSON-PARSE-04", text("[NaN]"), "invalid_json", flags="NotJson"),
    invalid("json-infinity", "Infinity is refused", "JSON-PARSE-04", text('{"a":-Infinity}'), "invalid_json",
            flags="NotJson"),
    invalid("json-trailing-data", "a second value after the first is refused", "JSON-PARSE-04", text("{} {}"),
            "invalid_json", flags="NotJson"),
    invalid("json-trailing-comma", "a comma before the closing bracket is refused", "JSON-PARSE-04", text("[1,]"),
            "invalid_json", flags="NotJson"),
    invalid("json-comment", "a comment is refused", "JSON-PARSE-04", text("{} // end"), "invalid_json", flags="NotJson"),
    invalid("json-single-quotes", "single quotes are refused", "JSON-PARSE-04", text("{'a':1}"), "invalid_json",
            flags="NotJson"),
    invalid("json-leading-zero", "a leading zero is refused", "JSON-PARSE-04", text("[01]"), "invalid_json",
            flags="NotJson"),
    invalid("json-raw-newline-in-string", "a raw control character in a string is refused", "JSON-PARSE-04",
            text('"a\nb"'), "invalid_json", flags="NotJson"),
    invalid("json-byte-order-mark", "a byte order mark is refused", "JSON-PARSE-04", data("efbbbf7b7d"), "invalid_json",
            flags="NotJson"),
    invalid("json-empty", "the empty text is refused", "JSON-PARSE-04", text(""), "invalid_json", flags="NotJson"),
    invalid("json-cut", "a text that ends too early is refused", "JSON-PARSE-04", text('{"a":[1,2'), "invalid_json",
            flags="NotJson"),
    invalid("json-depth-20000", "20,000 nested arrays are refused and harm nothing", "JSON-PARSE-05",
            text("[" * 20_000 + "]" * 20_000), "too_deep", flags="Depth"),
    invalid("json-depth-objects", "5,000 nested objects are refused and harm nothing", "JSON-PARSE-05",
            text('{"a":' * 5_000 + "1" + "}" * 5_000), "too_deep", flags="Depth"),
    invalid("json-number-overflow", "a number beyond any 64-bit float is refused", "JSON-PARSE-06", text("[1e400]"),
            "number_out_of_range", flags="Overflow"),
    acceptable("json-depth-1000", "1,000 nested arrays are read, or refused as too deep", "JSON-PARSE-05",
               text("[" * 1_000 + "]" * 1_000), "AMB-08", error="too_deep", flags="Depth"),
)  # fmt: skip

# Where readers take short cuts.
SUITE.group(
    "json_parse",
    valid("json-wide", "200 arrays side by side are not deep", "JSON-PARSE-05", text(f"[ {'[],' * 200}0]"),
          gives(f"[{'[],' * 200}0]"), flags="Depth"),
    valid("json-wide-objects", "200 objects side by side are not deep", "JSON-PARSE-05", text(f"[ {'{},' * 200}0]"),
          gives(f"[{'{},' * 200}0]"), flags="Depth"),
    valid("json-brackets-in-text", "200 brackets in a string are not deep", "JSON-PARSE-05", text(f'"{"[{" * 100}"'),
          gives(f'"{"[{" * 100}"'), flags="Depth"),
    acceptable("json-depth-1000-objects", "1,000 nested objects are read, or refused as too deep", "JSON-PARSE-05",
               text('{"a":' * 1_000 + "1" + "}" * 1_000), "AMB-08", error="too_deep", flags="Depth"),
    acceptable("json-depth-128", "128 levels around a big integer are read, or refused as too deep",
               "JSON-PARSE-05", text('[{"a":' * 64 + "18446744073709551617" + "}]" * 64), "AMB-08",
               output=gives('[{"a":' * 64 + "18446744073709551617" + "}]" * 64), flags="Depth"),
    valid("json-escaped-colons", "colons that are spelled as escapes are text", "JSON-PARSE-02",
          text('{"a": "\\u003a\\u003A\\u003A"}'), gives('{"a":":::"}'), flags="Spelling"),
    valid("json-escaped-backslash", "an escaped backslash before u003a is no escaped colon", "JSON-PARSE-02",
          text('{"a": "\\\\u003a"}'), gives('{"a":"\\\\u003a"}'), flags="Spelling"),
    valid("json-integer-beside-words", "a big integer beside null, true, false and text is written as it was read",
          "JSON-PARSE-06", text('{"n":[18446744073709551617,null,true,false,"\\u0001é\\n"]}'),
          gives('{"n":[18446744073709551617,null,true,false,"\\u0001é\\n"]}'), flags="BigInteger"),
    invalid("json-duplicate-key-beside-float", "a key named twice beside a fraction is refused", "JSON-PARSE-02",
            text('{"a":1,"b":1.50,"a":2}'), "duplicate_key", flags="DuplicateKey"),
)  # fmt: skip
