#!/usr/bin/env python3
"""Records what ptxas says about arithmetic, logic, comparison, mov and control instructions.

Usage: python3 tools/record-legality.py > test/golden/legality-basic/cases.jsonl
Needs ptxas 13.0 on the path; the tests do not. The first line of the output contains the declarations to which cases
refer in `decls`. Every other line is one case: version, target, decls, inst, ok and, if ptxas refuses the instruction,
its message.

Three sets are sampled with a fixed seed: legal mnemonics for versions and targets, mnemonics with modifiers and types
that may be illegal, and operands of every kind in every position of a legal instruction.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

random.seed(20)

REGISTERS = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f32 f64".split()
DECLARATIONS = {
    "plain": ".reg .pred %p<9>; "
    + " ".join(f".reg .{t} %{t}_<9>;" for t in REGISTERS)
    + " .reg .v2 .b32 %v2_<3>; .reg .v4 .f32 %v4f_<3>;",
}
DECLARATIONS["pairs"] = DECLARATIONS["plain"] + " .reg .f16x2 %f16x2_<9>;"
DECLARATIONS["wide"] = DECLARATIONS["pairs"] + " .reg .b128 %b128_<9>;"
MODULE = ".global .b32 gv; .shared .align 16 .b8 sb[64];"
FIRST = {  # first version of each target used here
    "sm_10": 100, "sm_13": 102, "sm_20": 200, "sm_30": 300, "sm_53": 402, "sm_60": 500, "sm_70": 501, "sm_75": 603,
    "sm_80": 700, "sm_86": 701, "sm_89": 708, "sm_90": 708, "sm_90a": 800, "sm_100": 806, "sm_100a": 806,
    "sm_103a": 808, "sm_120a": 807, "sm_121": 808,
}
VERSIONS = [
    100, 101, 102, 103, 104, 105, 200, 201, 202, 203, 300, 301, 302, 400, 401, 402, 403, 500, 501, 600, 601, 602, 603,
    604, 605, 700, 701, 702, 703, 704, 705, 706, 707, 708, 800, 801, 802, 803, 804, 805, 806, 807, 808, 900,
]
PAIRS = [(v, t) for v in VERSIONS for t in FIRST if v >= FIRST[t]]


def dotted(version):
    return f"{version // 100}.{version % 100}"


def number(target):
    return int(re.match(r"sm_(\d+)", target)[1])


def declarations(version, target):
    if version >= 803 and number(target) >= 70:
        return "wide"
    return "pairs" if version >= 402 and number(target) >= 53 else "plain"


LINE = re.compile(r"ptxas\S* [^,]*, line (\d+); (\w+)\s*: (.*)")


def compiler(version, target, path):
    """The command that checks a module."""
    arch = target.replace("sm_", "compute_") if number(target) >= 75 else "sm_75"
    return ["ptxas", "-arch", arch, "-O0", "-o", "/dev/null", path]


def run(lines, version, target):
    size = ".address_size 64\n" if version >= 203 else "\n"
    entry = ".entry k()" if version >= 104 else ".entry k"
    head = f".version {dotted(version)}\n.target {target}\n{size}{MODULE}\n{entry} {{\n"
    head += DECLARATIONS[declarations(version, target)] + "\nL0:\n"
    first = head.count("\n") + 1
    handle, path = tempfile.mkstemp(suffix=".ptx")
    with os.fdopen(handle, "w") as file:
        file.write(head + "".join(line + "\n" for line in lines) + "ret; }\n")
    done = subprocess.run(compiler(version, target, path), capture_output=True, text=True)
    os.unlink(path)
    said = [[] for _ in lines]
    other = []
    for message in (done.stderr + done.stdout).splitlines():
        found = LINE.match(message)
        if found and 0 <= int(found[1]) - first < len(lines):
            said[int(found[1]) - first].append((found[2], found[3]))
        elif message.strip() and not re.search("aborted due|[Ww]arning|ptxas info", message):
            other.append(message)
    return said, other, done.returncode


def judge(lines, version, target):
    """The errors of each line. ptxas stops after a syntax error, so the other lines are checked again without it."""
    if not lines:
        return []
    said, other, code = run(lines, version, target)
    fatal = [i for i, messages in enumerate(said) if any(kind == "fatal" for kind, _ in messages)]
    if fatal:
        i = fatal[0]
        return judge(lines[:i], version, target) + [[said[i][0][1]]] + judge(lines[i + 1:], version, target)
    refused = any(kind == "error" for messages in said for kind, _ in messages)
    if other or code < 0 or (code != 0 and not refused):
        if len(lines) == 1:
            return [["; ".join(other) or f"ended with {code}"]]
        half = len(lines) // 2
        return judge(lines[:half], version, target) + judge(lines[half:], version, target)
    return [[text for kind, text in messages if kind == "error"] for messages in said]


TYPES = (
    ".pred .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .f16x2 .f32 .f64 .f32x2 .bf16 .bf16x2 "
    ".tf32 .e4m3x2 .u16x2 .s16x2"
).split()
HOLDERS = {
    ".pred": "p", ".f16x2": "b32_", ".f32x2": "b64_", ".bf16": "b16_", ".bf16x2": "b32_", ".u16x2": "b32_",
    ".s16x2": "b32_", ".tf32": "b32_", ".e4m3x2": "b16_",
}
WIDER = {".u16": ".u32", ".s16": ".s32", ".u32": ".u64", ".s32": ".s64"}


def register(type_, index):
    return "%" + HOLDERS.get(type_, type_[1:] + "_") + str(index)


def operands(opcode, modifiers, types, count):
    """Operands of the types that the mnemonic would need if it were legal."""
    kinds = [types[0]] * 5 if types else [".b32"] * 5
    if len(types) == 2:
        kinds = [types[0]] + [types[1]] * (count - 2) + [types[0]]
    if ".wide" in modifiers:
        wide = WIDER.get(kinds[0], kinds[0])
        kinds = [wide, kinds[0], kinds[0], wide]
    if opcode in ("shl", "shr"):
        kinds[2] = ".u32"
    if opcode == "selp":
        kinds[3] = ".pred"
    if opcode == "setp":
        kinds = [".pred"] + kinds[:2] + [".pred"]
    return [register(kind, i + 1) for i, kind in enumerate(kinds[:count])]


ROUNDING = [".rn", ".rz", ".rm", ".rp"]
SHAPES = [  # opcode, operand counts, modifiers that occur with it somewhere
    ("abs", [2], [".ftz", ".sat", ".relu"]),
    ("neg", [2], [".ftz", ".sat", ".relu"]),
    ("rcp", [2], ROUNDING + [".ftz", ".approx", ".full", ".sat"]),
    ("add", [3], ROUNDING + [".ftz", ".sat", ".cc", ".relu"]),
    ("sub", [3], ROUNDING + [".ftz", ".sat", ".cc"]),
    ("mul", [3], ROUNDING + [".ftz", ".sat", ".lo", ".hi", ".wide"]),
    ("div", [3], ROUNDING + [".ftz", ".approx", ".full", ".sat"]),
    ("min", [3, 4], [".ftz", ".NaN", ".xorsign.abs", ".abs", ".relu"]),
    ("max", [3, 4], [".ftz", ".NaN", ".xorsign.abs", ".abs", ".relu"]),
    ("fma", [4], ROUNDING + [".ftz", ".sat", ".relu", ".oob"]),
    ("mad", [4], ROUNDING + [".ftz", ".sat", ".lo", ".hi", ".wide", ".cc"]),
    ("and", [3], [".ftz", ".lo"]),
    ("or", [3], [".sat"]),
    ("xor", [3], [".rn"]),
    ("not", [2], [".cc"]),
    ("shl", [3], [".lo", ".wrap"]),
    ("shr", [3], [".clamp", ".hi"]),
    ("selp", [4], [".ftz"]),
    ("mov", [2], [".ftz", ".v2", ".v4"]),
]
COMPARISONS = ".eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan".split()
MIXED = [(".f32", ".f16"), (".f32", ".bf16"), (".bf16", ".f32"), (".f32", ".f64"), (".f32x2", ".f32")]


def mnemonics():
    """Every choice of up to three modifiers and of types, legal or not, with matching operands."""
    for opcode, counts, modifiers in SHAPES:
        pairs = MIXED if opcode in ("add", "sub", "fma", "mul") else []
        for many in range(4):
            for chosen in itertools.combinations(modifiers, many):
                for types in [(t,) for t in TYPES] + pairs + [()]:
                    for count in counts:
                        text = opcode + "".join(chosen) + "".join(types)
                        yield f"{text} {', '.join(operands(opcode, chosen, types, count))};"
    for comparison in COMPARISONS:
        for tail in ("", ".and", ".ftz", ".or.ftz", ".sat"):
            for type_ in TYPES:
                count = 4 if tail.startswith((".and", ".or")) else 3
                for result in ("%p1", "%p1|%p2"):
                    rest = operands("setp", (), (type_,), count)[1:]
                    yield f"setp{comparison}{tail}{type_} {', '.join([result] + rest)};"


CONTROL = """bra L0;|bra.uni L0;|bra.u32 L0;|bra gv;|bra nosuch;|bra L0, L0;|bra;|bra 5;|bra %p1;|@%p1 bra L0;
@!%p1 bra.uni L0;|ret;|ret.uni;|ret.u32;|ret %u32_1;|@%p1 ret.uni;|exit;|exit.uni;|@%p1 exit;|exit 0;|@%u32_1 ret;
bar.sync 0;|bar.sync %u32_1;|bar.sync 1+1;|bar.sync -1;|bar.sync 15;|bar.sync 16;|bar.sync %b32_1, %s32_1;
bar.sync %f32_1;|bar.sync 0.0;|bar.sync 0, 0;|bar.sync 0, 31;|bar.sync 0, 64;|bar.sync 0, %u16_1;|bar.sync 0, 64, 5;
bar.sync;|bar.sync %tid.x;|bar.sync sb;|bar 0;|bar.sync.aligned 0;|bar.sync.u32 0;|bar.cta.sync 0;|bar.sync.cta 0;
bar.arrive 0, 64;|bar.arrive 0;|bar.cta.arrive 0, 64;|bar.red.popc.u32 %u32_1, 0, %p1;|bar.red.and.pred %p1, 0, %p2;
bar.red.or.pred %p1, 0, 64, !%p2;|bar.red.popc.s32 %u32_1, 0, %p1;|bar.red.xor.pred %p1, 0, %p2;
bar.red.popc.u32 %p1, 0, %p1;|bar.warp.sync 0xffffffff;|bar.warp.sync %u32_1;|bar.warp.sync %u64_1;|bar.warp.sync 1, 2;
barrier.sync 0;|barrier.sync.aligned 0;|barrier.aligned.sync 0;|barrier.cta.sync 0, 64;|barrier.cta.sync.aligned 0, 64;
barrier.sync 16;|barrier.sync 0, 33;|barrier.arrive 0, 64;|barrier.arrive.aligned 0, 64;|barrier.arrive 0;|barrier;
barrier.red.popc.u32 %u32_1, 0, %p1;|barrier.red.aligned.and.pred %p1, 0, %p2;|barrier 0;|barrier.red.and.u32 %u32_1, 0, %p1;
mov.b64 %b64_1, {%b32_1, %b32_2};|mov.b64 {%b32_1, %b32_2}, %b64_1;|mov.b64 {%b32_1, _}, %b64_1;|mov.b32 {_, _}, %b32_1;
mov.b32 %b32_1, {%b16_1, %b16_2};|mov.b32 %b32_1, {%b8_1, %b8_2, %b8_3, %b8_4};|mov.b32 {%b16_1, %b8_1, %b8_2}, %b32_1;
mov.b64 %b64_1, {%f32_1, %u32_1};|mov.b64 %b64_1, {%f32_1, %b32_1};|mov.b32 %b32_1, {%b16_1, 1};|mov.b64 %b64_1, {%f32_1, 1.0};
mov.b64 %b64_1, {%f32_1, 1};|mov.b64 %b64_1, {%u32_1, 1.0};|mov.b64 %b64_1, %v2_1;|mov.b64 %v2_1, %b64_1;|mov.b64 %v2_1, %v2_2;
mov.b64 {%b32_1, %b32_2, %b32_3}, %b64_1;|mov.b32 {%b32_1}, %b32_2;|mov.u64 %b64_1, {%b32_1, %b32_2};|mov.b16 %b16_1, {%b8_1, %u8_1};
mov.b64 %b64_1, {%b16_1, %u16_1, %s16_1, %b16_2};|mov.b64 %b64_1, {%b16_1, %f16_1, %s16_1, %b16_2};|mov.b32 %b32_1, {%f16_1, %f16_2};
mov.b32 {%f16_1, %u16_1}, %b32_1;|mov.b32 {%b16_1, %b16_2}, {%b16_1, %b16_2};|mov.b64 {%b32_1, %b32_2}, 5;|mov.b64 {%b32_1, %b32_2}, %clock64;
mov.v2.u32 {%u32_1, %u32_2}, {%u32_3, %u32_4};|mov.v2.u32 %v2_1, %v2_2;|mov.v2.u32 {%u32_1, %u32_2}, %v2_1;|mov.v2.u32 {%u32_1, _}, %v2_1;
mov.v4.f32 %v4f_1, %v4f_2;|mov.v4.f32 {%f32_1, %f32_2}, %v4f_1;|mov.v4.f32 {_, _, _, _}, %v4f_1;|mov.v4.f32 %v4f_1, {1.0, %f32_1, %f32_2, %f32_3};
mov.v4.u32 {%u32_1, %u32_2, %u32_3, %u32_4}, %tid;|mov.v4.u16 {%u16_1, %u16_2, %u16_3, %u16_4}, %ctaid;|mov.v4.f32 {%f32_1, %f32_2, %f32_3, %f32_4}, %tid;
mov.v2.b8 {%b8_1, %b8_2}, {%b8_3, %b8_4};|mov.v4.b64 {%b64_1, %b64_2, %b64_3, %b64_4}, {%b64_1, %b64_2, %b64_3, %b64_4};
mov.v2.b64 {%b64_1, %b64_2}, {%b64_3, %b64_4};|mov.v4.u32 %u32_1, %tid;|mov.u32 %u32_1, %tid;|mov.v2.u32 {%u32_1, %f32_1}, {1, 2};
mul.s32.lo %s32_1, %s32_2, %s32_3;|mul.s32.wide %s64_1, %s32_2, %s32_3;|mad.sat.hi.s32 %s32_1, %s32_2, %s32_3, %s32_4;
min.abs.xorsign.f32 %f32_1, %f32_2, %f32_3;|min.xorsign.f32 %f32_1, %f32_2, %f32_3;|f32.add %f32_1, %f32_2, %f32_3;
setp.s32.lt %p1, %s32_1, %s32_2;|setp.s32.and.lt %p1, %s32_1, %s32_2, %p3;|setp.s32 %p1, %s32_1, %s32_2;|setp.lt.s32 _, %s32_1, %s32_2;
setp.lt.s32 _|%p1, %s32_1, %s32_2;|setp.lt.s32 %p1|_, %s32_1, %s32_2;|setp.lt.s32 %b32_1, %s32_1, %s32_2;|setp.lt.and.s32 %p1, %s32_1, 5, !%p3;
add.rn.rz.f32 %f32_1, %f32_2, %f32_3;|add.ftz.ftz.f32 %f32_1, %f32_2, %f32_3;|add.f32.sat %f32_1, %f32_2, %f32_3;|add.u32 %u32_1, %u32_2;
add.u32 %u32_1, %u32_2, %u32_3, %u32_4;|add.u32;|add.foo.u32 %u32_1, %u32_2, %u32_3;|ADD.u32 %u32_1, %u32_2, %u32_3;|add.u33 %u32_1, %u32_2, %u32_3;"""

KINDS = (
    ["%p5"] + [f"%{t}_5" for t in REGISTERS + ["b128", "f16x2"]]
    + "1 1U -1 0x7fffffffffffffff 1.0 0f3F800000 0d3FF0000000000000 WARP_SZ %tid.x %laneid %clock64 sb gv L0 !%p5 -%s32_5 _ "
      "{%b16_1,%b16_2} %v2_1 %v2_1.x %nosuch %tid".split()
)
SEATS = """add.u16x2 %b32_1,%b32_2,%b32_3|add.s16x2 %b32_1,%b32_2,%b32_3|add.f16x2 %b32_1,%b32_2,%b32_3
add.f32x2 %b64_1,%b64_2,%b64_3|add.f16 %b16_1,%b16_2,%b16_3|add.f32.f16 %f32_1,%f16_2,%f32_3|fma.rn.f32.f16 %f32_1,%f16_2,%f16_3,%f32_4
add.f32 %f32_1,%f32_2,%f32_3|add.f64 %f64_1,%f64_2,%f64_3|add.s32 %b32_1,%b32_2,%b32_3|add.u16 %b16_1,%b16_2,%b16_3|add.s64 %b64_1,%b64_2,%b64_3
and.b16 %b16_1,%b16_2,%b16_3|and.b32 %b32_1,%b32_2,%b32_3|or.b64 %b64_1,%b64_2,%b64_3|and.pred %p1,%p2,%p3|not.pred %p1,%p2|not.b32 %b32_1,%b32_2
shl.b16 %b16_1,%b16_2,%u32_3|shl.b64 %b64_1,%b64_2,%u32_3|shr.s16 %b16_1,%b16_2,%u32_3|shr.u32 %b32_1,%b32_2,%u32_3
mul.wide.u16 %b32_1,%b16_2,%b16_3|mad.wide.s32 %b64_1,%b32_2,%b32_3,%b64_4|mul.lo.u64 %b64_1,%b64_2,%b64_3|mad.hi.sat.s32 %b32_1,%b32_2,%b32_3,%b32_4
setp.lt.s32 %p1,%b32_2,%b32_3|setp.eq.b16 %p1,%b16_2,%b16_3|setp.lt.and.f32 %p1,%f32_2,%f32_3,%p2|setp.lt.f16x2 %p1|%p2,%b32_2,%b32_3|setp.ltu.f64 %p1,%b64_2,%b64_3
selp.b32 %b32_1,%b32_2,%b32_3,%p2|selp.f64 %f64_1,%f64_2,%f64_3,%p2|selp.s16 %s16_1,%s16_2,%s16_3,%p2
mov.pred %p1,%p2|mov.b16 %b16_1,%b16_2|mov.u16 %b16_1,%b16_2|mov.b32 %b32_1,%b32_2|mov.s32 %b32_1,%b32_2|mov.f32 %b32_1,%b32_2|mov.b64 %b64_1,%b64_2
mov.u64 %b64_1,%b64_2|mov.f64 %b64_1,%b64_2|mov.b128 %b128_1,%b128_2
abs.f16x2 %b32_1,%b32_2|neg.f16 %f16_1,%f16_2|min.relu.s16x2 %b32_1,%b32_2,%b32_3|div.s32 %b32_1,%b32_2,%b32_3|rcp.approx.ftz.f64 %b64_1,%b64_2|abs.s64 %s64_1,%s64_2
div.rn.f32 %f32_1,%f32_2,%f32_3|max.u64 %u64_1,%u64_2,%u64_3|min.f32 %f32_1,%f32_2,%f32_3,%f32_4|mad.rn.f64 %f64_1,%f64_2,%f64_3,%f64_4""".replace("%p1|%p2", "%p1^%p2")


def seats():
    """Every kind of operand in every position of some legal instructions."""
    for line in re.split(r"[|\n]", SEATS):
        mnemonic, rest = line.replace("^", "|").split(" ", 1)
        places = rest.split(",")
        for place in range(len(places)):
            for kind in KINDS:
                yield f"{mnemonic} {', '.join(places[:place] + [kind] + places[place + 1:])};"


def quirk(line):
    """Marks lines that ptxas accepts but the ISA does not allow, and shifts by f16x2 registers, which ptxas refuses."""
    mnemonic, rest = (line.split(" ", 1) + [""])[:2]
    predicate = mnemonic.endswith(".pred") and "%f16x2_" in rest
    shift = mnemonic.split(".")[0] in ("shl", "shr") and rest.endswith("%f16x2_5;")
    whole = mnemonic == "mov.b128" and rest.endswith("%tid;")
    bf16 = ".bf16" in mnemonic and ("{" in rest or "%v" in rest)
    lists = mnemonic.startswith("mov.v") and ("1," in rest and ".f" in mnemonic)
    return "operand" if predicate or shift or whole or bf16 or lists else None


def record():
    near = list(dict.fromkeys(mnemonics()))
    legal_now = [line for line, said in zip(near, judge(near, 900, "sm_100a")) if not said]
    old = [line for line, said in zip(near, judge([l for l in near if "b128" not in l], 103, "sm_13")) if not said]
    controls = [line for line in re.split(r"[|\n]", CONTROL.replace("%p1|%p2", "%p1^%p2").replace("_|%p1", "_^%p1").replace("%p1|_", "%p1^_"))]
    controls = [line.replace("^", "|").strip() for line in controls if line.strip()]
    everywhere = list(dict.fromkeys(legal_now + old + controls))
    print(json.dumps({"module": MODULE, "decls": DECLARATIONS}))
    for version, target in PAIRS:
        some = random.sample(everywhere, 45)
        emit(some, version, target)
    emit(random.sample([line for line in near if line not in set(legal_now)], 5000) + legal_now + controls, 900, "sm_100a")
    emit(list(seats()), 900, "sm_100a")


def emit(lines, version, target):
    name = declarations(version, target)
    known = DECLARATIONS[name]
    lines = [line for line in lines if ("b128_" not in line or "b128_" in known) and ("f16x2_" not in line or "f16x2_" in known)]
    for line, said in zip(lines, judge(lines, version, target)):
        case = {"version": dotted(version), "target": target, "decls": name, "inst": line, "ok": not said}
        if said:
            case["msg"] = said[0]
        if quirk(line):
            case["quirk"] = quirk(line)
        print(json.dumps(case))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    record()
