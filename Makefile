# Entry points for people and for CI; the build itself is CMake's (CMakePresets.json).
CLANG_TIDY ?= clang-tidy-16
JOBS := $(shell nproc)
SOURCE_DIRS := $(wildcard src include tests bench fuzz examples)
SOURCES = $(shell find $(SOURCE_DIRS) -name '*.h' -o -name '*.inl' -o -name '*.cpp' -o -name '*.cu' -o -name '*.js' -o -name '*.mjs')

.DEFAULT_GOAL := build
.PHONY: help setup build arm64 test-arm64 clang test-clang cuda gpu-kit package package-arm64 check-package install uninstall demo test test-fast python python-examples docs site check-cuda planted-bugs check-format deep asan tsan fuzz bench lint format clean

help: ## list the targets
	@sed -nE 's/^([a-z -]+):.*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## install the Debian packages that are missing
	@tools/setup.sh

# A line of progress: what is done, the time that it took, and how many files are left.
export NINJA_STATUS = [%p, %e s, %u files left] 

build: setup ## the program, build/release/skald
	@[ -e build/release/skald ] || echo "building: 8 to 12 minutes on two cores, once; what has not changed is never built again"
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target skald_main

arm64: setup ## the program for 64-bit Arm, build/arm64/skald, by a cross compiler
	@tools/setup.sh --arm64
	cmake --preset arm64
	cmake --build --preset arm64 -j $(JOBS) --target skald_main

test-arm64: setup ## 64-bit Arm on processors that qemu emulates: kernels on every tier, golden models, and equal bits
	@tools/setup.sh --arm64
	cmake --preset arm64 -DSKALD_BUILD_TESTS=ON
	cmake --build --preset arm64 -j $(JOBS) --target skald_main test_base test_kernels test_models test_backend test_stepping
	tests/arm64.sh build/arm64

clang: setup ## the program by Clang 16 and libc++, build/clang/skald
	@tools/setup.sh --clang
	cmake --preset clang
	cmake --build --preset clang -j $(JOBS) --target skald_main

test-clang: setup ## what compilers may disagree about, by Clang 16 and libc++: base, kernels on every tier, and golden models
	@tools/setup.sh --clang
	cmake --preset clang -DSKALD_BUILD_TESTS=ON
	cmake --build --preset clang -j $(JOBS) --target skald_main test_base test_base_portable test_kernels test_models
	ctest --preset clang -R '^(base|base_portable|kernels|kernels_slow|check_tier_symbols)$$' -j $(JOBS) --no-tests=error
	build/clang/tests/test_models --gtest_brief=1 --gtest_filter='*Golden*-*Gpu*'

cuda: setup ## the program with the device cuda, build/cuda/skald; needs nvcc
	cmake --preset cuda
	cmake --build --preset cuda -j $(JOBS) --target skald_main

gpu-kit: setup ## a folder below 64 MiB, build/gpu-kit/kit, that tests and measures a card on a machine with glibc and a driver
	cmake --preset cuda -B build/gpu-kit "-DSKALD_CUDA_ARCHITECTURES=80;90a" -DSKALD_BUILD_TESTS=ON
	cmake --build build/gpu-kit -j $(JOBS) --target skald_main skald_gpu_trials test_backend test_models
	tools/gpu_kit.sh build/gpu-kit build/gpu-kit/kit

package: setup ## packages in build/package: a tarball and wheels for all of Linux with glibc 2.28 or newer, and a .deb; on Debian 12
	@tools/setup.sh --package
	JOBS=$(JOBS) packaging/dependencies.sh build/dependencies
	JOBS=$(JOBS) packaging/python.sh build/python-3.13
	cmake --preset portable
	cmake --build --preset portable -j $(JOBS) --target skald_main skald_manual
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target skald_main skald_manual
	rm -rf build/package
	cd build/portable && cpack --config CPackConfig.cmake -B $(CURDIR)/build/package
	cd build/release && cpack --config CPackConfig.cmake -B $(CURDIR)/build/package
	rm -rf build/package/_CPack_Packages
	packaging/wheel.sh build/portable build/package

package-arm64: setup ## the tarball and wheels for 64-bit Arm in build/package, beside those of make package
	@tools/setup.sh --arm64 --package
	JOBS=$(JOBS) packaging/dependencies.sh build/arm64-dependencies aarch64-linux-gnu
	JOBS=$(JOBS) packaging/python.sh build/python-3.13
	cmake --preset portable-arm64
	cmake --build --preset portable-arm64 -j $(JOBS) --target skald_main skald_manual
	cd build/portable-arm64 && cpack --config CPackConfig.cmake -B $(CURDIR)/build/package
	rm -rf build/package/_CPack_Packages
	packaging/wheel.sh build/portable-arm64 build/package aarch64

check-package: ## the packages in bare roots of several Debians; as root, with debootstrap
	tests/packaging/bare_roots.sh build/package build/release/skald

