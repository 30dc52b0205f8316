#!/usr/bin/env python3
"""Records what ptxas says about bit fields, carries, dot products, roots, elementary functions, set, lop3 and others.

Usage: python3 tools/record-legality-values.py > test/golden/legality-values/cases.jsonl
Needs ptxas 13.0 on the path; the tests do not. This script uses the functions of tools/record-legality.py. The output
has the same format and the same three parts: legal mnemonics for versions and targets, mnemonics that may be illegal,
and operands of every kind in every position.
"""
import importlib.util
import itertools
import json
import os
import random
import re

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location("record_legality", os.path.join(HERE, "record-legality.py"))
base = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(base)
random.seed(21)

base.FIRST.update({"sm_32": 400, "sm_35": 301, "sm_50": 400, "sm_61": 500, "sm_62": 500, "sm_72": 601})
PAIRS = [(v, t) for v in base.VERSIONS for t in base.FIRST if v >= base.FIRST[t]]
TYPES = (
    ".b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .f16x2 .f32 .f64 .f32x2 .bf16 .bf16x2 .u16x2 "
    ".s16x2 .pred"
).split()
FLOAT_MODIFIERS = ".approx .ftz .rn .rz .rm .rp .sat .full".split()

# Opcode, all modifiers it can have, operands: T1 is a register of the mnemonic's type; other names are used as written.
SHAPES = [
    ("popc", [], "%u32_1 T2"), ("clz", [], "%u32_1 T2"), ("brev", [], "T1 T2"), ("cnot", [], "T1 T2"),
    ("bfind", [".shiftamt"], "%u32_1 T2"), ("bfe", [], "T1 T2 %u32_3 %u32_4"), ("bfi", [], "T1 T2 T3 %u32_4 %u32_5"),
    ("fns", [], "%b32_1 T2 %b32_3 %s32_4"), ("bmsk", [".clamp", ".wrap"], "T1 T2 T3"),
    ("szext", [".clamp", ".wrap"], "T1 T2 %u32_3"), ("shf", [".l", ".r", ".clamp", ".wrap"], "T1 T2 T3 %u32_4"),
    ("sad", [], "T1 T2 T3 T4"), ("rem", [], "T1 T2 T3"), ("mul24", [".lo", ".hi", ".sat", ".wide"], "T1 T2 T3"),
    ("mad24", [".lo", ".hi", ".sat", ".wide", ".cc"], "T1 T2 T3 T4"),
    ("lop3", [".and", ".or", ".xor"], "T1 T2 T3 T4 0x80"), ("lop3", [".and", ".or", ".xor"], "T1|%p1 T2 T3 T4 0x80 %p2"),
    ("lop3", [".and", ".or", ".xor"], "T1 T2 T3 T4 0x80 %p2"),
    ("prmt", [".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"], "T1 T2 T3 %b32_4"),
    ("testp", [".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal"], "%p1 T2"),
    ("copysign", [".ftz", ".rn"], "T1 T2 T3"),
    ("add", [".cc", ".sat"], "T1 T2 T3"), ("sub", [".cc", ".sat"], "T1 T2 T3"),
    ("addc", [".cc", ".sat"], "T1 T2 T3"), ("subc", [".cc", ".sat"], "T1 T2 T3"),
    ("madc", [".lo", ".hi", ".wide", ".cc", ".sat"], "T1 T2 T3 T4"), ("mad", [".lo", ".hi", ".cc"], "T1 T2 T3 T4"),
] + [(opcode, FLOAT_MODIFIERS, "T1 T2") for opcode in "sqrt rsqrt sin cos lg2 ex2 tanh".split()]


def register(type_, index):
    holder = base.HOLDERS.get(type_, type_[1:] + "_")
    return f"%{holder}{index}"


def filled(shape, type_):
    return ", ".join(re.sub(r"T(\d)", lambda found: register(type_, found[1]), word) for word in shape.split())


