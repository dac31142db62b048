"""Where the code in an MDX text ends: tags, expressions in braces, import and export (R020).

Only brackets, strings, templates and comments are told apart. Nothing is evaluated, and what is
never closed is said to be so: a caller refuses the file and leaks no code as words.
"""

from __future__ import annotations

import re

_IN_CODE = re.compile(r"[\"'`(){}\[\]]|//|/\*")
_IN_TEMPLATE = re.compile(r"[`\\]|\$\{")
_IN_STATEMENT = re.compile(r"[\"'`({\[\n]|//|/\*")
_CLOSER = {"(": ")", "[": "]", "{": "}", "${": "}", "`": "`"}
_STRINGS = {sign: re.compile(rf"{sign}(?:[^{sign}\\\n]|\\.)*{sign}", re.DOTALL) for sign in "\"'"}
_TAG = re.compile(r"</?(?P<name>[A-Za-z_$][\w$.:-]*)?")
_ATTRIBUTE = re.compile(r"[A-Za-z_$@:][\w$.:@-]*(?P<value>\s*=\s*)?")
_BARE_VALUE = re.compile(r"[^\s\"'<>{}=`]+")
_BLANK = re.compile(r"\s*")
_SILENT = frozenset({"script", "style"})
_EXPORTED = frozenset({"const", "let", "var", "function", "async", "class", "default", "{", "*"})
_ANOTHER = ("import ", "export ")


def behind_code(text: str, start: int) -> int | None:
    """Behind the tag, comment or expression at `start`; `start` itself where there is none.

    None says that it is never closed.
    """
    if text.startswith("{", start):
        return behind_brackets(text, start)
    if text.startswith("<!--", start):
        return _behind(text, "-->", start + 4)
    tag = _TAG.match(text, start)
    return start if tag is None else _behind_tag(text, tag)


def behind_brackets(text: str, start: int, *, all_kinds: bool = False) -> int | None:
    """Behind what closes the bracket or template at `start`; of brackets, braces alone count."""
    stack: list[str] = []
    at = start
    while True:
        inside = bool(stack) and stack[-1] == "`"
        found = (_IN_TEMPLATE if inside else _IN_CODE).search(text, at)
        if found is None:
            return None
        sign, at = found[0], found.end()
        if inside and sign == "\\":
            at += 1
        elif stack and sign == stack[-1]:
            stack.pop()
        elif sign in _CLOSER:
            if all_kinds or sign not in "([":
                stack.append(_CLOSER[sign])
        else:
            skipped = _behind_words(text, found)
            if skipped is None:
                return None
            at = skipped
        if not stack:
            return at


def behind_statement(text: str) -> int | None:
    """Behind the import or export that a text begins with; 0 where its words are prose.

    None says that a bracket of it is never closed.
    """
    is_import = text.startswith("import")
    if not is_import and not _exports(text):
        return 0
    code = ""  # the end of the last of it that is neither blank nor a comment
    at = begins = 0
    while (found := _IN_STATEMENT.search(text, at)) is not None:
        sign, at = found[0], found.end()
        if sign in ("\n", "//", "/*"):
            code = text[begins : found.start()].rstrip()[-3:] or code
        if sign == "\n":
            begins = at
            ended = _has_ended(code, text[at : at + 100].split("\n", 1)[0], is_import=is_import)
            if ended is not None:
                return at if ended else 0
            continue
        behind = _behind_part(text, found)
        if behind is None:
            return None
        at = behind
        begins = at if sign in ("//", "/*") else begins
    code = text[begins:].rstrip()[-3:] or code
    return len(text) if not is_import or _ends_in_a_string(code) else 0


def _behind_part(text: str, found: re.Match[str]) -> int | None:
    if found[0] in "({[`":
        return behind_brackets(text, found.start(), all_kinds=True)
    return _behind_words(text, found)


def _has_ended(code: str, following: str, *, is_import: bool) -> bool | None:
    """Whether a statement is complete at the end of a line; None while it goes on."""
    last = not following.strip() or following.startswith(_ANOTHER)
    if is_import:
        return True if _ends_in_a_string(code) else False if last else None
    return True if last or code.endswith(";") else None


def _ends_in_a_string(code: str) -> bool:
    """As an import does, with the name of what it takes from."""
    return code.rstrip("; ").endswith(("'", '"'))


def _exports(text: str) -> bool:
    words = text[:100].split(None, 2)
    return len(words) > 1 and (words[1] in _EXPORTED or words[1][0] in "{*")


def _behind_words(text: str, found: re.Match[str]) -> int | None:
    """Behind a string or a comment; behind the sign alone where it is neither."""
    sign, start, end = found[0], found.start(), found.end()
    before = text[start - 1 : start]
    if sign == "//" and before != ":":
        line = text.find("\n", end)
        return len(text) if line == -1 else line
    if sign == "/*":
        return _behind(text, "*/", end)
    # An apostrophe stands within a word; no string begins there.
    if sign in _STRINGS and not (sign == "'" and before.isalnum()):
        string = _STRINGS[sign].match(text, start)
        return end if string is None else string.end()
    return end


def _behind_tag(text: str, tag: re.Match[str]) -> int | None:
    """As `behind_code`; what begins like a component and is not understood is never closed."""
    unknown = None if (tag["name"] or "")[:1].isupper() else tag.start()
    at = tag.end()
    while True:
        at = _BLANK.match(text, at).end()  # pyright: ignore[reportOptionalMemberAccess]
        if at >= len(text):
            return None if tag["name"] else unknown
        if text[at] == ">":
            return _behind_silent(text, tag, at + 1)
        if text.startswith("/>", at):
            return at + 2
        behind = _behind_attribute(text, at) if tag["name"] else at
        if behind is None or behind == at:
            return unknown if behind == at else None
        at = behind


def _behind_attribute(text: str, start: int) -> int | None:
    if text[start] == "{":
        return behind_brackets(text, start)
    name = _ATTRIBUTE.match(text, start)
    if name is None:
        return start
    at = name.end()
    sign = text[at : at + 1]
    if not name["value"]:
        return at
    if sign in ('"', "'"):
        return _behind(text, sign, at + 1) if sign else None
    if sign == "{":
        return behind_brackets(text, at)
    bare = _BARE_VALUE.match(text, at)
    return start if bare is None else bare.end()


def _behind_silent(text: str, tag: re.Match[str], at: int) -> int | None:
    """A script or a style is code with all in it."""
    if tag["name"] not in _SILENT or tag[0].startswith("</"):
        return at
    closing = _behind(text, f"</{tag['name']}", at)
    return None if closing is None else _behind(text, ">", closing)


def _behind(text: str, sign: str, start: int) -> int | None:
    found = text.find(sign, start)
    return None if found == -1 else found + len(sign)
