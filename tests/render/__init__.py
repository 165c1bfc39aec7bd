"""Tests of the rendering of values."""
