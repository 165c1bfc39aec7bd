-- The tables of one vault's index. Everything here is derived from the notes and can be dropped at any time.
-- Plain SQL without keys, and with one index: bulk loading is many times faster without them, the indexer is the only
-- writer, and a lookup is a scan of a small column. `path` is the vault-relative key of a note; byte offsets count the
-- file as stored; lines count from 1, both ends included.

CREATE TABLE meta (
    key   VARCHAR NOT NULL,              -- schema, language, unsorted (postings written since they were sorted)
    value VARCHAR NOT NULL
);

CREATE TABLE notes (
    note_id      INTEGER NOT NULL,       -- given once, never reused while the note stays
    path         VARCHAR NOT NULL,
    stem         VARCHAR NOT NULL,       -- last segment without a lower-case `.md`: what an exact link names
    stem_key     VARCHAR NOT NULL,       -- last segment without `.md` in any case, folded (links.py: fold)
    title        VARCHAR NOT NULL,       -- front matter title, else first level-1 heading, else stem
    size         BIGINT NOT NULL,        -- bytes
    mtime_ns     BIGINT NOT NULL,
    ctime_ns     BIGINT NOT NULL,        -- no program can set it: it tells of a rewrite that restored the rest
    inode        BIGINT NOT NULL,
    checked_ns   BIGINT NOT NULL,        -- clock when the file was read: a time too near to it proves nothing
    version      VARCHAR NOT NULL,       -- git blob id
    front_matter VARCHAR                 -- JSON object, NULL without (readable) front matter
);

-- At least one row a note, in document order. Text is not compressed: a search reads ten rows, and would unpack thousands.
CREATE TABLE sections (
    section_id     BIGINT NOT NULL,      -- note_id << 24 | ordinal
    note_id        INTEGER NOT NULL,
    file           VARCHAR NOT NULL USING COMPRESSION uncompressed,  -- path and title of the note once more,
    note_title     VARCHAR NOT NULL USING COMPRESSION uncompressed,  -- so that a search reads this table alone
    ordinal        INTEGER NOT NULL,     -- place in document order, from 0
    parent         INTEGER,              -- ordinal of the parent, NULL for a root
    level          INTEGER NOT NULL,     -- 1..6; 0 preamble; -1 stand-in of a note without sections (heading_path '')
    heading        VARCHAR NOT NULL USING COMPRESSION uncompressed,
    heading_path   VARCHAR NOT NULL USING COMPRESSION uncompressed,
    start_byte     BIGINT NOT NULL,      -- whole subtree
    end_byte       BIGINT NOT NULL,
    own_start      BIGINT NOT NULL,      -- heading and own text, up to the first sub-heading
    own_end        BIGINT NOT NULL,
    start_line     INTEGER NOT NULL,
    end_line       INTEGER NOT NULL,
    own_start_line INTEGER NOT NULL,
    own_end_line   INTEGER NOT NULL,
    content_hash   VARCHAR NOT NULL USING COMPRESSION uncompressed,  -- BLAKE3-256 of the subtree
    own_hash       VARCHAR NOT NULL USING COMPRESSION uncompressed,  -- BLAKE3-256 of heading and own text
    text           VARCHAR NOT NULL USING COMPRESSION uncompressed,  -- own text without the heading; no lone surrogates
    length         INTEGER NOT NULL      -- words in heading and text; a title that is no heading counts as the first one
);

-- A search fetches its ten rows through it, and so need not touch all texts (1.8 instead of 5 ms on 12,000 sections).
CREATE INDEX section_rows ON sections (section_id);

CREATE TABLE postings (                  -- one row for each term of each section, in runs sorted by term_id
    term_id     BIGINT NOT NULL,         -- hash of the stemmed term (terms.py: term_id)
    section_id  BIGINT NOT NULL,
    heading     SMALLINT NOT NULL,       -- how often the term occurs in the section's own heading
    context     SMALLINT NOT NULL,       -- in the note's title and the headings above
    body        SMALLINT NOT NULL,       -- in the own text
    names       SMALLINT NOT NULL,       -- in file name, tags, aliases, other front matter (first section only)
    length      INTEGER NOT NULL         -- of the section, as in sections
);

CREATE TABLE terms (                     -- words as they were ever written (lower case, unstemmed), for prefix queries
    term    VARCHAR NOT NULL,
    term_id BIGINT NOT NULL              -- of its stem
);

CREATE TABLE words (                     -- which notes hold which of them now
    note_id INTEGER NOT NULL,
    word_id BIGINT NOT NULL              -- hash of the unstemmed word
);

CREATE TABLE tags (                      -- front matter tags and inline #tags, without `#`, nested ones whole
    note_id INTEGER NOT NULL,
    tag     VARCHAR NOT NULL,
    tag_key VARCHAR NOT NULL             -- folded
);

CREATE TABLE aliases (
    note_id   INTEGER NOT NULL,
    alias     VARCHAR NOT NULL,
    alias_key VARCHAR NOT NULL           -- folded
);

CREATE TABLE properties (                -- front matter, flattened; a list gives one row for itself and one an item
    note_id INTEGER NOT NULL,
    field   VARCHAR NOT NULL,            -- names joined by dots
    value   VARCHAR NOT NULL             -- text of the scalar (true, false, null, 7, words); JSON of a list or mapping
);

CREATE TABLE links (                     -- as written; what they mean is decided when asked
    note_id    INTEGER NOT NULL,
    ordinal    INTEGER,                  -- deepest section that holds the link, NULL outside every section
    position   INTEGER NOT NULL,         -- order within the note, from 0
    line       INTEGER NOT NULL,
    start_byte BIGINT NOT NULL,
    end_byte   BIGINT NOT NULL,
    kind       VARCHAR NOT NULL,         -- wikilink, embed, markdown
    raw_target VARCHAR NOT NULL,
    file_part  VARCHAR NOT NULL,         -- '' for a link into the same note
    fragment   VARCHAR,                  -- after the first `#`, NULL without
    text       VARCHAR,                  -- alias or link text
    target_key VARCHAR NOT NULL          -- last segment of file_part without `.md`, folded; '' for the same note
);

CREATE TABLE block_ids (                 -- ^id marks
    note_id  INTEGER NOT NULL,
    block_id VARCHAR NOT NULL,
    ordinal  INTEGER,
    line     INTEGER NOT NULL
);

CREATE TABLE diagnostics (               -- of single notes; a note that cannot be read stands here and not in notes
    path    VARCHAR NOT NULL,
    kind    VARCHAR NOT NULL,
    message VARCHAR NOT NULL,
    line    INTEGER,
    hint    VARCHAR
);

-- Pieces of sections that are embedded one by one (chunk_table.py), made from `sections` once vectors are wanted.
CREATE TABLE chunks (
    section_id BIGINT NOT NULL,
    note_id    INTEGER NOT NULL,
    position   INTEGER NOT NULL,         -- order within the section, from 0
    start      INTEGER NOT NULL,         -- characters of the section's text, half-open; 0, 0 in one without text
    stop       INTEGER NOT NULL,
    key        BIGINT NOT NULL           -- hash of all that a model reads of it (chunks.py: key)
);

CREATE TABLE chunked (                   -- notes whose chunks were made
    note_id INTEGER NOT NULL
);