PREFIX = /usr/local
install: build ## the program, the library twice and its headers, into PREFIX (/usr/local)
	cmake --build --preset release -j $(JOBS) --target src/all
	cmake --install build/release --prefix $(PREFIX)
	@ldconfig 2>/dev/null || echo "install: not as root: programs find libskald.so once root has run ldconfig, or by LD_LIBRARY_PATH"

uninstall: ## remove what the last install put there
	cmake -D MANIFEST=build/release/install_manifest.txt -P cmake/Uninstall.cmake

demo: build ## build, then let the built-in model tell a story
	build/release/skald run -p "Once upon a time"

test: setup ## build everything and run all tests
	@[ -e build/release/tests/test_base ] || echo "building: 12 to 16 minutes on two cores, once; the tests then take 5 to 10"
	@tools/setup.sh --python || echo "test: without the modules of Python's index, tests of the Python package are left out"
	cmake --preset release -DSKALD_BUILD_TESTS=ON $(WITH_PYTHON)
	cmake --build --preset release -j $(JOBS)
	ctest --test-dir build/release -j $(JOBS) --output-on-failure

PYTHON_VENV = $(CURDIR)/build/python-venv
# Options of CMake: the Python package, where the modules that it takes are there.
WITH_PYTHON = $$([ -e $(PYTHON_VENV)/modules ] && echo -DSKALD_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON_VENV)/bin/python)

python: setup ## the Python package as a wheel, build/wheels/skald-*.whl
	@tools/setup.sh --python
	build/python-venv/bin/pip wheel . --no-deps --no-build-isolation -w build/wheels

python-examples: setup ## the examples of the Python package with LangChain, LlamaIndex and others; gets 600 MB of modules
	@tools/setup.sh --python-examples
	cmake --preset release $(WITH_PYTHON)
	cmake --build --preset release -j $(JOBS) --target skald_python
	PYTHONPATH=build/release/python build/python-venv/bin/python -m pytest python/tests

test-fast: setup check-format ## formatting, and the tests that take under a minute together
	cmake --preset release -DSKALD_BUILD_TESTS=ON
	cmake --build --preset release -j $(JOBS)
	ctest --test-dir build/release -L fast -j $(JOBS) --output-on-failure

deep: setup ## before an issue is resolved, an hour: linters on what changed, sanitizers on kernels, backend and engine, all fuzz targets, 64-bit Arm, Clang
	.ci/deep

TARGETS = all
TESTS = .*
WATCH = ON
asan tsan: setup ## all tests under the address and undefined-behaviour sanitizers, or the thread sanitizer; TIERS="scalar;avx2": those kernels only; WATCH=OFF: none watched
	cmake --preset $@ -DSKALD_TIERS="$(TIERS)" -DSKALD_BUILD_TESTS=ON -DSKALD_WATCH_KERNELS=$(WATCH)
	cmake --build --preset $@ -j $(JOBS) --target $(TARGETS)
	ctest --preset $@ -j $(JOBS) --no-tests=error -R '^($(TESTS))$$'

fuzz: setup ## all fuzz targets, build/fuzz/fuzz/*_fuzz, with Clang 16
	@tools/setup.sh --fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS)

bench: ## the kernel benchmarks, build/release/bench/skald_bench_kernels
	@tools/setup.sh --bench
	cmake --preset release -DSKALD_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS) --target skald_bench_kernels

FILES = src/.*\.cpp
lint: check-format ## formatting (clang-format) and names, bugs and waste (clang-tidy); FILES="src/a.cpp src/b.cpp": of those only
	@tools/setup.sh --lint
	cmake --preset release -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DSKALD_ROOMS=OFF
	run-$(CLANG_TIDY) -clang-tidy-binary $(CLANG_TIDY) -p build/lint -quiet -j $(JOBS) $(foreach file,$(FILES),'^$(CURDIR)/$(file)$$')

docs: build ## write anew the pages that are made: docs/cli.md by the program, docs/performance*.md from bench/runs
	build/release/skald man -o md > docs/cli.md
	bench/performance_page.py

site: ## a site of docs/, build/site, with MkDocs
	@tools/setup.sh --site
	build/site-venv/bin/mkdocs build --strict

check-format: ## whether all sources are formatted
	@tools/setup.sh --format
	@clang-format --dry-run -Werror $(SOURCES)

check-cuda: build ## every kernel for GPUs by nvcc, for all architectures, and its instructions; a test does so for some
	tools/setup.sh --cuda
	python3 tests/check_cuda.py --all . build/release/gen

planted-bugs: build ## bugs in kernels for GPUs, planted one at a time: tests find each, in ten minutes
	cmake --preset release -DSKALD_BUILD_TESTS=ON
	cmake --build --preset release -j $(JOBS) --target test_kernels
	python3 tests/planted_bugs.py build/release

format: ## reformat all sources in place
	@tools/setup.sh --format
	clang-format -i $(SOURCES)

clean: ## remove the build folder
	rm -rf build
