"""Everything that can go wrong, on one page.

KBError
├── InvalidRequestError             400  bad argument; says which and what is allowed
│   ├── InvalidPathError            400  not a path inside the vault
│   ├── MethodNotAllowedError       405  the address exists, this method does not; `allowed`
│   ├── RequestTooLargeError        413  the request is longer than the server reads
│   └── InvalidBodyError            422  the new text would break out of its section
├── UnauthorizedError               401  no secret, or a wrong one
├── ForbiddenError                  403  known, and not allowed to do this
├── NotFoundError                   404
│   ├── VaultNotFoundError          404  no such folder
│   ├── NoteNotFoundError           404  no such note; nearest names in `suggestions`
│   └── SectionNotFoundError        404  no such heading path or line
├── AmbiguousSectionError           409  several sections answer to that name; `candidates`
├── NoteExistsError                 409  a note to be created is there already; `file`
├── ConflictError                   412  the text changed since it was read; carries today's
├── HashRequiredError               428  a write without a hash
├── UnverifiedEditError             422  the splice would move bytes outside its range; refused
├── ReadOnlyError                   403  the vault may only be read
├── FileTooLargeError               413  over the size limit; listed, not read
├── NoteUnreadableError             500  the operating system refused to read
├── WriteFailedError                507  disk full, read-only folder …; the file is as it was
├── IndexUnavailableError           503  the index cannot be opened or is being built
├── ServerUnreachableError          503  no answer from the server; `sent`: it may have got the request
│   └── ServerNotFoundError         503  none was found, or it offers no knowledge base
└── ModelError                      503  no vectors or scores can be had from a model
    ├── ModelNotFoundError          503  it is not on this machine; says what was looked for, and where
    ├── ModelBusyError              503  it is starting or at work, and the caller did not want to wait
    └── ModelFailedError            503  its process or its server failed

Expected outcomes (no hit, an unresolved link) are values, never exceptions. Doors translate once.
"""

from __future__ import annotations

from typing import Any, ClassVar


class KBError(Exception):
    """Base of all errors that this package raises on purpose.

    Attributes
    ----------
    message : one sentence for a person, without a capital at its start and a full stop at its end, since it gets joined
        to others. It may begin with a name as that is written.
    hint : what to do next, or None; likewise.
    details : JSON-ready facts (suggestions, hashes, candidates); empty when there are none.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500

    def __init__(self, message: str, *, hint: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = details

    def payload(self) -> dict[str, Any]:
        """The error as the JSON object that REST and the command line print."""
        body: dict[str, Any] = {"message": self.message, "code": self.code}
        if self.hint:
            body["hint"] = self.hint
        if self.details:
            body["details"] = self.details
        return body


class InvalidRequestError(KBError):
    """An argument is missing, malformed or out of range."""

    code = "invalid-request"
    status = 400


class InvalidPathError(InvalidRequestError):
    """The path does not name a file inside the vault (`..`, absolute, NUL, symbolic link)."""

    code = "invalid-path"


class MethodNotAllowedError(InvalidRequestError):
    """The address exists, but not for this method; `details["allowed"]` lists those that it takes."""

    code = "method-not-allowed"
    status = 405


class RequestTooLargeError(InvalidRequestError):
    """The request is longer than the server reads."""

    code = "request-too-large"
    status = 413


class InvalidBodyError(InvalidRequestError):
    """The new body holds a heading that would end the section it is written into."""

    code = "invalid-body"
    status = 422


class UnauthorizedError(KBError):
    """The request carries no secret, or a wrong one."""

    code = "unauthorized"
    status = 401


class ForbiddenError(KBError):
    """Whoever asks is known, and not allowed to do this."""

    code = "forbidden"
    status = 403


class NotFoundError(KBError):
    """Something named in the request does not exist."""

    code = "not-found"
    status = 404


class VaultNotFoundError(NotFoundError):
    """The vault's folder does not exist or is not a folder."""

    code = "vault-not-found"


class NoteNotFoundError(NotFoundError):
    """No note of that name; `details["suggestions"]` holds up to three near names."""

    code = "note-not-found"


class SectionNotFoundError(NotFoundError):
    """No section of that name; `details["suggestions"]` holds up to three near heading paths."""

    code = "section-not-found"


class AmbiguousSectionError(KBError):
    """Several sections answer to that name; `details["candidates"]` lists them with their lines."""

    code = "ambiguous-section"
    status = 409


class NoteExistsError(KBError):
    """The note that was to be created is there already; `details["file"]` names it as it is spelled on disk."""

    code = "note-exists"
    status = 409


class ConflictError(KBError):
    """The addressed text changed since it was read.

    `details` holds `current_hash` and `current_content`: today's text, so that no further read is needed; and of the
    file `current_version` and `current_modified`, its mtime in seconds since 1970 (None where it changed again).
    """

    code = "conflict"
    status = 412


class HashRequiredError(KBError):
    """A write that names no hash of the text it replaces."""

    code = "hash-required"
    status = 428


class UnverifiedEditError(KBError):
    """Parsing the result showed a change outside the addressed range, so nothing was written."""

    code = "unverified-edit"
    status = 422


class ReadOnlyError(KBError):
    """The vault was opened for reading only."""

    code = "read-only"
    status = 403


class FileTooLargeError(KBError):
    """The file is over the size limit of the settings; it is listed but not read."""

    code = "file-too-large"
    status = 413


class NoteUnreadableError(KBError):
    """The operating system refused to read the file."""

    code = "note-unreadable"
    status = 500


class WriteFailedError(KBError):
    """The operating system refused the write; the file is as it was."""

    code = "write-failed"
    status = 507


class IndexUnavailableError(KBError):
    """The index cannot be opened, or is not complete enough to answer."""

    code = "index-unavailable"
    status = 503


class ServerUnreachableError(KBError):
    """The server, or the process that owns the index, does not answer.

    `details`: `sent` where it may have got the request, `silent` where it is there and gives no sign of life.
    """

    code = "server-unreachable"
    status = 503


class ServerNotFoundError(ServerUnreachableError):
    """No server was found, or the one that answers offers no knowledge base; `details["looked"]` lists the places."""

    code = "server-not-found"


class ModelError(KBError):
    """An embedding or reranking model gave no answer. Search by words goes on without it."""

    code = "model-unavailable"
    status = 503


class ModelNotFoundError(ModelError):
    """The model is not on this machine; `details["looked"]` lists the places."""

    code = "model-not-found"


class ModelBusyError(ModelError):
    """The model is starting or at work, and the caller did not want to wait longer."""

    code = "model-busy"


class ModelFailedError(ModelError):
    """The model's process crashed, or its server answered with an error or not in time."""

    code = "model-failed"
