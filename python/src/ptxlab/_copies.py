"""Copies the arrays of a launch to its device and back.

Arguments that share memory on the host also share memory on the device, as on a GPU with unified memory. Arrays that
overlap are parts of one buffer. This is not possible for arrays with different strides, which get separate buffers. If
the kernel writes to one of these arrays, the copies of the others would be out of date, so the launch fails.
"""

from __future__ import annotations

from bisect import bisect_right
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Hashable, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from ._errors import PtxlabError
from ._formats import as_array
from ._server import Bytes, Server, data_of, target_of

# Limits how long numpy may search for an element that two arrays share.
_MOST_WORK: Any = 1_000_000

# Returns an address on the device. It is known once the arrays have buffers.
Address = Callable[[], int]

# The number of bytes of an address.
ADDRESS_BYTES = 8

# The number of buffers in a request. Small arrays are part of the message, whose length is limited.
_MOST_BUFFERS = 256


@dataclass(eq=False)
class HostArray:
    """An array that is copied to the device. It starts `offset` bytes after the start of its region."""

    given: Any
    array: "np.ndarray[Any, Any]"
    # The memory of the argument itself; None if there is no such memory, as for lists.
    memory: Optional["np.ndarray[Any, Any]"]
    can_start_later: bool
    # The addresses that the array holds, by the offsets of their bytes.
    addresses: Dict[int, Address] = field(default_factory=dict)
    region: Optional["Region"] = None
    offset: int = 0

    @property
    def is_in_place(self) -> bool:
        """Whether the bytes are copied directly from the memory of the argument."""
        return self.memory is not None and _address(self.array) == _address(self.memory) and self.array.nbytes > 0

    @property
    def key(self) -> Hashable:
        """Arguments that are copied in the same way from the same memory have equal keys."""
        if self.memory is None or self.array.nbytes == 0:
            return id(self)
        return (_address(self.memory), self.memory.shape, self.memory.strides, self.memory.dtype.str)

    @property
    def buffer(self) -> int:
        """The handle of the buffer; -1 until the array is on the device."""
        return -1 if self.region is None else self.region.buffer

    @property
    def address(self) -> int:
        """The address of the array on the device; 0 until the array is there."""
        return 0 if self.region is None else self.region.address + self.offset

    @property
    def is_written_back(self) -> bool:
        return self.memory is not None and self.memory.flags.writeable


@dataclass(eq=False)
class Region:
    """Memory of the host that has a buffer on the device."""

    start: int
    bytes: "np.ndarray[Any, Any]"
    members: List[HostArray] = field(default_factory=list)
    buffer: int = -1
    address: int = 0
    # The bytes on the device before the launch. They differ from `bytes` if there are addresses among them.
    sent: Optional["np.ndarray[Any, Any]"] = None

    @property
    def holds_addresses(self) -> bool:
        return any(one.addresses for one in self.members)

    def addresses(self) -> Dict[int, int]:
        """The addresses on the device that the region holds, by their offsets."""
        found: Dict[int, int] = {}
        pairs = {(one.offset + at, address()) for one in self.members for at, address in one.addresses.items()}
        last = -ADDRESS_BYTES
        for at, address in sorted(pairs):
            if at < last + ADDRESS_BYTES:
                raise PtxlabError("argument-type", f"an array has two addresses at {at}, or at {last} and {at}")
            found[at] = address
            last = at
        return found

    def with_addresses(self) -> "np.ndarray[Any, Any]":
        """The bytes with the addresses of the device."""
        sent = self.bytes.copy()
        for at, address in self.addresses().items():
            sent[at : at + ADDRESS_BYTES] = _word(address)
        return sent

    @property
    def is_in_place(self) -> bool:
        """Whether the region is memory of its arguments, and not a copy."""
        return self.members[0].is_in_place

    @property
    def end(self) -> int:
        return self.start + self.bytes.nbytes

    def add(self, one: HostArray, offset: int) -> None:
        one.region, one.offset = self, offset
        self.members.append(one)

    def write_back(self, result: "np.ndarray[Any, Any]") -> None:
        """Copies the new bytes of the region to the arguments."""
        for one in self.members:
            if one.is_written_back:
                _copy_back(one.given, one.array, result[one.offset : one.offset + one.array.nbytes])


