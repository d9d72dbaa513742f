"""What a text is, is found out in a time that does not depend on what it is made of."""

from __future__ import annotations

import time

import pytest

from opentine_gui.describe.content.recognise import LOOKED_AT, recognise

CHECK = """
> monorepo@0.0.3 check
> biome check --write . && npm run check

src/session.ts:16:22 lint/noUnusedImports ━━━━━

  ! Several of these imports are unused.

    14 │ */
    15 │
  > 16 │ import type { AgentState } from './a';

  i The name `AgentState` is not used, nor are `ThinkingLevel`, `Model` and `Session`.
"""
COMMAND_OUTPUT = (
    CHECK,
    "17:- `src/modes/print.ts` (new) - old code stays in `main.ts`\n18:- `src/modes/rpc.ts` (new) - see `main.ts`\n",
    "Exit code 1\n# example.io/cli/checkpoint\ncheckpoint/store.go:8:15: cannot use (*GitStore)(nil) as Store value\n",
    "165:\tconst logo = bold(NAME) + fg('dim', ` v${this.version}`);\n167:\tfg(`dim`, `esc`) +\n170:\tfg(`dim`)\n",
    "F.........  [100%]\n====== FAILURES ======\nE   the names `a`, `b` and `c` differ\ntest_a.py:3: AssertionError\n",
)


@pytest.mark.parametrize("text", COMMAND_OUTPUT)
def test_what_commands_print_keeps_its_lines(text: str) -> None:
    assert recognise(text).kind != "markdown"


@pytest.mark.parametrize(
    "text",
    [
        "# Report\n\nAll is well.\n\n## Next\n\nNothing.\n",
        "I changed `reader.py` and **the table**, so that `parse` now answers with a list, as was asked for.\n",
        "* first, the reader\n* second, the writer\n* then the rest\n",
        "> Why does it fail?\n\nBecause of **the table**: it has `no rows` where the reader expects some of them.\n",
        "It prints:\n\n```\n├── src\n```\n",
    ],
)
def test_markdown_is_still_found(text: str) -> None:
    assert recognise(text).kind == "markdown"


@pytest.mark.serial
@pytest.mark.parametrize(
    "unit",
    [" ", "\n", " \n", "- ", "|-", "| ---", "a:", "::", '<a a="" ', "->a", "class a", "[a", "a.", "** ", "`a", "\t|"],
)
def test_floods_of_any_sign_are_recognised_in_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        best = float("inf")
        for _ in range(3):
            began = time.process_time()
            recognise(text)
            best = min(best, time.process_time() - began)
        return best

    assert seconds(LOOKED_AT) <= 15 * seconds(LOOKED_AT // 10) + 0.002


@pytest.mark.parametrize("text", ["Fixed `parse_header` in `reader.py`.", "Run `make test` and say whether it passes."])
def test_a_sentence_with_a_word_in_backticks_is_markdown_however_short(text: str) -> None:
    assert recognise(text).kind == "markdown"


@pytest.mark.parametrize("mark", ["*", "*   ", "-\t", "1.  ", "+    "])
def test_a_list_is_one_however_many_spaces_follow_its_marks(mark: str) -> None:
    bullet = mark if mark.endswith("\t") else mark.rstrip().ljust(max(len(mark), 2))
    items = [f"{bullet}**Selection {number}**: it is kept for this session and not saved" for number in range(4)]
    assert recognise("\n".join(["I've done what was asked.", "", "### Key changes:", *items])).kind == "markdown"
    assert recognise("\n".join(["I've done what was asked:", "", *items, f"    {items[0]}"])).kind == "markdown"


def test_blocks_of_code_in_a_list_are_markdown() -> None:
    """An agent's answer: the lines in the blocks are no prose, and there are more of them than of the list."""
    answer = (
        "I wrapped it in two places:\n\n1. **Line 336** - fetching:\n   ```\n   Fetching 'x'\n   Failed: <error>\n"
        "   ```\n\n2. **Line 89**:\n   ```sh\n   git fetch origin x:x\n   ```\n"
    )
    assert recognise(answer).kind == "markdown"
