#!/usr/bin/env python3
"""Records what printf in this machine's C library prints for conversions with random flags, widths and precisions.

Usage: python3 tools/record-printf.py > test/golden/printf/cases.jsonl
Each line contains format, args and text. An argument is ["i32" | "i64" | "f64" | "text", value]. Integers are in
hexadecimal, and an f64 is given by the 16 hexadecimal digits of its bits.
"""
import ctypes
import json
import random
import struct

random.seed(7)
libc = ctypes.CDLL(None)


def run(format_, args):
    buffer = ctypes.create_string_buffer(20000)
    given = []
    for kind, value in args:
        if kind == "i32":
            given.append(ctypes.c_uint32(int(value, 16)))
        elif kind == "i64":
            given.append(ctypes.c_uint64(int(value, 16)))
        elif kind == "f64":
            given.append(ctypes.c_double(struct.unpack("<d", struct.pack("<Q", int(value, 16)))[0]))
        else:
            given.append(ctypes.c_char_p(None if value is None else value.encode()))
    libc.snprintf(buffer, ctypes.c_size_t(len(buffer)), format_.encode(), *given)
    print(json.dumps({"format": format_, "args": args, "text": buffer.value.decode()}))


INTEGERS = [0, 1, 7, 8, 42, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 0x123456789ABCDEF]
FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, 0.1, 0.125, 1 / 3, 123456.789, 1e10, 1e15, 1e16, 1e21, 1e22, 1e100, 1e-5, 0.0001, 0.00001234,
    9.9999995, 999999.5, 0.99999949, 9.5, 99.5, 2.0**-1074, 2.0**-1022, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"),
    3.14159265358979, 100.0, 1e5, 123456.0, 1234567.0, 0.3, 4.35, 1.005, 1024.0, 65504.0,
]


def bits(value):
    return struct.pack(">d", value).hex()


def spec(conversion, size, star):
    flags = "".join(random.sample("-+ #0", random.choice([0, 0, 1, 1, 2, 3])))
    width = random.choice(["", "", "1", "5", "12", "30"])
    precision = random.choice(["", "", ".", ".0", ".1", ".3", ".10", ".25"])
    args = []
    if star and random.random() < 0.15:
        width = "*"
        args.append(["i32", format(random.choice([0, 3, 9, 2**32 - 9]), "x")])
    if star and random.random() < 0.15:
        precision = ".*"
        args.append(["i32", format(random.choice([0, 2, 8, 2**32 - 1]), "x")])
    return f"%{flags}{width}{precision}{size}{conversion}", args


def main():
    for _ in range(700):
        conversion = random.choice("diouxX")
        size = random.choice(["", "", "", "hh", "h", "l", "ll", "z", "j", "t"])
        text, args = spec(conversion, size, True)
        wide = size in ("l", "ll", "z", "j", "t")
        value = random.choice(INTEGERS + [random.getrandbits(64)]) & (2**64 - 1 if wide else 2**32 - 1)
        run(f"<{text}>", args + [["i64" if wide else "i32", format(value, "x")]])
    for _ in range(1200):
        conversion = random.choice("fFeEgGaA")
        text, args = spec(conversion, "", True)
        value = random.choice(FLOATS + [random.uniform(-1000, 1000), random.uniform(-1, 1) * 10 ** random.randint(-20, 20)])
        run(f"<{text}>", args + [["f64", bits(value)]])
    for _ in range(100):
        text, args = spec("s", "", True)
        text = text.replace("#", "").replace("0", "").replace("+", "").replace(" ", "")
        run(f"<{text}>", args + [["text", random.choice(["", "a", "hello, world", "0123456789abcdefghij", None])]])
    for text in ["%c", "%5c", "%-5c|"]:
        run(text, [["i32", "41"]])
    for text in ["%p", "%20p", "%-20p|"]:
        for value in ["0", "1", "7f0012345678"]:
            run(text, [["i64", value]])
    run("100%% of %d and %s: %g%%\n", [["i32", "5"], ["text", "five"], ["f64", bits(2.5)]])
    run("no conversions at all", [])


main()
