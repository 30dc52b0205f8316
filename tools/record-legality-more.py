#!/usr/bin/env python3
"""Records what ptxas says about the instructions in the lines.txt of a folder of test/golden.

Usage: python3 tools/record-legality-more.py legality-more | gzip -9n > test/golden/legality-more/cases.jsonl.gz
Needs ptxas 13.0 on the path; the tests do not. Every line is checked at version 9.0. The target is sm_100a until a
comment such as `# on sm_90a` names another. The first legal line of each mnemonic is also checked on every target at
all versions. For each target, the verdict at the first version and the verdicts on both sides of each change are kept.
Words in parentheses are alternatives: `cp.async.(ca|cg)` stands for two lines. `%b32_0*4` stands for four registers.
"""
import importlib.util
import json
import pathlib
import re
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("record_legality", HERE / "record-legality.py")
base = importlib.util.module_from_spec(spec)
spec.loader.exec_module(base)

base.MODULE = ".global .texref tx0; .global .surfref sf0; .global .align 16 .b8 gv[64]; .shared .align 16 .b8 sb[64]; .const .align 16 .b8 cb[64];"
for name in base.DECLARATIONS:
    base.DECLARATIONS[name] += " .local .align 16 .b8 lb[64];"
base.FIRST.update({
    "sm_12": 102, "sm_35": 301, "sm_61": 500, "sm_100f": 808, "sm_103": 808, "sm_103f": 808, "sm_110a": 900, "sm_120": 807,
    "sm_120f": 808, "sm_121a": 808,
})

QUIRKS = [  # looked at and not followed
    (r"^cp\.async\.global", "state spaces in the wrong order"),
    (r"^tcgen05\.(cp|shift|ld|st)\.[^\[]*\[%(b16|b64|f32)_", "an address of another width or type, found when code was made"),
    (r"%u64_2\+8, 0", "a register with an offset outside brackets"),
    (r"\.im2col(::w)?\.mbarrier\S*\.multicast::cluster \[.*%b64_1", "a cache policy in place of the mask of blocks"),
    (r"^tcgen05.*::i8 .*%p1, \d+;", "a scale for integers, of any value"),
    (r"^tex\.a?cube.*%s32_1;", "an integer as the value to compare depths with"),
    (r"^wgmma.*, \{%b32_0, %b32_0\}, [01], %p1", "metadata in a list of two registers"),
    (r"^st\.async\S*bytes\.f32 .*\{%f32_1, %f32_2\}", "two f32 registers without .v2"),
    (r"^ldu.*\{_,_,_,_\}", "a list of sinks alone"),
    (r"\{5\.0, 0f3f800000\}|\{0f3f800000, 5\.0\}", "float constants of two notations, and nothing else"),
]

ODDLY_ACCEPTED = [  # by no text of the ISA
    (r"\.f(32|64)\b.*(%[su]\d+_|%f16x2)", "elements or neighbors of another class"),
    (r"\.[su](8|16|32|64)\b.*(%f\d+_|\d\.0|0[fd])", "elements or neighbors of another class"),
    (r"\.f32\b.*%f64_", "elements of another width and class"),
    (r"\.f(32|64)\b.*(\{5,|, 5\})", "integers among floats"),
    (r"^(wgmma|tcgen05\.ld).*\{.*\b_[,}]|^tcgen05\.st.*\{%tid", "an element that ptxas refuses only when it makes code"),
]


def repeated(line):
    return re.sub(r"(%\w+)\*(\d+)", lambda m: ", ".join([m[1]] * int(m[2])), line)


def expand(line):
    found = re.search(r"\((?:[^()]*\|)+[^()]*\)", line)
    if not found:
        return [repeated(line)]
    return [out for word in found[0][1:-1].split("|") for out in expand(line[: found.start()] + word + line[found.end() :])]


