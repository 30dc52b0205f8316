"""Tables of addresses: tensors whose integers are addresses of other tensors."""

from __future__ import annotations

import gc
from typing import Any, Dict, NamedTuple, Optional, Set, Tuple

import numpy as np
import torch

from ._arguments import Pointer

# The addresses of user space on the machines that Triton supports.
_LEAST_ADDRESS, _MOST_ADDRESS = 1 << 32, 1 << 56

# The number of integers that are looked at first, to tell tables of addresses from other data.
_SAMPLE = 1024


class AddressTables:
    """Finds tables of addresses among the storages of a launch, such as those of the matrices of a grouped product."""

    def __init__(self) -> None:
        self._live: Optional[_Live] = None
        self._known: Dict[int, Dict[int, Pointer]] = {}

    def addresses_in(self, memory: "np.ndarray[Any, Any]") -> Dict[int, Pointer]:
        """The addresses of tensors that a storage holds, by their offsets. They may lead to further tables.

        A storage is a table if at least half of the integers that could be addresses are addresses of tensors.
        """
        start = memory.ctypes.data
        if start not in self._known:
            found = self._known[start] = {}
            self._find(memory, found)
        return self._known[start]

    def _find(self, memory: "np.ndarray[Any, Any]", found: Dict[int, Pointer]) -> None:
        words = memory[: memory.size & ~7].view(np.uint64)
        (places,) = np.nonzero((words >= _LEAST_ADDRESS) & (words < _MOST_ADDRESS))
        if places.size == 0:
            return
        if self._live is None:
            self._live = _Live()
        live = self._live
        for some in (places[:: -(-places.size // _SAMPLE)], places):
            which, offsets = live.find(words[some])
            (inside,) = np.nonzero(which >= 0)
            if 2 * inside.size < some.size:
                return
        for one in inside.tolist():
            storage, holds_integers = live.storage(int(which[one]))
            pointer = found[8 * int(places[one])] = Pointer(storage, int(offsets[one]))
            if holds_integers:
                pointer.addresses = self.addresses_in(storage)


class _Storage(NamedTuple):
    start: int
    size: int
    storage: Any
    # Whether a tensor of integers with 64 bits shows it.
    holds_integers: bool


class _Live:
    """The storages of all tensors on the CPU. Python has no other list of them than that of all objects."""

    def __init__(self) -> None:
        found: Dict[int, _Storage] = {}
        types = _with_subclasses(torch.Tensor)
        for one in gc.get_objects():
            if type(one) not in types:
                continue
            storage = _storage_of(one)
            if storage is not None and not (storage.start in found and found[storage.start].holds_integers):
                found[storage.start] = storage
        self._storages = sorted(found.values(), key=lambda one: one.start)
        self._starts = np.array([one.start for one in self._storages], np.uint64)
        self._sizes = np.array([one.size for one in self._storages], np.uint64)
        self._bytes: Dict[int, "np.ndarray[Any, Any]"] = {}

    def find(self, words: "np.ndarray[Any, Any]") -> Tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]:
        """For each word, the number of the storage that contains this address, or -1, and the offset in it. The address
        after the last byte counts as well.
        """
        which = np.searchsorted(self._starts, words, "right") - 1
        near = np.maximum(which, 0)
        # Below the first storage, the differences wrap around and are larger than any size.
        offsets = words - self._starts[near]
        return np.where(offsets <= self._sizes[near], near, -1), offsets

    def storage(self, which: int) -> Tuple["np.ndarray[Any, Any]", bool]:
        """The bytes of a storage, and whether it may be a table itself."""
        start, _, storage, holds_integers = self._storages[which]
        if start not in self._bytes:
            self._bytes[start] = bytes_of(storage)
        return self._bytes[start], holds_integers


def _storage_of(tensor: Any) -> Optional[_Storage]:
    """The storage of a tensor; None if it has none on the CPU."""
    try:
        storage = tensor.untyped_storage()
        start, size = storage.data_ptr(), storage.nbytes()
        holds_integers = tensor.dtype in (torch.int64, torch.uint64)
        is_here = storage.device.type == "cpu"
    except Exception:  # A subclass may refuse anything.
        return None
    return _Storage(start, size, storage, holds_integers) if is_here and size > 0 else None


def _with_subclasses(type: Any) -> Set[Any]:
    return {type}.union(*map(_with_subclasses, type.__subclasses__()))


def bytes_of(storage: Any) -> "np.ndarray[Any, Any]":
    """The bytes of a storage of torch, without a copy of them."""
    whole: "np.ndarray[Any, Any]" = torch.empty(0, dtype=torch.uint8, device="cpu").set_(storage).numpy()
    return whole
