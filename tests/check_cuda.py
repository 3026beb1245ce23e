#!/usr/bin/env python3
"""Compiles every kernel for GPUs with nvcc, for the architectures that Skald supports, and fails where one does not compile or
spills registers to memory. Compiles what uses CUDA of the device, too: builds without SKALD_CUDA leave it out.

usage: check_cuda.py <repository root> <folder of generated headers>
       check_cuda.py --self-test

Half of the files are compiled, for one of the architectures that Skald supports, both drawn by the commit; with --all each file
for each of them. nvcc is that of $CUDA_HOME/bin or of PATH; without one, a line says that the check is skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ARCHITECTURES = ("80", "90a", "100")
FUNCTION = re.compile(r"Compiling entry function '(\S+)' for 'sm_(\w+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")


def find_nvcc():
    home = os.environ.get("CUDA_HOME")
    return shutil.which("nvcc", path=f"{home}/bin") if home else shutil.which("nvcc")


def faults(report):
    """One message for each kernel of ptxas' report that has memory of its own."""
    kernel = "?"
    for line in report.splitlines():
        if match := FUNCTION.search(line):
            kernel = f"{match[1]} for sm_{match[2]}"
        if (match := SPILLS.search(line)) and any(int(n) for n in match.groups()):
            yield f"{kernel}: {match[0]}"


def includes(root, generated):
    return ["-I", root, "-I", root / "src", "-I", root / "include", "-I", generated]


def commit_number(root):
    done = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True)
    return int(done.stdout, 16) if done.returncode == 0 else 0


def compiled(nvcc, root, generated, source, architectures):
    """What is wrong with a file."""
    targets = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in architectures]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([nvcc, "-std=c++20", "-O3", "--extended-lambda", "--expt-relaxed-constexpr", "-Xptxas", "-v", *targets, "-c", *includes(root, generated), "-o", f"{folder}/out", source],
                              capture_output=True, text=True)
    where = source.relative_to(root)
    if done.returncode:
        return [f"{where}: {done.stderr.strip()}"]
    kernels = len(FUNCTION.findall(done.stderr))
    return [f"{where}: {fault}" for fault in faults(done.stderr)] or ([] if kernels else [f"{where}: there is no kernel in it"])


def host_compiled(nvcc, root, generated, source):
    """What is wrong with a file of the host that uses CUDA."""
    done = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *includes(root, generated),
                           "-isystem", Path(nvcc).resolve().parent.parent / "include", source], capture_output=True, text=True)
    return [f"{source.relative_to(root)}: {done.stderr.strip()}"] if done.returncode else []


def self_test():
    good = "ptxas info    : Compiling entry function 'f' for 'sm_80'\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    bad = good.replace("'f'", "'g'").replace("0 bytes spill loads", "16 bytes spill loads")
    assert list(faults(good)) == []
    assert list(faults(good + bad)) == ["g for sm_80: 0 bytes stack frame, 0 bytes spill stores, 16 bytes spill loads"]


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    nvcc = find_nvcc()
    if not nvcc:
        print("skipped: no nvcc")
        return 0
    every = arguments[0] == "--all"
    root, generated = map(Path, arguments[-2:])
    sources = sorted(path for pattern in ("src/kernels/gpu/*.cu", "bench/gpu/*.cu", "src/backend/cuda/*.cpp", "bench/gpu/*.cpp") for path in root.glob(pattern))

    drawn = commit_number(root)
    if not every:
        sources = sources[drawn % 2::2]

    def check(number, source):
        if source.suffix != ".cu":
            return host_compiled(nvcc, root, generated, source)
        one = ARCHITECTURES[(drawn + number) % len(ARCHITECTURES)]
        return compiled(nvcc, root, generated, source, ARCHITECTURES if every else [one])

    with ThreadPoolExecutor(2) as pool:
        found = [fault for of_file in pool.map(check, range(len(sources)), sources) for fault in of_file]
    for fault in found:
        print(fault)
    print(f"check_cuda: {len(found)} faults in {len(sources)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
