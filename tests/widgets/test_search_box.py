"""SearchBox: results while one types, late answers dropped, the choice as a trait."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import SearchRequest, SearchResults
from jupyter_kb.widgets import SearchBox
from tests.widgets.front import Front, until


def test_a_query_given_at_the_start_is_answered_at_once(kb: KnowledgeBase) -> None:
    box = SearchBox("dark adaptation", mode="text", vault=kb)

    assert box.total == len(kb.search(SearchRequest(query="dark adaptation", mode="text", per_file=3, limit=1000)).hits)
    assert box.hits[0].title == box._rows[0]["title"]
    assert box._answered == "dark adaptation"


def test_what_is_typed_is_searched_on_another_thread_and_sent_as_one_message(kb: KnowledgeBase, front: Front) -> None:
    box = SearchBox(mode="text", vault=kb)
    front.set(box, query="gain")
    until(lambda: box._answered == "gain")

    (update,) = [state for state in front.updates() if "_answered" in state]
    assert {"_rows", "total"} <= set(update)
    assert update["_rows"][0]["parts"]
    answers = [thread for thread, data in front.sent if data.get("method") == "update" and "_answered" in data["state"]]
    (sender,) = answers
    assert sender is not threading.main_thread()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_one_that_could_not_be_made_ends_without_a_word() -> None:
    with pytest.raises(TypeError):
        SearchBox("one", query="another")  # type: ignore[misc]
    gc.collect()


class Slow:
    """A vault whose search of `slow` waits until it is let go."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self.begun, self.go = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kb, name)

    def search(self, request: SearchRequest, **options: Any) -> SearchResults:
        if request.query == "slow":
            self.begun.set()
            self.go.wait(20)
        return self._kb.search(request, **options)


def test_an_answer_that_comes_too_late_is_dropped(kb: KnowledgeBase, front: Front) -> None:
    slow = Slow(kb)
    box = SearchBox(mode="text", vault=slow)
    front.set(box, query="slow")
    assert slow.begun.wait(20)
    front.set(box, query="gain")
    until(lambda: box._answered == "gain")
    seen: list[str] = []
    box.observe(lambda change: seen.append(change.new), "_answered")
    slow.go.set()
    front.set(box, query="kestrel")
    until(lambda: box._answered == "kestrel")

    assert seen == ["kestrel"]


def test_the_chosen_section_can_be_read_and_edited(kb: KnowledgeBase, front: Front) -> None:
    box = SearchBox("dark adaptation time", mode="text", vault=kb)
    before = box.section
    front.set(box, selected=box._rows[0]["ref"])
    after = box.section

    assert before is None
    assert after is not None
    assert after.text.startswith("## Dark adaptation time")


def test_an_empty_query_takes_the_results_away(kb: KnowledgeBase, front: Front) -> None:
    box = SearchBox("gain", mode="text", vault=kb)
    front.set(box, query="")

    assert (box._rows, box.total, len(box.hits)) == ([], 0, 0)


def test_filters_hold(kb: KnowledgeBase) -> None:
    box = SearchBox("gain", mode="text", path="instruments/**", limit=3, vault=kb)

    assert {row["file"].split("/")[0] for row in box._rows} == {"instruments"}
    assert len(box._rows) == 3


def test_a_failure_becomes_a_sentence(kb: KnowledgeBase, front: Front) -> None:
    class Refusing(Slow):
        def search(self, request: SearchRequest, **options: Any) -> SearchResults:
            raise InvalidRequestError("the index is asleep", hint="wake it")

    box = SearchBox(vault=Refusing(kb))
    front.set(box, query="gain")
    until(lambda: box.problem)

    assert box.problem == "The index is asleep; wake it."


def test_text_of_notes_is_data_for_the_page(kb: KnowledgeBase, front: Front, demo_vault: Any) -> None:
    (demo_vault / "evil.md").write_text("# <img src=x onerror=alert(1)>\n\nzebra <script>alert(1)</script>\n")
    box = SearchBox("zebra", mode="text", vault=kb)
    shown = box._repr_mimebundle_()[0]

    assert box._rows[0]["title"] == "<img src=x onerror=alert(1)>"
    assert "<script>" not in shown["text/html"]
    assert "<img" not in shown["text/html"]
    assert "[[evil" in shown["text/markdown"]


@pytest.mark.parametrize("make", [lambda found: replace(found, hits=()), lambda found: found])
def test_a_saved_notebook_shows_the_results_without_buttons(
    kb: KnowledgeBase, make: Callable[[SearchResults], SearchResults]
) -> None:
    box = SearchBox("dark adaptation", mode="text", vault=kb)
    box._take(make(kb.search(SearchRequest(query="dark adaptation", mode="text"))))
    shown = box._repr_mimebundle_()[0]

    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "dark adaptation" in shown["text/plain"]
    assert "<button" not in shown["text/html"]
    assert "Run this cell again to use it." in shown["text/html"]
    assert "Run this cell again to use it." in shown["text/markdown"]
