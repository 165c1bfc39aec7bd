"""Tests of the command line: transcripts beside this file, and what a transcript cannot show."""
