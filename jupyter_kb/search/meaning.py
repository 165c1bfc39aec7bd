"""Search as a whole, for one vault: which way a request goes, its model and vectors, and what happens without them.

Words can always be searched. Whatever is missing for meaning (the model, its vectors, time to wait for either) turns a
request for it into one for words, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_kb import embedding
from jupyter_kb.embedding.device_products import DeviceProducts
from jupyter_kb.embedding.servers import address
from jupyter_kb.errors import InvalidRequestError, ModelBusyError, ModelError
from jupyter_kb.events import EmbeddingProgress
from jupyter_kb.index import chunk_table
from jupyter_kb.index.vectors import Vectors
from jupyter_kb.markdown.document import parse
from jupyter_kb.models import EmbedResult, Hit, ModelStatus, SearchRequest, SearchResults, SectionRef
from jupyter_kb.search import headings, hybrid, text
from jupyter_kb.search import rerank as reranking
from jupyter_kb.search.filling import Filling
from jupyter_kb.search.filters import unknown_tags
from jupyter_kb.search.listing import listing
from jupyter_kb.search.operators import narrowed
from jupyter_kb.search.places import placed

if TYPE_CHECKING:
    from jupyter_kb.embedding.base import Embedder, Reranker
    from jupyter_kb.index.database import Database
    from jupyter_kb.settings import Settings
    from jupyter_kb.vault.vault import Vault

BUSY = 0.15
"""Seconds that a search waits for a model that is filling vectors; words answer at once."""
COLD = 30.0
"""Seconds that a search waits for a model that has to start first."""

_SECTION = "SELECT section_id FROM sections WHERE file = ? AND ordinal = ?"


class Meaning:
    """Searches one vault. Safe to use from several threads; nothing heavy happens before the first question.

    `told` hears of the progress of filling, at most once a second and at its beginning and end.
    """

    def __init__(
        self,
        vault: Vault,
        database: Database,
        settings: Settings,
        *,
        vectors_file: Path | None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        told: Callable[[EmbeddingProgress], None] = lambda progress: None,
    ) -> None:
        self._vault = vault
        self._database = database
        self._settings = settings
        self._device = DeviceProducts(self._embedders)
        self.vectors = Vectors(database, vectors_file, most_bytes=settings.vector_memory, multiplier=self._device)
        self.embedder = embedder or embedding.create(settings)
        self.reranker = reranker or embedding.create_reranker(settings)
        self._former: dict[str, Embedder] = {}
        self._filling: Filling | None = None
        if self.embedder is not None:
            self._filling = Filling(self.vectors, self.embedder, told=told, done=self._drop_former)

    # ── searching ───────────────────────────────────────────────────────────────────────────────

    def search(self, request: SearchRequest, *, fill: int = 0) -> SearchResults:
        """Whatever is asked for, the operators of its query among the filters.

        Up to `fill` chunks that have no vector yet get theirs first.

        Raises
        ------
        InvalidRequestError : filters or their combination make no sense.
        SectionNotFoundError, NoteNotFoundError : there is no such section to compare with.
        """
        asked = request if request.mode == "headings" else narrowed(request)
        found = replace(self._answered(asked, fill), query=request.query)
        if found.total or not asked.filters.tags:
            return found
        return replace(found, unknown_tags=unknown_tags(self._database, asked.filters.tags))

    def _answered(self, request: SearchRequest, fill: int) -> SearchResults:
        if request.like is not None and request.query.strip():
            raise InvalidRequestError("a search has a query or a section to be like, not both")
        if request.weight is not None and not 0 <= request.weight <= 1:  # nor is NaN
            raise InvalidRequestError(f"the weight of meaning is a number from 0 to 1, not {request.weight}")
        if request.like is None and request.mode == "headings":
            return headings.search(self._database, request)
        if request.like is None and not request.query.strip():
            return listing(self._database, request)
        if request.like is None and request.mode == "text":
            return self._by_words(request)
        try:
            question = self._question(request, fill)
            found = self._ranked(request, question)
            if found.pending:  # not those that can never have one
                found = replace(found, pending=self.vectors.waiting(question.model))
        except ModelError as error:
            if request.like is not None:
                raise
            note = f"searched by words only: {error.message}" + (f" ({error.hint})" if error.hint else "")
            return replace(self._by_words(request), note=note)
        return self._located(request, found)

    def _by_words(self, request: SearchRequest) -> SearchResults:
        if request.granularity == "document":
            request = replace(request, per_file=1)
        return text.search(self._database, request)

    def _question(self, request: SearchRequest, fill: int) -> hybrid.Question:
        model = self.vectors.searchable()
        if model is None:
            embedder = self._needed()
            _ = embedder.key  # says where the model was looked for
            raise ModelBusyError("the notes have no vectors yet", hint="`jupyter kb embed` makes them")
        filling = self._fillable()
        if not filling.at_work:
            chunk_table.refresh(self._database)
        if request.like is not None:
            return self._likeness(model, request.like)
        embedder = self._speaking(model)
        if fill and not (filling.paused or filling.at_work) and 0 < self.vectors.waiting(model) <= fill:
            filling.run()
        patience = BUSY if filling.at_work else COLD
        words = hybrid.wording(request.query) or request.query
        vector = embedder.embed([words], "query", urgent=True, timeout=patience)[0]
        return hybrid.Question(model=model, vector=vector)

    def _likeness(self, model: str, ref: SectionRef) -> hybrid.Question:
        key = self._vault.resolve(ref.file)
        document = parse(self._vault.read(key))
        whole = ref.heading_path is None and ref.line is None
        ordinal = 0 if whole else document.locate(ref).ordinal  # also of a note that has no section at all
        row = self._database.query(_SECTION, [key, ordinal])
        vector = self.vectors.of_section(model, row[0][0]) if row else None
        if vector is None:
            raise ModelBusyError("that section has no vector yet", hint="`jupyter kb embed` makes it")
        return hybrid.Question(model=model, vector=vector, section=row[0][0])

    def _ranked(self, request: SearchRequest, question: hybrid.Question) -> SearchResults:
        weight = self._settings.weight if request.weight is None else request.weight
        by_rank = request.like is None and request.order_by is None
        wanted = self.reranker if request.rerank is not False and by_rank else None
        if request.rerank and self.reranker is None:
            note = "no reranker is configured"
        elif wanted is None:
            note = None
        else:
            return self._reranked(wanted, request, question, weight)
        found = hybrid.search(self._database, self.vectors, request, question, weight=weight)
        return replace(found, note=note or found.note)

    def _reranked(
        self, reranker: Reranker, request: SearchRequest, question: hybrid.Question, weight: float
    ) -> SearchResults:
        """The best judged again by the reranker, the rest as they were; or all as they were, and why."""
        end = request.offset + request.limit
        whole = replace(request, offset=0, limit=max(end, reranking.DEPTH))
        found = hybrid.search(self._database, self.vectors, whole, question, weight=weight)
        hits = found.hits
        texts = [reranking.candidate(hit.title, hit.heading_path, hit.text) for hit in hits[: reranking.DEPTH]]
        query = hybrid.wording(request.query)
        judged = reranking.rerank(reranker, query, texts, count=len(hits), seconds=self._settings.rerank_seconds)
        if judged.scores is not None:
            hits = tuple(map(_judged, hits, (*judged.scores, *([None] * (len(hits) - len(judged.scores))))))
        return replace(
            found,
            hits=tuple(hits[place] for place in judged.order[request.offset : end]),
            has_more=end < found.total and request.limit > 0,
            reranked=judged.scores is not None,
            note=judged.note or found.note,
        )

    def _located(self, request: SearchRequest, found: SearchResults) -> SearchResults:
        if request.granularity != "chunk":
            return found
        return replace(found, hits=placed(self._vault, found.hits))

    # ── models ──────────────────────────────────────────────────────────────────────────────────

    def _needed(self) -> Embedder:
        if self.embedder is None:
            raise ModelError("search by meaning is switched off for this vault", hint="its setting `model` is `none`")
        return self.embedder

    def _speaking(self, model: str) -> Embedder:
        """The model whose vectors are searched: the one configured, or the one before until its successor is done."""
        embedder = self._needed()
        try:
            if embedder.key == model:
                return embedder
        except ModelError:
            if model not in self._former:
                raise
        if model not in self._former:
            name = self.vectors.name_of(model)
            former = embedding.create(replace(self._settings, model=name, embedding_url=None)) if name else None
            with suppress(ModelError):
                if former is not None and former.key == model:
                    self._former[model] = former
        if model not in self._former:
            raise ModelBusyError(
                "the vectors are of another model, which is not here", hint="`jupyter kb embed` makes those of this one"
            )
        return self._former[model]

    def _embedders(self) -> list[Embedder]:
        """The one before first: it has time while its successor fills vectors."""
        return [*self._former.values(), *([self.embedder] if self.embedder is not None else [])]

    # ── filling ─────────────────────────────────────────────────────────────────────────────────

    def embed(self, progress: Callable[[int, int], None] | None = None) -> EmbedResult:
        """Give a vector to every chunk that has none, also after a `pause`; ends early at the next one and at `close`.

        Raises
        ------
        ModelError : the model cannot be had; what was done until then stays.
        """
        filling = self._fillable()
        filling.pause(False)
        return filling.run(progress)

    def pause(self, paused: bool) -> None:
        """Embed nothing from now on, what is under way ending with its batch; or go on.

        Raises
        ------
        ModelError : search by meaning is switched off.
        """
        self._fillable().pause(paused)

    @property
    def filling_now(self) -> bool:
        """Whether vectors are being made."""
        return self._filling is not None and self._filling.at_work

    def follow(self) -> None:
        """From now on fill vectors in the background whenever `tell` says that the index changed."""
        if self._filling is not None:
            self._filling.follow()

    def tell(self) -> None:
        """The index changed."""
        if self._filling is not None:
            self._filling.tell()

    def _fillable(self) -> Filling:
        self._needed()
        assert self._filling is not None
        return self._filling

    def _drop_former(self) -> None:
        for key in [key for key in self._former if self.vectors.searchable() != key]:
            self._former.pop(key).close()

    # ── the whole ───────────────────────────────────────────────────────────────────────────────

    def status(self) -> ModelStatus | None:
        """The model and how far its vectors are; None where search by meaning is switched off."""
        embedder, filling = self.embedder, self._filling
        if embedder is None or filling is None:
            return None
        problem = filling.problem
        key = None
        try:
            key = embedder.key
        except ModelError as error:
            problem = error
        counts = self.vectors.count(key or "")
        searchable = self.vectors.searchable()
        info = embedder.info
        return ModelStatus(
            name=embedder.name,
            chunks=counts.chunks,
            embedded=counts.embedded,
            vector_bytes=self.vectors.size(),
            dimensions=info.dimensions if info else None,
            device=info.device if info else None,
            dtype=info.dtype if info else None,
            server=address(self._settings.embedding_url),
            replaces=self.vectors.name_of(searchable) if searchable not in (None, key) else None,
            reranker=self.reranker.name if self.reranker else None,
            problem=problem.message if problem else None,
            hint=problem.hint if problem else None,
            paused=filling.paused,
            seconds_left=filling.seconds_left,
        )

    def close(self) -> None:
        """Stop filling, end the models, let go of the vectors."""
        if self._filling is not None:
            self._filling.stop()
        for embedder in self._embedders():
            embedder.close()
        self._device.close()
        if self.reranker is not None:
            self.reranker.close()
        if self._filling is not None:
            self._filling.join(self.vectors.close)
        else:
            self.vectors.close()


def _judged(hit: Hit, score: float | None) -> Hit:
    if score is None:
        return hit
    explanation = hit.explanation and replace(hit.explanation, rerank_score=score)
    return replace(hit, score=score, explanation=explanation)