def mnemonics():
    for opcode, modifiers, shape in SHAPES:
        for many in range(4):
            for chosen in itertools.combinations(modifiers, many):
                for type_ in TYPES:
                    yield f"{opcode}{''.join(chosen)}{type_} {filled(shape, type_)};"
    for opcode in ("dp4a", "dp2a.lo", "dp2a.hi", "dp2a"):
        for pair in itertools.product(".u32 .s32 .b32 .u64 .u16 .u8 .s8".split(), repeat=2):
            yield f"{opcode}{''.join(pair)} %b32_1, %b32_2, %b32_3, %b32_4;"
    for tail in ("", ".ftz"):
        for result, last in itertools.product(TYPES, repeat=2):
            yield f"slct{tail}{result}{last} {filled('T1 T2 T3', result)}, {register(last, 4)};"
    for comparison in base.COMPARISONS:
        for tail in ("", ".and", ".ftz", ".or.ftz", ".xor"):
            for result, source in itertools.product(TYPES, repeat=2):
                combined = ", %p3" if tail[:2] in (".a", ".o", ".x") else ""
                yield f"set{comparison}{tail}{result}{source} {register(result, 1)}, {filled('T2 T3', source)}{combined};"


ODD = """lop3.b32 %b32_1,%b32_2,%b32_3,%b32_4,%b32_5;|lop3.b32 %b32_1,%b32_2,%b32_3,%b32_4,256;|lop3.b32 %b32_1,%b32_2,%b32_3,%b32_4,255;
lop3.b32 %b32_1,%b32_2,%b32_3,%b32_4,-1;|lop3.b32 %b32_1,%b32_2,%b32_3,%b32_4,1.0;|lop3.or.b32 _|%p1,%b32_2,%b32_3,%b32_4,7,!%p2;
lop3.or.b32 %b32_1|_,%b32_2,%b32_3,%b32_4,7,%p2;|lop3.and.b32 %b32_1|%p1,%b32_2,%b32_3,%b32_4,7;|set.lt.and.u32.f32 %u32_1,%f32_2,%f32_3,!%p1;
prmt.b32 %b32_1,%b32_2,%b32_3,0x3210;|prmt.b32.f4e %b32_1,%b32_2,%b32_3,9;|bfe.u32 %u32_1,%u32_2,300,-1;|bfi.b32 %b32_1,1,%b32_2,0,400;
addc.cc.u32 %u32_1,%u32_2,0;|sub.cc.u32 %u32_1,1,2;|fns.b32 %b32_1,7,%u32_2,-3;|sad.u32.lo %u32_1,%u32_2,%u32_3,%u32_4;"""

def quirk(line):
    """Marks lines that ptxas accepts although the ISA text does not allow them."""
    untested = re.match(r"testp\.f(32|64) ", line)
    predicate = line.startswith("set.") and ".bf16" in line and "%p5" in line
    return "operand" if untested or predicate else recorded_quirk(line)


