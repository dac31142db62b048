"""How a model of a provider is named in what is stored of its work."""

from __future__ import annotations


def openai_model_name(model: str) -> str:
    """The provider and the model; needs no client."""
    return f"openai:{model}"
