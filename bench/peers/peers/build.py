"""Getting the peers: llama.cpp from its package on PyPI, built here; other engines are found where they were built."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = ("llama-bench", "llama-batched-bench")
AVX2_ONLY = ("-DGGML_NATIVE=OFF", "-DGGML_AVX2=ON", "-DGGML_FMA=ON", "-DGGML_F16C=ON", "-DGGML_AVX512=OFF",
             "-DGGML_AVX512_VNNI=OFF", "-DGGML_AVX512_VBMI=OFF", "-DGGML_AVX512_BF16=OFF")


class BuildError(Exception):
    pass


def say(text):
    print(text, file=sys.stderr, flush=True)


def find(path):
    """llama-bench of `path`, which is that program or a folder where it was built."""
    path = Path(path).expanduser()
    for candidate in (path, path / "bin" / PROGRAMS[0], path / PROGRAMS[0]):
        if candidate.is_file():
            return candidate.resolve()
    raise BuildError(f"{path}: neither llama-bench nor a folder where it was built")


def build_llama(work, version, avx2):
    """llama.cpp's llama-bench, built from its package unless that was done before, and the package's name and version."""
    source, package = download_llama(work, version)
    folder = work / f"build-{package}{'-avx2' if avx2 else ''}"
    run_cmake(source, folder, avx2)
    return find(folder), package


def run_cmake(source, folder, avx2):
    say(f"building {source} in {folder}")
    run(cmake_configure(source, folder, avx2, shutil.which))
    run(["cmake", "--build", str(folder), "--parallel", str(os.cpu_count()), "--target", *PROGRAMS])


def cmake_configure(source, folder, avx2, which):
    """`which` finds a program's path, or None."""
    command = ["cmake", "-S", str(source), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DLLAMA_CURL=OFF",
               "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_SERVER=OFF", *(AVX2_ONLY if avx2 else ("-DGGML_NATIVE=ON",))]
    if which("ninja"):
        command += ["-G", "Ninja"]
    if which("ccache"):
        command += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    return command


def run(command):
    """Output goes to stderr, where it is of use when the command fails."""
    try:
        subprocess.run(command, check=True, stdout=sys.stderr)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(str(error)) from error


def download_llama(work, version):
    """The folder of llama.cpp's source, from the package llama-cpp-python, and that package's name and version. `version` is
    the one wanted, None the newest."""
    folder = work / "download"
    if not package_of(folder, version):
        say("downloading llama-cpp-python")
        wanted = "llama-cpp-python" + (f"=={version}" if version else "")
        run([sys.executable, "-m", "pip", "download", wanted, "--no-deps", "--no-binary", "llama-cpp-python", "-d", str(folder)])
    package = package_of(folder, version)
    if not package:
        raise BuildError(f"{folder}: no llama-cpp-python was downloaded")
    source = folder / package.name.removesuffix(".tar.gz")
    if not source.exists():
        half = folder / "unpacking"  # so that what was interrupted is not taken for the whole
        half.mkdir(exist_ok=True)
        run(["tar", "-xzf", str(package), "-C", str(half)])
        (half / source.name).rename(source)
    return source / "vendor" / "llama.cpp", source.name


def version_of(skald):
    """What the program says that it is, and of which commit: "0.1.0 93ce5b2"."""
    if not skald.is_file():
        raise BuildError(f"{skald}: no such program; see --skald")
    said = subprocess.run([str(skald), "--version"], capture_output=True, text=True, check=True).stdout
    return " ".join(re.findall(r"^(?:skald|commit) (\S+)$", said, re.MULTILINE))


def package_of(folder, version):
    """The newest package in the folder, or that of the version."""
    def number(path):
        return [int(part) for part in re.findall(r"\d+", path.name.removesuffix(".tar.gz"))]

    found = sorted(folder.glob(f"llama_cpp_python-{version or '*'}.tar.gz"), key=number)
    return found[-1] if found else None
