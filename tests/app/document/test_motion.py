"""Tidy lets the cards in view slide to their places and changes nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from opentine_gui.app.document.camera.motion import SLIDE_SECONDS
from opentine_gui.scene.space.scene_index import SceneIndex
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "b"}


def untidy(bench: Bench) -> str:
    """A run whose layout grew step by step, unlike one made from scratch, and a step that tidying will move."""
    bench.session.settings.motion = True
    record = run_of(TREE)
    bench.open("run.tine", record)
    document = bench.active
    step = named(record, "c")
    assert document.picture.base_layout is not None and document.picture.record is not None
    moved = document.picture.base_layout.centers.copy()
    moved[document.picture.base_layout.index[step]] += (400.0, 30.0)
    document.set_layout(replace(document.picture.base_layout, centers=moved), document.picture.record, {})
    return step


def test_a_tidied_card_starts_where_it_was_and_ends_where_the_layout_has_it(bench: Bench) -> None:
    step = untidy(bench)
    document = bench.active
    camera = document.picture.camera
    assert document.picture.layout is not None and camera is not None
    start = np.array(document.picture.layout.centers[document.picture.layout.index[step]]) - (camera.x, camera.y)
    bench.session.invoke("view.tidy")
    bench.step()
    bench.step()
    assert (
        document.picture.card_slide is not None
        and document.picture.layout is not None
        and document.picture.camera is not None
    )
    assert bench.session.busy
    now = np.array(document.picture.layout.centers[document.picture.layout.index[step]]) - (
        document.picture.camera.x,
        document.picture.camera.y,
    )
    assert now.tolist() == pytest.approx(start.tolist())
    distances = []
    goal = document.picture.card_slide.goal[0]
    for _ in range(6):
        bench.clock.now += SLIDE_SECONDS / 5
        bench.step()
        distances.append(float(np.abs(document.picture.layout.centers - goal.centers).max()))
        fresh = SceneIndex(document.picture.layout)
        assert document.picture.scene_index is not None
        assert document.picture.scene_index.boxes.tolist() == fresh.boxes.tolist()
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] == 0.0
    assert document.picture.card_slide is None
    assert document.picture.layout is goal is document.picture.base_layout
    assert not bench.session.busy


def test_without_motion_the_new_picture_is_there_at_once(bench: Bench) -> None:
    untidy(bench)
    bench.session.settings.motion = False
    bench.do("view.tidy")
    assert bench.active.picture.card_slide is None
    assert bench.active.picture.layout is bench.active.picture.base_layout


def test_a_card_moved_meanwhile_ends_the_slide(bench: Bench) -> None:
    step = untidy(bench)
    bench.session.invoke("view.tidy")
    bench.step()
    bench.step()
    assert bench.active.picture.card_slide is not None
    bench.do("canvas.move_steps", pins={step: (700.0, 700.0)})
    assert bench.active.picture.card_slide is None
    assert bench.active.picture.layout is not None
    assert bench.active.picture.layout.position(step) == (700.0, 700.0)
