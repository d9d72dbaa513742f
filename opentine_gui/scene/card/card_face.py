"""What one card shows."""

from __future__ import annotations

from dataclasses import dataclass

from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.card.group_strip import Group


@dataclass(frozen=True, slots=True)
class CardFace:
    """The content of a card. All texts are already cleaned; they are elided when drawn.

    `seal` is "ok", "mismatch", "unsupported" (it matches, but rests on a step that does not), "not_checkable" or None
    (not verified yet); only what is wrong is drawn. `border` is a theme role for the edge of a card in a comparison
    ("side_a", "side_b", "shared"); it overrides the red edge of a `failed` step and the quieter edge of a `stopped`
    one. `count` above 1 is drawn as "×N". `heat` is the theme role the card is tinted with, "" for none. `group` is
    given in a folded run: for a card of several steps, and for one that heads a turn or lies in a sub-agent.
    `colour` is the theme role of the tab at the upper edge of a card that the user coloured, "" for none: an edge in it
    would look like a failure. `line_first`: where there is room for one row only it is `line`, not `figures`.
    """

    title: str
    line: str = ""
    figures: str = ""
    kind: str = "model"
    seal: str | None = None
    flags: tuple[Flag, ...] = ()
    count: int = 1
    border: str | None = None
    failed: bool = False
    stopped: bool = False
    group: Group | None = None
    heat: str = ""
    colour: str = ""
    line_first: bool = False
