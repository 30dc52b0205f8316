#!/usr/bin/env python3
"""Records what later compilers say about instructions of PTX 9.1 to 9.4.

Usage: python3 tools/record-legality-later.py PTXAS NVJITLINK | gzip -9n > test/golden/legality-later/cases.jsonl.gz
PTXAS is ptxas 13.3, which supports versions up to 9.3, and NVJITLINK is the libnvJitLink.so of CUDA 13.4, which
supports 9.4. Every line of lines.txt is checked at all of these versions on many targets. For each target, the output
contains the verdict at the first version, and the verdicts on both sides of each change. lines.txt is written as
described in record-legality-more.py.
"""
import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("record_legality_more", HERE / "record-legality-more.py")
more = importlib.util.module_from_spec(spec)
spec.loader.exec_module(more)
base = more.base

base.VERSIONS = [901, 902, 903, 904]
base.FIRST = {
    target: 904 if "107" in target else 901
    for target in (
        "sm_80 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103a sm_107 sm_107a sm_107f "
        "sm_110a sm_120 sm_120a sm_120f sm_121a"
    ).split()
}


def compiler(version, target, path):
    if version >= 904:
        return [sys.executable, str(HERE / "nvjitlink.py"), sys.argv[2], target, path]
    return [sys.argv[1], "-arch", target.replace("sm_", "compute_"), "-O0", "-o", "/dev/null", path]


base.compiler = compiler


def main():
    text = (HERE / "../test/golden/legality-later/lines.txt").read_text()
    written = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    lines = list(dict.fromkeys(one for line in written for one in more.expand(line)))
    print(more.json.dumps({"module": base.MODULE, "decls": base.DECLARATIONS}))
    more.boundaries(lines)


if __name__ == "__main__":
    main()
