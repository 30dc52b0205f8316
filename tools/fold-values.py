#!/usr/bin/env python3
"""Records results of instructions that ptxas computes at compile time if their sources are constants.

Usage: python3 tools/fold-values.py > test/golden/folded-values/rows.jsonl
Needs ptxas 13.0 on the path; the tests do not. Each line contains a mnemonic and rows of bits in hexadecimal: first the
sources, then the result. A row is kept only if the machine code equals, byte for byte, that of a kernel that stores the
recorded result. Instructions that ptxas does not fold therefore have no rows, and the tool does not have to decode
instructions.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

random.seed(22)
LETTER = {1: "p", 16: "h", 32: "r", 64: "d"}
MOVES = (0x7802, 0x7431, 0x7424, 0x7835, 0x7435)  # opcodes that carry a constant in bits 63:32
PER_MNEMONIC = 60


def sections(path):
    data = open(path, "rb").read()
    start = struct.unpack_from("<Q", data, 0x28)[0]
    count, names_index = struct.unpack_from("<HH", data, 0x3C)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * i) for i in range(count)]
    names = data[headers[names_index][4]:]
    found = {}
    for header in headers:
        name = names[header[0]:names.index(b"\0", header[0])].decode()
        if name.startswith(".text."):
            found[name[6:]] = data[header[4]:header[4] + header[5]]
    return found


def assemble(bodies):
    """The machine code of one kernel per body; each body leaves its result of `width` bits in register 0."""
    text = ".version 9.0\n.target sm_100a\n.address_size 64\n"
    for i, (body, width) in enumerate(bodies):
        registers = ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b64 %a;"
        head = f".visible .entry k{i}(.param .u64 p) {{ {registers} ld.param.u64 %a, [p]; cvta.to.global.u64 %a, %a;"
        text += f"{head}\n{body}\nst.global.b{width} [%a], %{LETTER[width]}0; ret; }}\n"
    with tempfile.TemporaryDirectory() as folder:
        source, code = os.path.join(folder, "m.ptx"), os.path.join(folder, "m.cubin")
        open(source, "w").write(text)
        done = subprocess.run(["ptxas", "-arch", "sm_100a", "-O3", "-o", code, source], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr[:2000])
        found = sections(code)
    return [found[f"k{i}"] for i in range(len(bodies))]


def constants(code):
    words = [code[i:i + 16] for i in range(0, len(code), 16)]
    moved = [struct.unpack_from("<I", word, 4)[0] for word in words if struct.unpack_from("<H", word)[0] in MOVES]
    return list(dict.fromkeys([0] + moved))[:4]


def fold(bodies):
    """The result of each body; None if ptxas did not fold it."""
    codes = assemble(bodies)
    guesses = []
    for i, (_, width) in enumerate(bodies):
        words = constants(codes[i])
        values = [low | high << 32 for low in words for high in words] if width == 64 else words
        guesses += [(i, width, value & (1 << width) - 1) for value in values]
    stores = assemble([(f"mov.b{width} %{LETTER[width]}0, {value};", width) for _, width, value in guesses])
    results = [None] * len(bodies)
    for (i, _, value), code in zip(guesses, stores):
        if code == codes[i]:
            results[i] = value
    return results


# The mnemonic, the width of the result, and the widths of the sources. The sources "8", "byte", "5" and "5s" are shift
# amounts, positions and the like, in 32-bit registers.
TABLE = []


def add(names, result, sources):
    TABLE.extend((name, result, sources.split()) for name in names.split())


add("popc.b32 clz.b32 bfind.u32 bfind.s32 bfind.shiftamt.u32 bfind.shiftamt.s32 brev.b32 cnot.b32", 32, "32")
add("popc.b64 clz.b64 bfind.u64 bfind.s64 bfind.shiftamt.u64 bfind.shiftamt.s64", 32, "64")
add("brev.b64 cnot.b64", 64, "64")
add("bfe.u32 bfe.s32", 32, "32 8 8")
# Positions and lengths beyond a byte are undefined; for 64-bit operands, ptxas does not reduce them as the ISA's
# pseudo-code does.
add("bfe.u64 bfe.s64", 64, "64 byte byte")
add("bfi.b32", 32, "32 32 8 8")
add("bfi.b64", 64, "64 64 byte byte")
add("fns.b32", 32, "32 5 5s")
add("bmsk.clamp.b32 bmsk.wrap.b32", 32, "8 8")
add("szext.clamp.u32 szext.clamp.s32 szext.wrap.u32 szext.wrap.s32", 32, "32 8")
add("shf.l.clamp.b32 shf.l.wrap.b32 shf.r.clamp.b32 shf.r.wrap.b32", 32, "32 32 8")
add("sad.u32 sad.s32 mad24.lo.u32 mad24.lo.s32 mad24.hi.u32 mad24.hi.s32 mad24.hi.sat.s32", 32, "32 32 32")
add("sad.u64 sad.s64", 64, "64 64 64")
add("mul24.lo.u32 mul24.lo.s32 mul24.hi.u32 mul24.hi.s32 rem.u32 rem.s32", 32, "32 32")
add("rem.u64 rem.s64", 64, "64 64")
add("prmt.b32 prmt.b32.f4e prmt.b32.b4e prmt.b32.rc8 prmt.b32.ecl prmt.b32.ecr prmt.b32.rc16", 32, "32 32 32")
add(" ".join(f"dp4a.{a}.{b} dp2a.lo.{a}.{b} dp2a.hi.{a}.{b}" for a in ("u32", "s32") for b in ("u32", "s32")), 32, "32 32 32")
add("slct.b32.s32 slct.b32.f32 slct.ftz.b32.f32", 32, "32 32 f32")
add("copysign.f32", 32, "f32 f32")
add("copysign.f64", 64, "f64 f64")
KINDS = "finite infinite number notanumber normal subnormal".split()
add(" ".join(f"testp.{kind}.f32" for kind in KINDS), 1, "f32")
add(" ".join(f"testp.{kind}.f64" for kind in KINDS), 1, "f64")
ROUNDINGS = "rn rz rm rp".split()
add(" ".join(f"sqrt.{r}.f32 sqrt.{r}.ftz.f32" for r in ROUNDINGS), 32, "f32")
add(" ".join(f"sqrt.{r}.f64" for r in ROUNDINGS), 64, "f64")
add("sqrt.approx.f32 rsqrt.approx.f32 sin.approx.f32 cos.approx.f32 lg2.approx.f32 ex2.approx.f32 tanh.approx.f32", 32, "f32")
add("sqrt.approx.ftz.f32 rsqrt.approx.ftz.f32 sin.approx.ftz.f32 cos.approx.ftz.f32 lg2.approx.ftz.f32 ex2.approx.ftz.f32", 32, "f32")
add("rsqrt.approx.f64 rsqrt.approx.ftz.f64", 64, "f64")
add("ex2.approx.f16 tanh.approx.f16 ex2.approx.ftz.bf16 tanh.approx.bf16", 16, "16")
for comparison in "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split():
    add(f"set.{comparison}.u32.f32 set.{comparison}.ftz.f32.f32", 32, "f32 f32")
    add(f"set.{comparison}.u32.f64", 32, "f64 f64")
    add(f"set.{comparison}.u32.f16x2 set.{comparison}.f16x2.f16x2 set.{comparison}.u32.bf16x2", 32, "32 32")
    add(f"set.{comparison}.f16.f16 set.{comparison}.u16.f16 set.{comparison}.bf16.bf16", 16, "16 16")
for comparison in "lt ge lo hs".split():
    add(f"set.{comparison}.s32.u32 set.{comparison}.f32.u32", 32, "32 32")
    add(f"set.{comparison}.f16.u64 set.{comparison}.bf16.u64", 16, "64 64")

SPECIAL32 = [0, 1, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000001, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x00800000, 0x007FFFFF]
SPECIAL64 = [0, 1, 1 << 63, (1 << 63) - 1, (1 << 64) - 1, 0x3FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x10000000000000, 0xFFFFFFFFFFFFF]


def value(kind):
    pick = random.random()
    if kind == "8":
        return random.choice([0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 0xFFFFFFFF, random.getrandbits(6), random.getrandbits(6)])
    if kind == "byte":
        return random.choice([0, 1, 31, 32, 33, 63, 64, 65, 255, random.getrandbits(6), random.getrandbits(6)])
    if kind == "5":
        return random.getrandbits(5)
    if kind == "5s":
        return random.randint(-8, 8) & 0xFFFFFFFF
    if kind == "f32" and pick > 0.4:
        return struct.unpack("<I", struct.pack("<f", (random.random() - 0.4) * 2.0 ** random.randint(-6, 6)))[0]
    if kind == "f64" and pick > 0.4:
        return struct.unpack("<Q", struct.pack("<d", (random.random() - 0.4) * 2.0 ** random.randint(-60, 60)))[0]
    width = int(kind.lstrip("f"))
    if pick < 0.25:
        return random.choice(SPECIAL64 if width == 64 else SPECIAL32) & (1 << width) - 1
    return random.getrandbits(random.randint(1, width)) if pick < 0.5 else random.getrandbits(width)


def body(mnemonic, result, kinds, sources):
    lines, names = [], []
    for i, (kind, bits) in enumerate(zip(kinds, sources), 1):
        width = int(kind.lstrip("f")) if kind not in ("8", "byte", "5", "5s") else 32
        names.append(f"%{LETTER[width]}{i}")
        lines.append(f"mov.b{width} {names[-1]}, {bits};")
    lines.append(f"{mnemonic} %{LETTER[result]}0, {', '.join(names)};")
    if result == 1:
        lines.append("selp.b32 %r0, 1, 0, %p0;")
    return "\n".join(lines), 32 if result == 1 else result


def main():
    for mnemonic, result, kinds in TABLE:
        rows = [[value(kind) for kind in kinds] for _ in range(PER_MNEMONIC)]
        results = fold([body(mnemonic, result, kinds, row) for row in rows])
        kept = [[f"{bits:x}" for bits in row + [out]] for row, out in zip(rows, results) if out is not None]
        if kept:
            print(json.dumps({"inst": mnemonic, "rows": kept}))
        else:
            print(f"never folded: {mnemonic}", file=sys.stderr)


if __name__ == "__main__":
    main()
