"""Signatures that list the keywords of a function that takes them as ``**``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def with_keywords(shown: Any, function: Callable[..., Any], keywords: type, **defaults: Any) -> None:
    """Gives ``shown`` the signature of ``function`` with each key of a TypedDict in place of its ``**``.

    ``help()`` and editors then show the keywords; the function itself still refuses unknown ones.
    """
    signature = inspect.signature(function)
    named = [part for part in signature.parameters.values() if part.name != "self"]
    if named and named[-1].kind is inspect.Parameter.VAR_KEYWORD:
        del named[-1]
    named += [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(key), annotation=kind)
        for key, kind in _annotations(keywords).items()
    ]
    shown.__signature__ = signature.replace(parameters=named)


def _annotations(keywords: type) -> dict[str, Any]:
    """Annotations as written in the source."""
    return {key: getattr(kind, "__forward_arg__", kind) for key, kind in keywords.__annotations__.items()}
