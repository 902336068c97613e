"""Conformance vectors, and what runs them."""
