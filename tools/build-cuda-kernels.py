#!/usr/bin/env python3
"""Rebuilds the data of test/kernels/cuda.slow.test.ts: PTX compiled by nvcc, and expected results produced with g++.

    tools/build-cuda-kernels.py [NAME ...]

Needs nvcc 13.0 (or the compiler named by NVCC), g++ with C++20, and the toolkit's headers. The line
`// build: TAG OPTIONS` in NAME.cu requests NAME.TAG.ptx. g++ compiles the same source to a host program
(host/kernel.h), which runs the kernels and prints NAME.jsonl. In this program, threads are fibers, and half, bf16 and
fp8 arithmetic is that of the toolkit's host headers. Both compilers are told not to contract products and sums into
fma, so only an explicit fmaf becomes an fma.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / 'test' / 'kernels' / 'cuda'
NVCC = os.environ.get('NVCC', 'nvcc')


def toolkit_headers() -> str:
    nvcc = shutil.which(NVCC)
    dryrun = subprocess.run([NVCC, '--dryrun', '-E', '-x', 'cu', '/dev/null'], capture_output=True, text=True)
    for line in dryrun.stderr.splitlines():
        found = re.match(r'#\$ INCLUDES="-I(.*?)"', line)
        if found:
            return found[1]
    return str(pathlib.Path(nvcc or '').resolve().parent.parent / 'include')


def without_paths(ptx: str) -> str:
    """Removes the full path, size and date of files from line tables."""
    return re.sub(r'(?m)^(\s*\.file\s+\d+ )"(?:[^"]*/)?([^"/]+)".*$', r'\1"\2"', ptx)


def build_ptx(source: pathlib.Path) -> None:
    # Debug sections contain the path of the folder, so every build uses the same one.
    neutral = pathlib.Path(tempfile.gettempdir()) / 'ptxlab-kernels'
    shutil.copytree(FOLDER, neutral, dirs_exist_ok=True)
    for tag, options in re.findall(r'(?m)^// build: (\S+) (.*)$', source.read_text()):
        target = source.with_suffix(f'.{tag}.ptx')
        command = [NVCC, *options.split(), '-w', '-ptx', source.name, '-o', target.name]
        subprocess.run(command, cwd=neutral, check=True)
        target.write_text(without_paths((neutral / target.name).read_text()))
        print(f'{target.name}: {len(target.read_bytes())} bytes')


def record(source: pathlib.Path, headers: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'program')
        options = ['-std=c++20', '-O1', '-w', '-ffp-contract=off', '-DPTXLAB_HOST', f'-isystem{headers}']
        subprocess.run(['g++', *options, '-x', 'c++', source.name, '-o', program], cwd=FOLDER, check=True)
        lines = subprocess.run([program], capture_output=True, check=True, text=True).stdout
    source.with_suffix('.jsonl').write_text(lines)
    print(f'{source.stem}.jsonl: {lines.count(chr(10))} cases, {len(lines)} bytes')


def main(names: list[str]) -> None:
    headers = toolkit_headers()
    for source in sorted(FOLDER.glob('*.cu')):
        if names and source.stem not in names:
            continue
        record(source, headers)
        build_ptx(source)


if __name__ == '__main__':
    main(sys.argv[1:])
