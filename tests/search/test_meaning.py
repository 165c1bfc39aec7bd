"""Which way a search goes, and what it says when meaning cannot be searched."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from jupyter_kb.embedding.base import Kind, PartlyFailedError
from jupyter_kb.errors import InvalidRequestError, ModelBusyError, ModelError, ModelFailedError, ModelNotFoundError
from jupyter_kb.events import EmbeddingProgress, Event
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import Filters, SearchRequest, SearchResults, SectionRef
from jupyter_kb.search import filling, hybrid
from jupyter_kb.settings import Settings
from jupyter_kb.testing import HashingEmbedder

NOTES = {
    "kite.md": "# Kite\n\nIt flies in the wind.\n\n## Line\n\nHold the line.\n",
    "boat.md": "# Boat\n\nIt sails in the wind.\n\n" + "The boat sails on and on across the bay. " * 60 + "\n",
    "stone.md": "# Stone\n\nIt lies there.\n",
}


class Unwilling(HashingEmbedder):
    """Makes vectors of passages, and fails with every question."""

    def __init__(self, error: ModelError) -> None:
        super().__init__()
        self.error = error

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        if kind == "query":
            raise self.error
        return super().embed(texts, kind, urgent=urgent, timeout=timeout)


class Judge:
    """A reranker that likes texts about sailing, or fails."""

    name = "judge"

    def __init__(self, error: ModelError | None = None) -> None:
        self.error = error
        self.asked: list[int] = []

    def scores(self, query: str, texts: Sequence[str], *, timeout: float) -> Sequence[float]:
        self.asked.append(len(texts))
        if self.error:
            raise self.error
        return [float(text.count("sails")) for text in texts]

    def close(self) -> None:
        pass


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text)
    return folder


def opened(root: Path, **options: Any) -> KnowledgeBase:
    options = {"embedder": HashingEmbedder(), **options}
    return KnowledgeBase.open(root, index_dir=root.parent / "index", **options)


@pytest.fixture
def kb(root: Path) -> Iterator[KnowledgeBase]:
    with opened(root) as there:
        there.scan()
        there.embed()
        yield there


def files(results: SearchResults) -> list[str]:
    return [hit.file for hit in results.hits]


def test_a_question_is_answered_by_meaning_and_words(kb: KnowledgeBase) -> None:
    found = kb.search(SearchRequest(query="what sails in the wind"))
    assert (found.mode, found.note, found.pending) == ("hybrid", None, 0)
    assert files(found)[0] == "boat.md"


def test_a_query_of_words_that_no_note_has_says_that_only_meaning_answers(kb: KnowledgeBase) -> None:
    far = kb.search(SearchRequest(query="xylophone zzyzx"))
    near = kb.search(SearchRequest(query="xylophone wind"))
    by_meaning = kb.search(SearchRequest(query="xylophone zzyzx", mode="semantic"))

    assert (far.mode, far.note) == ("hybrid", hybrid.NO_WORD)
    assert far.hits
    assert (near.note, by_meaning.note) == (None, None)


def test_a_search_for_a_tag_that_no_note_has_says_so(root: Path) -> None:
    (root / "tagged.md").write_text("---\ntags: [method]\n---\n# Tagged\n")
    with opened(root) as kb:
        for query in ("", "tagged"):
            asked = Filters(tags=("methods", "method"))
            assert kb.search(SearchRequest(query=query, filters=asked)).unknown_tags == (("methods", ("method",)),)
        assert kb.search(SearchRequest(filters=Filters(tags=("method",)))).unknown_tags == ()


def test_before_there_are_vectors_words_answer_and_the_answer_says_so(root: Path) -> None:
    with opened(root) as kb:
        found = kb.search(SearchRequest(query="wind"))
        assert found.mode == "text"
        assert set(files(found)) == {"kite.md", "boat.md"}
        assert "no vectors yet" in (found.note or "")
        assert "jupyter kb embed" in (found.note or "")
        assert kb.search(SearchRequest(query="wind", mode="text")).note is None


def test_a_vault_without_a_model_is_searched_by_words(root: Path) -> None:
    with KnowledgeBase.open(root, index_dir=root.parent / "index", settings=Settings(model="none")) as kb:
        found = kb.search(SearchRequest(query="wind", mode="semantic"))
        assert (found.mode, len(found.hits)) == ("text", 2)
        assert "switched off" in (found.note or "")
        assert kb.status().model is None


@pytest.mark.parametrize(
    "error",
    [
        ModelNotFoundError("there is no model", hint="get one"),
        ModelBusyError("it is at work"),
        ModelFailedError("it broke"),
    ],
)
def test_when_the_model_fails_words_answer_and_the_answer_says_why(root: Path, error: ModelError) -> None:
    with opened(root, embedder=Unwilling(error)) as kb:
        kb.scan()
        kb.embed()
        found = kb.search(SearchRequest(query="wind"))
        assert (found.mode, len(found.hits)) == ("text", 2)
        assert error.message in (found.note or "")


def test_an_edit_is_found_by_its_words_at_once_and_a_search_may_embed_it(kb: KnowledgeBase, root: Path) -> None:
    (root / "new.md").write_text("# New\n\nA balloon rises.\n")
    found = kb.search(SearchRequest(query="balloon"))
    assert files(found)[0] == "new.md"
    assert found.pending == 1
    assert kb.search(SearchRequest(query="balloon"), fill=10).pending == 0


def test_more_than_a_search_may_embed_is_left_alone(kb: KnowledgeBase, root: Path) -> None:
    for number in range(5):
        (root / f"new{number}.md").write_text(f"# New {number}\n\nBalloon {number}.\n")
    assert kb.search(SearchRequest(query="balloon"), fill=4).pending == 5


class Choosy(HashingEmbedder):
    """Cannot take one word."""

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        bad = [place for place, text in enumerate(texts) if "cursed" in text]
        if bad:
            rows = super().embed(texts, kind).copy()
            rows[bad] = np.nan
            raise PartlyFailedError(dict.fromkeys(bad, "It crashed."), rows, len(texts))
        return super().embed(texts, kind, urgent=urgent, timeout=timeout)


def test_what_can_have_no_vector_is_not_waited_for(root: Path) -> None:
    (root / "cursed.md").write_text("# Cursed\n\nA cursed text about wind.\n")
    with opened(root, embedder=Choosy()) as kb:
        kb.scan()
        assert kb.embed().failed == 1
        found = kb.search(SearchRequest(query="wind", limit=100))
        assert (found.mode, found.pending) == ("hybrid", 0)
        assert "cursed.md" in files(found)
        entries, _ = kb.diagnostics(kind="embedding-failed")
        assert [entry.file for entry in entries] == ["cursed.md"]


def test_what_is_like_a_section(kb: KnowledgeBase) -> None:
    like = SectionRef(file="kite.md", heading_path="Kite")
    found = kb.search(SearchRequest(like=like))
    assert files(found)[0] in ("boat.md", "kite.md")
    assert ("kite.md", "Kite") not in {(hit.file, hit.heading_path) for hit in found.hits}
    documents = kb.search(SearchRequest(like=like, granularity="document"))
    assert set(files(documents)) == {"boat.md", "stone.md"}
    with pytest.raises(InvalidRequestError, match="not both"):
        kb.search(SearchRequest(query="wind", like=like))


@pytest.mark.parametrize("text", ["", "---\ntitle: Still\n---\n"])
def test_a_note_without_text_is_like_what_its_title_is_like(root: Path, text: str) -> None:
    (root / "empty.md").write_text(text)
    with opened(root) as kb:
        kb.scan()
        kb.embed()
        found = kb.search(SearchRequest(like=SectionRef(file="empty.md")))
    assert set(files(found)) == {"boat.md", "kite.md", "stone.md"}


@pytest.mark.parametrize("weight", [float("nan"), -0.1, 1.5])
def test_a_weight_that_is_no_share_is_refused(kb: KnowledgeBase, weight: float) -> None:
    with pytest.raises(InvalidRequestError, match="weight"):
        kb.search(SearchRequest(query="wind", weight=weight))


def test_likeness_without_vectors_is_refused(root: Path) -> None:
    with opened(root) as kb:
        kb.scan()
        with pytest.raises(ModelBusyError) as caught:
            kb.search(SearchRequest(like=SectionRef(file="kite.md")))
        assert "jupyter kb embed" in (caught.value.hint or "")


def test_without_query_all_notes_are_listed(kb: KnowledgeBase) -> None:
    found = kb.search(SearchRequest())
    assert files(found) == ["boat.md", "kite.md", "stone.md"]
    assert found.total == 3


def test_a_chunk_tells_its_bytes_and_lines(kb: KnowledgeBase, root: Path) -> None:
    found = kb.search(SearchRequest(query="boat sails across the bay", granularity="chunk", limit=3))
    data = (root / "boat.md").read_bytes()
    assert files(found) == ["boat.md"] * 3
    for hit in found.hits:
        assert hit.passage_bytes is not None
        assert data[hit.passage_bytes.start : hit.passage_bytes.end].decode() == hit.text
        assert hit.passage_lines is not None


def test_a_chunk_of_a_file_that_changed_meanwhile_has_no_place(kb: KnowledgeBase, root: Path) -> None:
    (root / "boat.md").write_text("# Boat\n\nAnother text.\n")
    found = kb.search(SearchRequest(query="boat sails bay", granularity="chunk", limit=1), fresh=False)
    assert [hit.passage_bytes for hit in found.hits] == [None]


# ── rerankers ───────────────────────────────────────────────────────────────────────────────────


def test_a_reranker_orders_the_best(root: Path) -> None:
    judge = Judge()
    with opened(root, reranker=judge) as kb:
        kb.scan()
        kb.embed()
        found = kb.search(SearchRequest(query="wind", limit=3, explain=True))
        assert found.reranked
        assert files(found)[0] == "boat.md"
        scores = [hit.explanation.rerank_score for hit in found.hits if hit.explanation]
        assert scores == sorted((score for score in scores if score is not None), reverse=True)
        pages = [kb.search(SearchRequest(query="wind", limit=1, offset=place)).hits[0] for place in range(3)]
        assert [page.heading_path for page in pages] == [hit.heading_path for hit in found.hits]
        assert not kb.search(SearchRequest(query="wind", rerank=False)).reranked
        assert len(judge.asked) == 4


def test_without_its_reranker_the_order_stands_and_the_answer_says_so(root: Path) -> None:
    with opened(root, reranker=Judge(ModelFailedError("it broke"))) as kb:
        kb.scan()
        kb.embed()
        found = kb.search(SearchRequest(query="wind", limit=3))
        assert not found.reranked
        assert "it broke" in (found.note or "")
        assert found.hits == kb.search(SearchRequest(query="wind", limit=3, rerank=False)).hits


def test_a_reranker_that_is_asked_for_and_not_there_is_told(kb: KnowledgeBase) -> None:
    assert "no reranker" in (kb.search(SearchRequest(query="wind", rerank=True)).note or "")


# ── models ──────────────────────────────────────────────────────────────────────────────────────


class Gone(HashingEmbedder):
    """A model that nobody can find again."""

    def __init__(self) -> None:
        super().__init__(32)
        self.name = "somebody/gone"
        self.key = "gone@1"


def test_status_tells_model_and_progress(kb: KnowledgeBase, root: Path) -> None:
    model = kb.status().model
    assert model is not None
    assert model.chunks == model.embedded > 3
    (root / "new.md").write_text("# New\n")
    kb.scan()
    model = kb.status().model
    assert model is not None
    assert model.chunks == model.embedded + 1


def test_vectors_of_a_model_that_is_gone_are_not_searched_with_another(root: Path) -> None:
    with opened(root, embedder=Gone()) as kb:
        kb.scan()
        kb.embed()
    with opened(root) as kb:
        found = kb.search(SearchRequest(query="wind"))
        assert found.mode == "text"
        assert "another model" in (found.note or "")
        kb.embed()
        assert kb.search(SearchRequest(query="wind")).mode == "hybrid"


def test_until_a_new_model_has_all_vectors_the_old_one_is_searched(root: Path) -> None:
    with opened(root) as kb:
        kb.scan()
        kb.embed()
        before = kb.search(SearchRequest(query="wind")).hits
    with opened(root, embedder=HashingEmbedder(32)) as kb:
        assert kb.search(SearchRequest(query="wind")).hits == before
        model = kb.status().model
        assert model is not None
        assert (model.name, model.embedded, model.replaces) == ("hashing:32", 0, "hashing:64")
        kb.embed()
        model = kb.status().model
        assert model is not None
        assert (model.embedded, model.replaces) == (model.chunks, None)
        assert kb.search(SearchRequest(query="wind")).hits != before


def test_status_names_the_server_of_a_model_and_no_device_before_it_ran(root: Path) -> None:
    for url, server in (("http://me:secret@localhost:9/v1", "localhost:9"), ("http://[::1", None)):
        with opened(root, embedder=None, settings=Settings(model="m", embedding_url=url)) as kb:
            model = kb.status().model
            assert model is not None
            assert (model.server, model.device, model.dtype) == (server, None, None)


# ── in the background ───────────────────────────────────────────────────────────────────────────


def test_missing_vectors_are_made_in_the_background(kb: KnowledgeBase, root: Path) -> None:
    done = threading.Event()

    def told(event: Event) -> None:
        if isinstance(event, EmbeddingProgress) and event.embedded == event.total:
            done.set()

    kb.events.subscribe(told)
    kb.embed_in_background()
    (root / "new.md").write_text("# New\n\nA balloon rises.\n")
    kb.scan()
    assert done.wait(10)
    assert kb.search(SearchRequest(query="balloon")).pending == 0


def test_in_the_background_what_failed_is_tried_again_without_a_change_of_the_notes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "_RETRY", 0.01)

    class Late(HashingEmbedder):
        tries = 0

        def embed(
            self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
        ) -> NDArray[np.float32]:
            self.tries += 1
            if self.tries == 1:
                raise ModelFailedError("not there yet")
            done.set()
            return super().embed(texts, kind, urgent=urgent, timeout=timeout)

    done = threading.Event()
    with opened(root, embedder=Late()) as kb:
        kb.scan()
        kb.embed_in_background()
        assert done.wait(10)


def test_a_vault_that_nobody_embedded_is_left_alone(root: Path) -> None:
    with opened(root) as kb:
        kb.scan()
        kb.embed_in_background(only_if_begun=True)
        assert not [thread for thread in threading.enumerate() if thread.name == "kb-embed"]
