#!/usr/bin/env python3
"""Compiles every kernel for GPUs with nvcc, for the architectures that Skald supports, and fails where one does not compile,
spills registers to memory, or lacks an instruction that its file promises: a line "// SASS of <kernels>: <instructions>.".
Compiles what uses CUDA of the device, too: builds without SKALD_CUDA leave it out.

usage: check_cuda.py <repository root> <folder of generated headers>
       check_cuda.py --self-test

Half of the files are compiled, for one of the architectures that Skald supports, both drawn by the commit; with --all each file
for each of them. nvcc is that of $CUDA_HOME/bin or of PATH; without one, a line says that the check is skipped. nvdisasm, which
shows instructions, is likewise there, or in build/cuda-venv (tools/setup.sh --cuda); without one, no instruction is looked for.
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


PROMISE = re.compile(r"^// SASS of (.+?): (.+)\.$", re.MULTILINE)  # each instruction the beginning of one: of the kernels of a template, too
SECTION = re.compile(r"^\.text\.(\S+):")
INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")


def find_tool(name, root=None):
    home = os.environ.get("CUDA_HOME")
    found = shutil.which(name, path=f"{home}/bin") if home else None
    own = sorted(root.glob(f"build/cuda-venv/lib/python*/site-packages/nvidia/*/bin/{name}")) if root else []
    return found or shutil.which(name) or (str(own[0]) if own else None)


def promises(text):
    """Kernels of a file, and the instructions that each has."""
    for kernels, instructions in PROMISE.findall(text):
        yield kernels.split(", "), instructions.split(", ")


def instructions_of(disassembly):
    """By kernel, as its name is mangled."""
    out, kernel = {}, None
    for line in disassembly.splitlines():
        if match := SECTION.match(line):
            kernel = out.setdefault(match[1], set())
        elif kernel is not None and (match := INSTRUCTION.match(line)):
            kernel.add(match[1])
    return out


def broken_promises(text, disassembly):
    """One message for each kernel that lacks an instruction."""
    found = instructions_of(disassembly)
    for kernels, wanted in promises(text):
        for name in kernels:
            alike = {mangled: has for mangled, has in found.items() if re.search(rf"{len(name)}{name}(?![a-z_])", mangled)}
            if not alike:
                yield f"there is no kernel {name}"
            for mangled, has in alike.items():
                for instruction in wanted:
                    if not any(one.startswith(instruction) for one in has):
                        yield f"{mangled}: no {instruction}"


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


def compiled(tools, root, generated, source, architecture):
    """What is wrong with a file."""
    nvcc, nvdisasm = tools
    disassembly = None
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([nvcc, "-std=c++20", "-O3", "--extended-lambda", "--expt-relaxed-constexpr", "-Xptxas", "-v", "-cubin", f"-arch=sm_{architecture}", *includes(root, generated), "-o", f"{folder}/out", source],
                              capture_output=True, text=True)
        if nvdisasm and not done.returncode:
            disassembly = subprocess.run([nvdisasm, "-c", f"{folder}/out"], check=True, capture_output=True, text=True).stdout
    where = source.relative_to(root)
    if done.returncode:
        return [f"{where}: {done.stderr.strip()}"]
    kernels = len(FUNCTION.findall(done.stderr))
    found = list(faults(done.stderr)) or ([] if kernels else ["there is no kernel in it"])
    if disassembly:
        found += [f"for sm_{architecture}: {fault}" for fault in broken_promises(source.read_text(), disassembly)]
    return [f"{where}: {fault}" for fault in found]


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
    text = "// A file.\n// SASS of few, many: IMMA, LDG.E.128.\n"
    shown = ".text._ZN3gpu3fewILi8EEEv4Args:\n        /*0010*/                   IMMA.16832.S8.S8 R4, R8, R12, RZ ;\n        /*0020*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;\n"
    assert list(broken_promises(text, shown)) == ["there is no kernel many"]
    assert list(broken_promises(text, shown + ".text._ZN3gpu4manyE4Args:\n        /*0010*/                   LDG.E.128 R4, [R2] ;\n")) == ["_ZN3gpu4manyE4Args: no IMMA"]


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    nvcc = find_tool("nvcc")
    if not nvcc:
        print("skipped: no nvcc")
        return 0
    every = arguments[0] == "--all"
    root, generated = map(Path, arguments[-2:])
    nvdisasm = find_tool("nvdisasm", root)
    if not nvdisasm:
        print("no nvdisasm: instructions are not looked for")
    sources = sorted(path for pattern in ("src/kernels/gpu/*.cu", "bench/gpu/*.cu", "src/backend/cuda/*.cpp", "bench/gpu/*.cpp") for path in root.glob(pattern))

    drawn = commit_number(root)
    if not every:
        sources = sources[drawn % 2::2]

    def check(number, source):
        if source.suffix != ".cu":
            return host_compiled(nvcc, root, generated, source)
        one = ARCHITECTURES[(drawn + number) % len(ARCHITECTURES)]
        return [fault for a in (ARCHITECTURES if every else [one]) for fault in compiled((nvcc, nvdisasm), root, generated, source, a)]

    with ThreadPoolExecutor(2) as pool:
        found = [fault for of_file in pool.map(check, range(len(sources)), sources) for fault in of_file]
    for fault in found:
        print(fault)
    print(f"check_cuda: {len(found)} faults in {len(sources)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
