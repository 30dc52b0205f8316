"""Devices, modules and kernels."""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arguments import Sampler, Texture, describe, prepare
from ._buffer import Buffer
from ._copies import Copies
from ._errors import Fault, PtxlabError
from ._formats import as_array
from ._functions import _named
from ._server import data_of, shared

Extent = Union[int, Sequence[int]]


class Kernel:
    """A kernel: `kernel[grid, block](x, y, 3)` runs it."""

    def __init__(self, module: "Module", name: str) -> None:
        self._module = module
        self.name = name
        facts = module._server.ask("module/kernel", device=module._device, module=module.handle, kernel=name)
        self.parameters: List[Dict[str, Any]] = facts["parameters"]

    def __getitem__(self, shape: Tuple[Extent, Extent]) -> "Launcher":
        grid, block = shape
        return Launcher(self, grid, block)


class Launcher:
    """A kernel with a grid and a block."""

    def __init__(self, kernel: Kernel, grid: Extent, block: Extent) -> None:
        self._kernel = kernel
        self._shape = {"grid": _extent(grid), "block": _extent(block)}

    def __call__(
        self,
        *args: Any,
        bind: Optional[Mapping[str, Union[Texture, Sampler]]] = None,
        shared_bytes: Optional[int] = None,
        races: Optional[str] = None,
        **options: Any,
    ) -> Dict[str, Any]:
        """Runs the kernel. Arrays and tensors are copied to the device, and back if the kernel has changed them.

        Read-only arrays and lists are not copied back. Arguments that share memory on the host also share memory on the
        device. Buffers stay on the device. Numbers are converted by value to the type of their parameter.
        Returns the printed output and statistics.
        `bind` maps names of the module's variables to a Texture, Surface or Sampler.
        Later launches can still use textures and surfaces in Buffers, but not those in arrays.
        With races="report", the result lists data races under "races". With races="strict", these include stores of the
        same value.
        Raises Fault if the kernel faults, and PtxlabError if the launch is not possible.
        """
        module = self._kernel._module
        copies = Copies(module._server, module._device)
        parameters: List[Optional[Dict[str, Any]]] = [*self._kernel.parameters, *(None for _ in args)]
        try:
            passed = [prepare(one, i, parameters[i], copies) for i, one in enumerate(args)]
            bindings = {name: describe(one, copies) for name, one in (bind or {}).items()}
            copies.upload()
            result = module._server.ask(
                "launch",
                device=module._device,
                module=module.handle,
                kernel=self._kernel.name,
                args=[one() for one in passed],
                bind={name: one() for name, one in bindings.items()},
                **self._shape,
                **_named(sharedBytes=shared_bytes, races=races),
                **options,
            )
            copies.download(checks_overlaps=result["ok"])
        finally:
            copies.free()
        if not result["ok"]:
            fault = result["fault"]
            raise Fault(fault["code"], fault["message"], {**fault, "printed": result["printed"]})
        return result


def _extent(extent: Extent) -> Union[int, List[int]]:
    return int(extent) if isinstance(extent, (int, np.integer)) else [int(one) for one in extent]


class Module:
    """A loaded module. It is unloaded by `unload`, at the end of a `with` block, or with this object."""

    def __init__(self, device: "Device", source: str) -> None:
        self.device = device
        self._server = device._server
        self._device = device.handle
        answer = self._server.ask("module/load", device=self._device, source=source)
        self.handle: int = answer["module"]
        self.kernels: List[str] = answer["kernels"]
        self._finalizer = weakref.finalize(
            self, self._server.drop, "module/unload", device=self._device, module=self.handle
        )
        self._finalizer.atexit = False

    def kernel(self, name: Optional[str] = None) -> Kernel:
        """The kernel with the given name; without a name, the only kernel of the module."""
        if name is None:
            if len(self.kernels) != 1:
                raise PtxlabError("unknown-kernel", f"the module has {len(self.kernels)} kernels; name one")
            name = self.kernels[0]
        return Kernel(self, name)

    def unload(self) -> None:
        """Frees the module's variables. Further calls do nothing."""
        if self._finalizer.detach() is not None:
            self._server.release("module/unload", device=self._device, module=self.handle)

    def __enter__(self) -> "Module":
        return self

    def __exit__(self, *_: object) -> None:
        self.unload()


class Device:
    """A device that runs PTX on the CPU, with the arithmetic of a GPU: `Device(gpu="sm_90")`."""

    def __init__(
        self,
        gpu: Optional[str] = None,
        *,
        target: Optional[str] = None,
        isa: Optional[str] = None,
        memory: Optional[int] = None,
    ) -> None:
        self._server = shared()
        options = _named(gpu=gpu, target=target, isa=isa, memory=memory)
        self.handle: int = self._server.ask("device/create", **options)["device"]
        self._finalizer = weakref.finalize(self, self._server.drop, "device/close", device=self.handle)
        self._finalizer.atexit = False

    def module(self, source: str) -> Module:
        """Loads a module. If it is refused, raises PtxlabError `refused-module`, with the findings in its data."""
        return Module(self, source)

    def buffer(self, contents: Any) -> Buffer:
        """A buffer with a copy of an array or, if `contents` is an integer, with that many zero bytes."""
        if isinstance(contents, (int, np.integer)):
            answer = self._server.ask("buffer/alloc", device=self.handle, bytes=int(contents))
        else:
            array, _ = as_array(contents)
            with ExitStack() as files:
                data = data_of(self._server, array, files)
                answer = self._server.ask("buffer/alloc", device=self.handle, data=data)
        return Buffer(self._server, self.handle, answer["buffer"], answer["bytes"], int(answer["address"], 16))

    def close(self) -> None:
        """Frees everything on the device. Further calls do nothing."""
        if self._finalizer.detach() is not None:
            self._server.release("device/close", device=self.handle)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