recorded_quirk = base.quirk
SEATS = """popc.b32 %u32_1,%b32_2|popc.b64 %b32_1,%b64_2|clz.b64 %u32_1,%b64_2|brev.b32 %b32_1,%b32_2|brev.b64 %b64_1,%b64_2
bfind.s64 %u32_1,%s64_2|bfind.shiftamt.u32 %u32_1,%u32_2|bfe.s32 %s32_1,%s32_2,%u32_3,%u32_4|bfe.u64 %u64_1,%u64_2,%u32_3,%u32_4
bfi.b32 %b32_1,%b32_2,%b32_3,%u32_4,%u32_5|bfi.b64 %b64_1,%b64_2,%b64_3,%u32_4,%u32_5|fns.b32 %b32_1,%b32_2,%b32_3,%s32_4
bmsk.wrap.b32 %b32_1,%b32_2,%b32_3|szext.clamp.s32 %s32_1,%s32_2,%u32_3|shf.l.wrap.b32 %b32_1,%b32_2,%b32_3,%u32_4
sad.s16 %s16_1,%s16_2,%s16_3,%s16_4|sad.u64 %u64_1,%u64_2,%u64_3,%u64_4|rem.s32 %s32_1,%s32_2,%s32_3|mul24.hi.u32 %u32_1,%u32_2,%u32_3
mad24.lo.s32 %s32_1,%s32_2,%s32_3,%s32_4|lop3.b32 %b32_1,%b32_2,%b32_3,%b32_4,0x80|lop3.and.b32 %b32_1^%p1,%b32_2,%b32_3,%b32_4,0x80,%p2
prmt.b32 %b32_1,%b32_2,%b32_3,%b32_4|prmt.b32.ecl %b32_1,%b32_2,%b32_3,%b32_4|testp.normal.f32 %p1,%f32_2|testp.finite.f64 %p1,%f64_2
copysign.f32 %f32_1,%f32_2,%f32_3|copysign.f64 %f64_1,%f64_2,%f64_3|addc.u32 %u32_1,%u32_2,%u32_3|subc.cc.s64 %s64_1,%s64_2,%s64_3
madc.lo.u32 %u32_1,%u32_2,%u32_3,%u32_4|mad.hi.cc.u32 %u32_1,%u32_2,%u32_3,%u32_4|add.cc.u64 %u64_1,%u64_2,%u64_3|cnot.b16 %b16_1,%b16_2
dp4a.u32.s32 %b32_1,%b32_2,%b32_3,%b32_4|dp2a.lo.u32.u32 %u32_1,%u32_2,%u32_3,%u32_4|slct.b32.f32 %b32_1,%b32_2,%b32_3,%f32_4
slct.f64.s32 %f64_1,%f64_2,%f64_3,%s32_4|slct.u16.s32 %u16_1,%u16_2,%u16_3,%s32_4|set.lt.u32.f32 %u32_1,%f32_2,%f32_3|set.eq.f32.b16 %f32_1,%b16_2,%b16_3
set.ge.and.s32.s64 %s32_1,%s64_2,%s64_3,%p4|set.lt.f16.f16 %f16_1,%f16_2,%f16_3|set.lt.f16x2.f16x2 %b32_1,%b32_2,%b32_3|set.gt.u16.bf16 %u16_1,%b16_2,%b16_3
set.lt.u32.bf16x2 %u32_1,%b32_2,%b32_3|set.lt.bf16.f64 %b16_1,%f64_2,%f64_3|sqrt.rn.f32 %f32_1,%f32_2|sqrt.rz.f64 %f64_1,%f64_2|rsqrt.approx.f64 %f64_1,%f64_2
sin.approx.f32 %f32_1,%f32_2|ex2.approx.f16 %f16_1,%f16_2|ex2.approx.f16x2 %b32_1,%b32_2|ex2.approx.ftz.bf16 %b16_1,%b16_2|tanh.approx.bf16x2 %b32_1,%b32_2
tanh.approx.f32 %f32_1,%f32_2"""


def main():
    base.SEATS = SEATS
    base.quirk = quirk
    near = list(dict.fromkeys(mnemonics()))
    legal = [line for line, said in zip(near, base.judge(near, 900, "sm_100a")) if not said]
    narrow = [line for line in near if "b128" not in line]
    old = [line for line, said in zip(narrow, base.judge(narrow, 103, "sm_13")) if not said]
    odd = [line.replace(",", ", ") for line in re.split(r"[|\n]", ODD.replace("_|%p1", "_^%p1").replace("1|", "1^"))]
    odd = [line.replace("^", "|") for line in odd]
    known = list(dict.fromkeys(legal + old))
    sets = [line for line in known if line.startswith("set.")]
    others = [line for line in known if not line.startswith("set.")]
    print(json.dumps({"module": base.MODULE, "decls": base.DECLARATIONS}))
    for version, target in PAIRS:
        base.emit(random.sample(sets, 12) + random.sample(others, 40), version, target)
    refused = [line for line in near if line not in set(legal)]
    base.emit(random.sample(refused, 7000) + random.sample(sets, 400) + others + odd, 900, "sm_100a")
    base.emit(list(base.seats()), 900, "sm_100a")


if __name__ == "__main__":
    main()