def lines():
    """Every line with the target on which it is checked."""
    target, found = "sm_100a", {}
    for line in (HERE / "../test/golden" / sys.argv[1] / "lines.txt").read_text().splitlines():
        chosen = re.match(r"# on (sm_\w+)", line)
        if chosen:
            target = chosen[1]
        elif line.strip() and not line.startswith("#"):
            for one in expand(line.strip()):
                found.setdefault(one, target)
    return found


def quirk(line, rows):
    return next((why for pattern, why in rows if re.search(pattern, line)), None)


def emit(line, said, version, target):
    case = {"version": base.dotted(version), "target": target, "decls": base.declarations(version, target), "inst": line, "ok": not said}
    if said:
        case["msg"] = said[0]
    if said and said[0].startswith("ended with"):
        case["quirk"] = "ptxas crashed"
    elif quirk(line, QUIRKS):
        case["quirk"] = quirk(line, QUIRKS)
    elif not said and quirk(line, ODDLY_ACCEPTED):
        case["quirk"] = quirk(line, ODDLY_ACCEPTED)
    print(json.dumps(case))


def boundaries(chosen):
    """Prints the verdicts on the chosen lines, for each target only at its first version and around each change."""
    pairs = [(v, t) for t in base.FIRST for v in base.VERSIONS if v >= base.FIRST[t]]
    with ThreadPoolExecutor(4) as pool:
        judged = dict(zip(pairs, pool.map(lambda pair: base.judge(chosen, *pair), pairs)))
    for i, line in enumerate(chosen):
        for target, first in base.FIRST.items():
            versions = [v for v in base.VERSIONS if v >= first]
            fits = [v for v in versions if "b128_" not in line or base.declarations(v, target) == "wide"]
            for place, version in enumerate(fits):
                near = [v for v in fits[max(0, place - 1) : place + 2]]
                verdicts = {bool(judged[v, target][i]) for v in near}
                if place == 0 or len(verdicts) > 1:
                    emit(line, judged[version, target][i], version, target)


def main():
    everything = lines()
    print(json.dumps({"module": base.MODULE, "decls": base.DECLARATIONS}))
    said = {}
    for target in dict.fromkeys(everything.values()):
        said.update(verdicts([line for line, on in everything.items() if on == target], target))
    for line, target in everything.items():
        emit(line, said[line], 900, target)
    firsts = {}
    for line in everything:
        if not said[line] or re.match("redux", line):
            mnemonic = re.sub(r"^@\S+ ", "", line).split(" ")[0]
            firsts.setdefault((mnemonic, "}|" in line), line)
    rules = set()
    chosen = [line for (mnemonic, pair), line in firsts.items() if not shared_rule(mnemonic + " |p" * pair, rules)]
    boundaries(chosen)


def verdicts(lines, target):
    """The messages of ptxas about each line. Accepted lines are checked again without the others, because ptxas looks
    for some errors only if it has found no other errors.
    """
    said = dict(zip(lines, base.judge(lines, 900, target)))
    while True:
        accepted = [line for line in lines if not said[line]]
        again = dict(zip(accepted, base.judge(accepted, 900, target)))
        said.update(again)
        if not any(again.values()):
            return said


def shared_rule(mnemonic, seen):
    """Whether a mnemonic differs from an earlier one only in parts, such as matrix shapes, that share one rule."""
    if re.match(r"v(add|sub|absdiff|min|max|shl|shr|mad|set|avrg)", mnemonic):
        rule = mnemonic.split(".")[0]
    elif mnemonic.startswith("wgmma"):
        rule = re.sub(r"\.m64n\d+", "", mnemonic)
    elif mnemonic.startswith("tcgen05"):
        rule = re.sub(r"\.(\d+x\d+b|x\d+|cta_group::\d|aligned|sync|collector::\w+::\w+)\b", "", mnemonic)
    elif re.match(r"su(ld|st|red)|t(ex|ld4)", mnemonic):
        rule = re.sub(r"\.(2d|v2|v4|b8|b16|u32|s32|and|or|max|g|b|a)(?=\.|$)", "", mnemonic)
    else:
        return False
    known = rule in seen
    seen.add(rule)
    return known


if __name__ == "__main__":
    main()
