-- The vectors of one vault, in a file of their own: a model takes minutes to make what the index is rebuilt without.
-- Keyed by what the model read, so that they hold wherever the text stands. Each model has a table besides, made once
-- the length of its vectors is known:
--   vectors_<number> (place BIGINT, key BIGINT, vector FLOAT[dimensions])
-- `place` counts up and is never used twice; `key` names a chunk (chunks.py: key); vectors have unit length.

CREATE TABLE meta (
    key   VARCHAR NOT NULL,              -- schema
    value VARCHAR NOT NULL
);

CREATE TABLE models (
    number     INTEGER NOT NULL,         -- in the order in which they were first used
    key        VARCHAR NOT NULL,         -- equal keys, comparable vectors
    name       VARCHAR NOT NULL,         -- for people
    dimensions INTEGER,                  -- NULL until there is a vector
    complete   BOOLEAN NOT NULL          -- every chunk had its vector at least once; at most one model
);

CREATE TABLE failed (                    -- chunks that the model cannot take; not tried again
    number INTEGER NOT NULL,
    key    BIGINT NOT NULL,
    reason VARCHAR NOT NULL
);

CREATE TABLE gone (                      -- vectors whose chunk is not in the index, and since when (seconds since 1970)
    number INTEGER NOT NULL,
    key    BIGINT NOT NULL,
    since  BIGINT NOT NULL
);
