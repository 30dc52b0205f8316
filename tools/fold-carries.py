#!/usr/bin/env python3
"""Records how ptxas folds chains of instructions in which each passes a carry to the next.

Usage: python3 tools/fold-carries.py > test/golden/folded-values/carries.jsonl
Needs ptxas 13.0 on the path; the tests do not. Each line contains a chain with constant sources, and the last result of
the chain. A chain is kept only if ptxas folded all of it (tools/fold-values.py explains how this is detected).
"""
import importlib.util
import json
import os
import random

spec = importlib.util.spec_from_file_location("fold_values", os.path.join(os.path.dirname(__file__), "fold-values.py"))
values = importlib.util.module_from_spec(spec)
spec.loader.exec_module(values)

random.seed(31)
CHAINS = 600


def step(width, reads, writes):
    opcode = random.choice(["add", "sub", "mad"])
    half = random.choice([".lo", ".hi"]) if opcode == "mad" else ""
    name = f"{opcode}{'c' if reads else ''}{half}{'.cc' if writes else ''}.u{width}"
    register = values.LETTER[width]
    sources = [str(values.value(str(width))) for _ in range(3 if opcode == "mad" else 2)]
    return f"{name} %{register}0, {', '.join(sources)};"


def chain():
    width = random.choice([32, 32, 64])
    middle = [step(width, True, True) for _ in range(random.randrange(3))]
    return " ".join([step(width, False, True), *middle, step(width, True, False)]), width


def main():
    chains = [chain() for _ in range(CHAINS)]
    for (text, width), result in zip(chains, values.fold(chains)):
        if result is not None:
            print(json.dumps({"chain": text, "width": width, "result": f"{result:x}"}))


if __name__ == "__main__":
    main()
