#!/usr/bin/env python3
"""Rebuild what test/kernels/cuda.test.ts reads: PTX of every .cu there by nvcc, expected results by g++.

    tools/build-cuda-kernels.py [NAME ...]

Needs nvcc 13.0 (or what NVCC names), g++ with C++20, and the toolkit's headers. A line `// build: TAG OPTIONS` in a .cu
asks for NAME.TAG.ptx. The host program that g++ makes of the same file (host/kernel.h) runs the kernels with threads as
fibers, with half, bf16 and fp8 arithmetic of the toolkit's host headers, and prints NAME.jsonl. Contraction into fma is
off on both sides, so that only a written fmaf is one.
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
    """Line tables name files by their full path, size and date, which is nobody's business."""
    return re.sub(r'(?m)^(\s*\.file\s+\d+ )"(?:[^"]*/)?([^"/]+)".*$', r'\1"\2"', ptx)


def build_ptx(source: pathlib.Path) -> None:
    # Debug sections hold the folder byte by byte: it is the same one whoever builds.
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
