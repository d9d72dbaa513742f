"""Immediate dominators of a table of parents, in one pass and without rebuilding when steps are appended.

A step dominates another when every path from the roots to the other leads through it. Parents come first, so the
immediate dominator of a step is the lowest common ancestor, in the tree so far, of its parents. Jump pointers (the
skew-binary kind: Myers, An applicative random-access stack, 1983) find it in logarithmic time.
"""

from __future__ import annotations

from collections.abc import Sequence


class DominatorTree:
    """`above[i]` is the immediate dominator of step i, `depth[i]` its depth; the root above all roots is `root`.

    The root has the number of steps as its position, and depth 0.
    """

    __slots__ = ("_jump", "_to_root", "above", "depth", "root")

    def __init__(self, parents: Sequence[tuple[int, ...]], known: DominatorTree | None = None, same: int = 0) -> None:
        """`known` is the tree of a table that begins with the same steps; its first `same` entries are copied."""
        root = self.root = len(parents)
        new = root + 1 - same
        self.above: list[int] = [root] * new
        self.depth: list[int] = [0] * new
        self._jump: list[int] = [root] * new
        self._to_root: list[int] = []
        """The steps whose `above` or `_jump` is the root, which has another position in a longer table."""
        if known is not None:
            self.above[:0], self.depth[:0], self._jump[:0] = known.above[:same], known.depth[:same], known._jump[:same]
            self._to_root = [step for step in known._to_root if step < same]
            for step in self._to_root:
                self.above[step] = root if self.above[step] == known.root else self.above[step]
                self._jump[step] = root if self._jump[step] == known.root else self._jump[step]
        above, depth, jump, to_root = self.above, self.depth, self._jump, self._to_root
        for step in range(same, root):
            found = parents[step]
            if len(found) == 1:
                over = found[0]
            elif not found:
                over = root
            else:
                over = found[0]
                for other in found[1:]:
                    over = self.common(over, other)
            above[step] = over
            depth[step] = depth[over] + 1
            far = jump[over]
            jump[step] = jump[far] if depth[over] - depth[far] == depth[far] - depth[jump[far]] else over
            if over == root or jump[step] == root:
                to_root.append(step)

    def common(self, one: int, other: int) -> int:
        """The lowest step that dominates both or is one of them."""
        above, depth, jump = self.above, self.depth, self._jump
        if depth[one] < depth[other]:
            one, other = other, one
        one = self.lifted(one, depth[other])
        while one != other:
            if jump[one] != jump[other]:
                one, other = jump[one], jump[other]
            else:
                one, other = above[one], above[other]
        return one

    def lifted(self, step: int, to: int) -> int:
        """The dominator of a step at a depth, which is at most the step's own."""
        above, depth, jump = self.above, self.depth, self._jump
        while depth[step] > to:
            far = jump[step]
            step = far if depth[far] >= to else above[step]
        return step
