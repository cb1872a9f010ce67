"""Renderers: items in, text or bytes out. They only format."""
