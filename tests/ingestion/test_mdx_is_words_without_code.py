"""MDX: what a reader of the published page reads, and none of its code (R020, C04)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.contract.failures import MisauthoredInput
from fonds.ingestion.plain_text import plain_blocks, plain_text
from tests.ingestion.corpora import ARCHIVE_TOML, described


def words(markdown: str) -> str:
    return plain_text(markdown, mdx=True)


@pytest.mark.parametrize(
    "code",
    [
        "import X from 'y'",
        'import "z";',
        "import {\n  A,\n  B as C\n} from 'y'; // zebra",
        "import * as zebra from 'y'\nimport Z from 'z'",
        "export const a = 1",
        "export const meta = {\n  title: 'zebra }',\n\n  b: [1, `${zebra({})}`],\n}",
        "export function Zebra() {\n  // don't {\n  return <p>Don't</p>\n}",
        "export default ({children}) => <Zebra>{children}</Zebra>",
        "export { zebra }\nexport * from 'y'",
        "export const a =\n  zebra('/*') /* { */\n",
        "<Zebra />",
        "<Zebra\n  a={() => b > c}\n\n  d='e>f'\n  {...g}\n>",
        "{/* zebra\n\n> zebra */}",
        "{zebra.map((a) => <b key={a}>{`}`}</b>)}",
        "<style>{`zebra { }`}</style>",
        "<script>\n  zebra()\n</script>",
        "<!-- zebra\n\nzebra -->",
        "<a.b:c d-e @f={g} />",
    ],
)
def test_code_is_no_word(code: str) -> None:
    assert words(code) == ""
    assert words(f"{code}\n\nafter") == "after"
    assert words(f"# before\n\n{code}\n\n**after**") == "before\n\nafter"


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("<Note>\n  **word** of\n  mouth\n</Note>", "word of mouth"),
        ("<Note>\n\n# Head\n\n- a\n- b\n\n</Note>", "Head\n\na\nb"),
        ("<Tabs>\n  <Tab title='no'>\n    in\n  </Tab>\n</Tabs>", "in"),
        ("a <Tip x={{ y: '}' }}>b *c*</Tip> d", "a b c d"),
        ("<b>a</b> <i\n  class='no'>b</i>\nc", "a b c"),
        ("a\n<Zebra\n  b\n/>\nc", "a\n\nc"),
        ("a {no} b{' '}c", "a bc"),
        ("{count} apples\n\n> q {no}\n\n- i <X/>", "apples\n\nq\n\ni"),
        ("<>a</>", "a"),
        ("- <X\n    y='z'\n  >a</X>\n- b", "a\nb"),
        ("## Holds {#holds}\n\n### Fees {/*fees*/}", "Holds\n\nFees"),
        ("\\{a\\} \\<b> &lt;c> `{d} <e>`", "{a} <b> <c> {d} <e>"),
        ("1 < 2 and a <= b", "1 < 2 and a <= b"),
        ("<https://example.org>", "https://example.org"),
        ("```js\nimport { a\n<b\n```\n\nx", "x"),
        ("    indented *word*", "indented word"),
        ("| a | b |\n|---|---|\n| <X/>1 | {no}2 |", "a | b\n1 | 2"),
        ("[a](<b c> 't') ![no](x) [d]{no}", "a [d]"),
        (
            "import duties rose\n\nexport fell\n\nimported {no} goods",
            "import duties rose\n\nexport fell\n\nimported goods",
        ),
        ("export const a = 1;\nb\n\nimport 'c' ;\nd", "b\n\nd"),
        ("exports rose\n\nimports\n'fell'", "exports rose\n\nimports 'fell'"),
    ],
)
def test_words_between_tags_stay_and_are_markdown(markdown: str, plain: str) -> None:
    assert words(markdown) == plain


@pytest.mark.parametrize(
    ("markdown", "line"),
    [
        ("a\n\nb {zebra", 3),
        ("a\n\n{zebra(\n\nb", 3),
        ("<Zebra a={b\n\nc", 1),
        ("a <Zebra", 1),
        ("a <Zebra & b>c", 1),
        ("x\n\nexport const zebra = {\n\ny", 3),
        ("<!-- zebra", 1),
        ("<style>zebra", 1),
        ("> {zebra\n\n}", 1),
        ("<Zebra a='b>\n\nc", 1),
    ],
)
def test_code_that_is_never_closed_refuses_the_file(markdown: str, line: int) -> None:
    """No word of code is published as one of the author's: MDX refuses such a page too."""
    with pytest.raises(MisauthoredInput) as refusal:
        words(markdown)
    assert f"line {line} of the text" in str(refusal.value)
    assert "zebra" not in str(refusal.value)


def test_a_page_is_read_by_its_ending(tmp_path: Path) -> None:
    """R020: `.mdx` is MDX, and `.md` holds braces as words."""
    text = "---\ntitle: T\n---\nimport X from 'y'\n\n<X>\n\na {b}\n\n</X>\n"
    assert described(tmp_path, "essays/a.mdx", text)[1][0].text == "a"
    assert described(tmp_path / "b", "essays/b.md", text)[1][0].text.endswith("a {b}")
    with pytest.raises(MisauthoredInput, match="body: line 5 of the text"):
        described(tmp_path / "c", "essays/c.mdx", text.replace("{b}", "{b"))


def test_a_guide_in_mdx_is_cut_on_its_headings(tmp_path: Path) -> None:
    """R033: headings within a component's tags are headings."""
    text = "---\ntitle: T\n---\n<Steps>\n\n## One {#one}\n\na\n\n## Two\n\nb\n\n</Steps>\n"
    _, fragments = described(tmp_path, "essays/g.mdx", text, ARCHIVE_TOML + 'shape = "guide"\n')
    assert [one.fragment_id for one in fragments] == ["essay:g#one", "essay:g#two"]


@pytest.mark.parametrize(
    "hostile",
    [
        "<a " * 20_000,
        "{" * 5_000 + "}" * 5_000,
        "{`${" * 3_000 + "}`}" * 3_000,
        "<A b={" * 3_000,
        "{'" * 7_000,
        "<A>\n" * 20_000,
        "<A\n" * 20_000,
        "import a\n" * 20_000,
        "export const a = 1\n" * 20_000,
        "export {\n" * 5_000,
        "a <b c='" * 3_000,
        "{a}\n\n" * 20_000,
        "<A b='\n" * 5_000,
        "{//\n" * 5_000,
        "a" * 20_000 + "{b}",
        "> {a\n" * 3_000,
        ("import a\n" + ("b" * 4_000 + "\n") * 900 + "\n") * 3,
        ("export const a\n" + ("b" * 4_000 + "\n") * 900) * 3,
    ],
)
def test_hostile_code_ends_in_time_of_its_length(hostile: str) -> None:
    """C04: read or refused, and no sign costs the square of their number."""
    with suppress(MisauthoredInput):
        assert len(words(hostile)) <= len(hostile)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab <>{}/='\"`\n*$\\[]()-", max_size=80))
def test_any_text_is_read_or_refused(markdown: str) -> None:
    try:
        blocks = plain_blocks(markdown, mdx=True)
    except MisauthoredInput:
        return
    assert all(block.text == " ".join(block.text.split()) for block in blocks)