class Copies:
    """The arrays of one launch: first `add` them all, then `upload` them."""

    def __init__(self, server: Server, device: int) -> None:
        self._server = server
        self._device = device
        # The arrays of pointers whose addresses are known, by the identities of the memory and of the addresses.
        self.pointers: Dict[Tuple[int, int], HostArray] = {}
        self._arrays: List[HostArray] = []
        self._regions: List[Region] = []

    def add(self, given: Any, can_start_later: bool) -> HostArray:
        """Adds an array. `can_start_later` says whether it may start inside a buffer."""
        array, _ = as_array(given)
        one = HostArray(given, array, _memory(given, array), can_start_later)
        self._arrays.append(one)
        return one

    def require_own(self, server: Server, device: int) -> None:
        """Raises an error if a buffer belongs to another device, where its address means something else."""
        if server is not self._server or device != self._device:
            server.require()
            raise PtxlabError("argument-type", "a buffer belongs to another device than the kernel")

    def upload(self) -> None:
        """Copies everything to the device. Arrays with addresses are copied when all arrays have buffers."""
        self._regions = _regions(self._arrays)
        with ExitStack() as files:
            contents = [
                {"bytes": region.bytes.nbytes}
                if region.holds_addresses
                else {"data": data_of(self._server, region.bytes, files)}
                for region in self._regions
            ]
            for part in _parts(len(contents)):
                answer = self._server.ask("buffer/alloc", device=self._device, buffers=contents[part])
                for region, made in zip(self._regions[part], answer["buffers"]):
                    region.buffer, region.address = made["buffer"], int(made["address"], 16)
        for region in self._regions:
            if region.holds_addresses:
                self._send_addresses(region)

    def _send_addresses(self, region: Region) -> None:
        region.sent = region.with_addresses()
        with ExitStack() as files:
            data = data_of(self._server, region.sent, files)
            self._server.ask("buffer/write", device=self._device, buffer=region.buffer, data=data)

    def download(self, checks_overlaps: bool) -> None:
        """Copies back what the kernel has changed."""
        wanted = [region for region in self._regions if any(one.is_written_back for one in region.members)]
        with ExitStack() as files:
            targets = [target_of(self._server, region.bytes.nbytes, files, briefly=True) for region in wanted]
            reads = [{"buffer": region.buffer, **into} for region, (into, _) in zip(wanted, targets)]
            answers: List[Dict[str, Any]] = []
            for part in _parts(len(reads)):
                answers += self._server.ask("buffer/read", device=self._device, reads=reads[part])["reads"]
            changed = _changed(wanted, [bytes_of for _, bytes_of in targets], answers)
            if checks_overlaps and self._may_overlap():
                # If one of the regions is refused, nothing is copied back.
                changed = list(changed)
                for region, _ in changed:
                    self._require_alone(region)
            for region, result in changed:
                region.write_back(self._with_host_addresses(region, result))

    def _with_host_addresses(self, region: Region, result: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """New bytes of a region. The addresses that it held are those of the host again, even if the kernel has moved
        them. Other addresses of the device remain.
        """
        if region.sent is None:
            return result
        result = result.copy()
        placed = sorted((one for one in self._regions if one.is_in_place), key=lambda one: one.address)
        starts = [one.address for one in placed]
        for at, before in region.addresses().items():
            word = slice(at, at + ADDRESS_BYTES)
            address = int.from_bytes(result[word].tobytes(), "little")
            which = bisect_right(starts, address) - 1
            if address == before:
                result[word] = region.bytes[word]
            elif which >= 0 and address <= starts[which] + placed[which].bytes.nbytes:
                result[word] = _word(placed[which].start + address - starts[which])
        return result

    def _may_overlap(self) -> bool:
        bounds = sorted(_bounds(one.memory) for one in self._arrays if one.memory is not None)
        regions = {id(one.region) for one in self._arrays}
        return len(regions) > 1 and any(start < end for (_, end), (start, _) in zip(bounds, bounds[1:]))

    def _require_alone(self, region: Region) -> None:
        """Raises an error if a written region shares memory with another region, whose copy would then be out of date.
        """
        for other in self._regions:
            if other is not region and any(_share(a, b) for a in region.members for b in other.members):
                raise PtxlabError(
                    "overlapping-arrays",
                    "the kernel has written to an array that overlaps another argument whose strides or order differ; "
                    "pass contiguous arrays, or copies",
                )

    def free(self) -> None:
        """Frees the memory on the device, without waiting for it."""
        buffers = [region.buffer for region in self._regions if region.buffer >= 0]
        for part in _parts(len(buffers)):
            self._server.drop("buffer/free", device=self._device, buffers=buffers[part])


def _parts(count: int) -> Iterable[slice]:
    """Divides a list of buffers into parts for a request each."""
    return (slice(start, start + _MOST_BUFFERS) for start in range(0, count, _MOST_BUFFERS))


def _changed(
    regions: Sequence[Region], readers: Sequence[Bytes], answers: Sequence[Dict[str, Any]]
) -> Iterable[Tuple[Region, "np.ndarray[Any, Any]"]]:
    """Yields each region that has changed, with its new bytes. The regions are read one by one, to save memory."""
    for region, bytes_of, answer in zip(regions, readers, answers):
        result = bytes_of(answer)
        if not _is_equal(region.bytes if region.sent is None else region.sent, result):
            yield region, result


def _is_equal(a: "np.ndarray[Any, Any]", b: "np.ndarray[Any, Any]") -> bool:
    """Compares eight bytes at a time, because numpy stores the result of each comparison."""
    whole = a.nbytes & ~7
    words = a[:whole].view(np.uint64), b[:whole].view(np.uint64)
    return np.array_equal(*words) and np.array_equal(a[whole:], b[whole:])


def _bounds(array: "np.ndarray[Any, Any]") -> Tuple[int, int]:
    """The address of the first byte of an array, and the address after its last byte."""
    start = end = _address(array)
    if array.size == 0:
        return start, end
    for count, stride in zip(array.shape, array.strides):
        far = (count - 1) * stride
        start, end = start + min(far, 0), end + max(far, 0)
    return start, end + array.itemsize


def _word(address: int) -> "np.ndarray[Any, Any]":
    return np.frombuffer(address.to_bytes(ADDRESS_BYTES, "little"), np.uint8)


def _address(array: "np.ndarray[Any, Any]") -> int:
    return int(array.__array_interface__["data"][0])


def _memory(given: Any, array: "np.ndarray[Any, Any]") -> Optional["np.ndarray[Any, Any]"]:
    """The memory of an argument, with the argument's own strides; None if the memory is not accessible."""
    if isinstance(given, np.ndarray):
        return given.view(np.ndarray)
    if not hasattr(given, "data_ptr"):
        return None
    if given.is_contiguous():
        return array
    import torch

    # numpy does not have all of torch's types.
    words = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    memory: "np.ndarray[Any, Any]" = given.detach().view(words[given.element_size()]).numpy()
    return memory


def _regions(arrays: Sequence[HostArray]) -> List[Region]:
    regions: List[Region] = []
    by_key: Dict[Hashable, Region] = {}
    in_place = sorted((one for one in arrays if one.is_in_place), key=lambda one: _address(one.array))
    for group in _overlapping(in_place):
        regions.append(_joined(group))
    for one in arrays:
        if one.region is None:
            region = by_key.get(one.key)
            if region is None:
                region = by_key[one.key] = Region(_address(one.array), _bytes(one.array))
                regions.append(region)
            region.add(one, 0)
    return regions


def _overlapping(arrays: Sequence[HostArray]) -> List[List[HostArray]]:
    """Groups of overlapping arrays. `arrays` must be sorted by address."""
    groups: List[List[HostArray]] = []
    end = -1
    for one in arrays:
        start = _address(one.array)
        is_apart = start >= end
        # A tensor or texture must be at the start of its buffer.
        if is_apart:
            groups.append([])
        elif start > _address(groups[-1][0].array) and not one.can_start_later:
            continue
        groups[-1].append(one)
        end = max(end, start + one.array.nbytes)
    return groups


def _joined(group: Sequence[HostArray]) -> Region:
    """A region that contains all arrays of a group."""
    start = _address(group[0].array)
    region = Region(start, _bytes(group[0].array))
    for one in group:
        offset = _address(one.array) - start
        missing = offset + one.array.nbytes - region.bytes.nbytes
        if missing > 0:
            region.bytes = np.concatenate([region.bytes, _bytes(one.array)[-missing:]])
        region.add(one, offset)
    return region


def _bytes(array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    return array.reshape(-1).view(np.uint8)


def _share(a: HostArray, b: HostArray) -> bool:
    if a.memory is None or b.memory is None:
        return False
    try:
        return bool(np.shares_memory(a.memory, b.memory, max_work=_MOST_WORK))
    except RuntimeError:  # The search exceeded the limit.
        return True


def _copy_back(given: Any, array: "np.ndarray[Any, Any]", part: "np.ndarray[Any, Any]") -> None:
    """Copies new bytes into the argument. Not called for lists and read-only arrays."""
    result = part.view(array.dtype).reshape(array.shape)
    if not hasattr(given, "data_ptr"):
        given[...] = result
        return
    array[...] = result
    if not given.is_contiguous():
        import torch

        given.copy_(torch.from_numpy(array.view(np.uint8)).view(given.dtype).reshape(given.shape))
