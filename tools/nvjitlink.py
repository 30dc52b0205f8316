#!/usr/bin/env python3
"""Compiles a PTX file with libnvJitLink and prints its messages, which are those of ptxas.

Usage: python3 tools/nvjitlink.py LIBRARY TARGET FILE.ptx
LIBRARY is the path of a libnvJitLink.so. No GPU is needed. Exits with 1 if the file is refused.
"""
import ctypes
import sys

PTX = 2  # NVJITLINK_INPUT_PTX


def main():
    library, target, path = sys.argv[1:]
    link = ctypes.CDLL(library)
    options = (ctypes.c_char_p * 2)(f"-arch={target}".encode(), b"-O0")
    handle = ctypes.c_void_p()
    if link.nvJitLinkCreate(ctypes.byref(handle), 2, options) != 0:
        sys.exit(f"nvJitLink does not know {target}")
    with open(path, "rb") as file:
        data = file.read()
    failed = link.nvJitLinkAddData(handle, PTX, data, ctypes.c_size_t(len(data)), b"module.ptx") or link.nvJitLinkComplete(handle)
    size = ctypes.c_size_t()
    link.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value + 1)
    link.nvJitLinkGetErrorLog(handle, text)
    lines = text.value.decode().splitlines()
    print("\n".join(line for line in lines if line and not line.startswith("ERROR ")), file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
