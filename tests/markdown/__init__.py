"""Tests of the Markdown room: tables of cases in `cases/*.md`, and properties over generated notes."""
