"""pdfium's functions as C pointers, for ``map`` over thousands of characters or objects.

The functions of ``pypdfium2.raw`` check and convert each argument in Python, which takes longer
than what they do.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium_c


def c_function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The function of this name; handles are integers. The caller holds pdfium's lock."""
    address = ctypes.cast(getattr(pdfium_c, name), ctypes.c_void_p).value
    assert address is not None
    return ctypes.PYFUNCTYPE(result, *arguments)(address)
