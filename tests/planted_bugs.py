#!/usr/bin/env python3
"""Plants bugs in kernels for GPUs, one at a time, and fails where the kernel's tests on the host do not find one.

usage: planted_bugs.py <build folder> [part of a bug's name ...]
       planted_bugs.py --places       only looks whether each bug still has its place

A bug is found by wrong results or by a report of the host's machine; races by the thread sanitizer, and what lies outside of
memory by the address sanitizer. Each kind of build is tried first without a bug. The folder has the libraries of a built tree.
"""
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "src/kernels/gpu"
FLAGS = "-std=c++20 -O1 -g1 -w -ffp-contract=off -DFMT_SHARED -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL -DSPDLOG_SHARED_LIB".split()
ADDRESS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# How kernels and tests, and how the host's machine are compiled: it is no race itself.
MODES = {"plain": ([], []), "address": (ADDRESS, ADDRESS), "thread": (["-fsanitize=thread"], ["-DSKALD_WATCHES_THREADS"])}
LIBRARIES = ("backend", "graph", "kv", "kernels", "quant", "tensor", "base", "io")
# The tests of a kernel file, which some have two of, and those of them that are tried.
OF_SPARSE = "GpuSparq.AttendsToTheBestKeys*:GpuSparq.ReadsFloats*:GpuSparq.AgreesForEvery*:GpuSparq.AgreesAfter*:GpuSparq.Gives*:GpuSparq.Measures*:GpuSparq.*Pages*"
TESTS = {
    "attention_parts.cu": ("attention_test.cpp", "*GpuAttention.*/0:*GpuAttention.*/5:*GpuAttention.*/9:*GpuAttention.*/10:*GpuAttention.*/12:*GpuAttention.*/15:*GpuAttentionOrders*/0"),
    "attention_tiles.cu": ("attention_test.cpp", "*GpuAttention.*/0:*GpuAttention.*/8:*GpuAttention.*/9:*GpuAttention.*/10:*GpuAttention.*/11:*GpuAttention.*/12:*GpuAttention.*/15:*GpuAttentionOrders*/0"),
    "code_products.cu": ("products_test.cpp", "*/q8_0*:*/q4_k*"),
    "half_products.cu": ("products_test.cpp", "*/f16*"),
    "row_forms.cu": ("products_test.cpp", "*/q8_0*:*/q4_k*:*/f16*"),
    "norms.cu": ("row_forms_test.cpp", "*"),
    "elementwise.cu": ("row_forms_test.cpp", "*"),
    "kv_append.cu": ("rope_append_test.cpp", "*"),
    "experts.cu": ("sort_experts_test.cpp", "*"),
    "attention_chosen.cu": ("gpu_sparq_test.cpp", OF_SPARSE),
    "sparq_scores.cu": ("gpu_sparq_test.cpp", OF_SPARSE),
    "sparq_ranks.cu": ("gpu_sparq_test.cpp", OF_SPARSE),
    "index_append.cu": ("gpu_sparq_test.cpp", OF_SPARSE + ":GpuSparq.ReadsEvery*"),
    "best_tokens.cu": ("best_tokens_test.cpp", "*"),
    "kv_append.cu, blocks": ("gpu_sparq_test.cpp", "GpuSparq.ReadsEvery*"),
}


def kernel_of(name):
    return name.split(",")[0]


@dataclass
class Bug:
    name: str
    file: str
    old: str
    new: str
    mode: str = "plain"
    within: str = ""  # the file that it is in, where that is one which the kernel's file includes

    @property
    def place(self):
        return self.within or kernel_of(self.file)


PARTS, TILES, CODES, HALVES, FORMS, NORMS, ELEMENTS, STORE, EXPERTS, CHOSEN, SCORES, RANKS, APPEND, BEST, STORE_BLOCKS = TESTS
OF_PARTS, COMPONENTS, CACHE, BLOCKS, ROWS = "attention_parts.inl", "sparq_components.inl", "cache.inl", "cache_blocks.inl", "cached_halves.inl"
OF_FORMS, OF_PRODUCTS, OF_CODES, OF_HALVES, PARTS_KERNEL = "row_forms.inl", "fragments.h", "code_products.inl", "half_products.inl", "attention_parts_kernel.inl"
BUGS = [
    Bug("values are met before they are there", PARTS, "  simt::copy_wait<0>();\n", "", within=OF_PARTS),
    Bug("a warp's lanes do not wait for each other's values", PARTS, "  simt::copy_wait<0>();\n  simt::sync_warp();\n", "  simt::copy_wait<0>();\n", within=OF_PARTS),
    Bug("pages are joined before they are there", PARTS, "const PartShared<D, kWarps>& s, Put put) {\n  simt::sync_block();\n", "const PartShared<D, kWarps>& s, Put put) {\n", within=OF_PARTS),
    Bug("parts are joined by any block", PARTS, "if (simt::last_block(counter, blocks)) join_parts", "simt::sync_block();\n  if (simt::block_x() == 0) join_parts", within=PARTS_KERNEL),
    Bug("values after the last key count", PARTS, "return slot(i) >= span.begin && slot(i) < span.end;", "return slot(i) >= span.begin;", within=OF_PARTS),
    Bug("a page is left out", PARTS, "return s.weights[k][m]; }", "return k == 3 ? Weights{} : s.weights[k][m]; }", within=OF_PARTS),
    Bug("kept keys meet the others' parts", PARTS, "(kept ? 0 : kept_parts)", "0", within=PARTS_KERNEL),
    Bug("a head too many is written", PARTS, "i < job.heads.n * d; i += s.kThreads) out[i]", "i < (job.heads.n + 1) * d; i += s.kThreads) out[i]", "address", OF_PARTS),
    Bug("codes meet the scales of their page's first key", PARTS, "- i) * codes + i * (codes / (format == GpuQ8_0::kId ? 16 : 8))", "- i) * codes", within=CACHE),
    Bug("all blocks of a key have the scale of its first", PARTS, "(data + to_scales)[at / kCachedBlock]", "(data + to_scales)[0]", within=ROWS),
    Bug("the second half of a block's nibbles is its first", PARTS, "row.data + at / 32 * 16 + at % 16", "row.data + at / 32 * 16", within=ROWS),
    Bug("codes are read from between their words", PARTS, "row.data + at / 32 * 16 + at % 16", "row.data + at / 2", within=ROWS),
    Bug("codes of 4 bits have as many scales as those of 8", TILES, "(format == GpuQ8_0::kId ? 16 : 8)", "16", within=CACHE),
    Bug("keys of a page share a row", TILES, "row_at(page, key, stride, shape)", "row_at(page, key & ~1, stride, shape)"),
    Bug("a page is overwritten early", TILES, "end_part(part, w, s);\n    simt::sync_block();\n", "end_part(part, w, s);\n"),
    Bug("one copy too few is waited for", TILES, "simt::copy_wait<kAhead ? 1 : 0>();", "simt::copy_wait<1>();\n    if (kAhead) simt::copy_wait<2>();"),
    Bug("no barrier before a page is read", TILES, "simt::copy_wait<kAhead ? 1 : 0>();\n    simt::sync_block();\n", "simt::copy_wait<kAhead ? 1 : 0>();\n"),
    Bug("parts of other lengths", TILES, "(next + lead) % kPartKeys", "(next + lead) % (2 * kPartKeys)"),
    Bug("keys and values are exchanged", TILES, "add_values<D, kColumns<D>>(p, from.values,", "add_values<D, kColumns<D>>(p, from.keys,"),
    Bug("the last row's bounds are the first's", TILES, "at_least(first.end, last.end)", "first.end"),
    Bug("a query too many is written", TILES, "i < job.queries() * d; i += kThreads<D>)", "i < (job.queries() + 1) * d; i += kThreads<D>)", "address"),
    Bug("segments in another order", CODES, "sum += s.parts[q][row][r];", "sum += s.parts[kSegments - 1 - q][row][r];", within=OF_CODES),
    Bug("no barrier before sums are read", CODES, "[q * 16 + g + e / 2 * 8] = c[q][p][e];\n  simt::sync_block();\n", "[q * 16 + g + e / 2 * 8] = c[q][p][e];\n", within=OF_CODES),
    Bug("a stage is read before it is there", CODES, "        simt::copy_wait<kStages - 2>();\n", "        simt::copy_wait<kStages - 1>();\n", within=OF_CODES),
    Bug("no barrier for a stage", CODES, "        simt::copy_wait<kStages - 2>();\n        simt::sync_block();\n", "        simt::copy_wait<kStages - 2>();\n", within=OF_CODES),
    Bug("scales of the other row", CODES, "x.scales[h] = simt::load16(s.scales[stage][8 * p + 2 * t + h]);", "x.scales[h] = simt::load16(s.scales[stage][8 * p + 2 * t + 1 - h]);", within=OF_CODES),
    Bug("the low half is forgotten", HALVES, "put_few<kPanels>(a, job, row, r, high + low);", "put_few<kPanels>(a, job, row, r, high);", within=OF_HALVES),
    Bug("no barrier before halves are read", HALVES, "[p * 8 + t * 2 + e % 2] = c[q][p][e];\n  simt::sync_block();\n", "[p * 8 + t * 2 + e % 2] = c[q][p][e];\n", within=OF_HALVES),
    Bug("activations are read early", HALVES, "  simt::wait_for_previous();\n  simt::let_next_begin();\n  const ExpertJob job = job_of(a, 4 *",
        "  simt::let_next_begin();\n  const ExpertJob job = job_of(a, 4 *", within=OF_HALVES),
    Bug("a part begins where another does", CODES, "panel >= a.parts[i].first", "panel > a.parts[i].first", within=OF_PRODUCTS),
    Bug("a part's last outputs are written behind it", CODES, "if (at >= part.n) return;", "", within=OF_PRODUCTS),
    Bug("what is added is the first row's", HALVES, "part.added.data[row * part.added.step + column]", "part.added.data[column]", within=OF_PRODUCTS),
    Bug("codes of two blocks are exchanged", FORMS, "j / 2 * 64 + c % 16 / 4 * 16 + j % 2 * 8", "j / 2 * 64 + c % 16 / 4 * 16 + (1 - j % 2) * 8", within=OF_FORMS),
    Bug("the low halves are the high ones", FORMS, "to[kTileColumns] = low.bits;", "to[kTileColumns] = high.bits;", within=OF_FORMS),
    Bug("a warp sums up its own columns alone", NORMS, "squares = 0;\n#pragma unroll 8\n  for (int64_t i = simt::lane();", "squares = 0;\n#pragma unroll 8\n  for (int64_t i = simt::thread();"),
    Bug("forms end with the columns", NORMS, "const int64_t blocks = form_blocks(forms, n);", "const int64_t blocks = (n + 31) / 32;"),
    Bug("a gated unit's forms are the gate's", ELEMENTS, "put_forms(a.forms, row, block, v);", "put_forms(a.forms, row, block, v * v);"),
    Bug("keys are stored before they are rotated", STORE, "s.rotated);\n  simt::sync_block();\n", "s.rotated);\n"),
    Bug("all heads have the first one's keys", STORE, "a.k.data + row * a.k.step + head * a.d_k, s.rotated", "a.k.data + row * a.k.step, s.rotated"),
    Bug("values are stored over the first head's", STORE, "head * a.d_v, head, 1, a.d_v", "head * a.d_v, 0, 1, a.d_v"),
    Bug("keys are as wide as values", STORE, "store_keys(slot, s.rotated, head, 1, a.d_k, s.stored);", "store_keys(slot, s.rotated, head, 1, a.d_v, s.stored);"),
    Bug("a count is read before it is whole", EXPERTS, "1);\n  });\n  simt::sync_block();\n", "1);\n  });\n"),
    Bug("a collective in a branch", EXPERTS, "const bool same = simt::shuffle(expert, lane) == expert;", "const bool same = simt::lane() < 16 && simt::shuffle(expert, lane) == expert;"),
    Bug("lanes do not wait for each other's counts", EXPERTS, "= place + 1;\n    simt::sync_warp();\n", "= place + 1;\n", "thread"),
    Bug("a list is read before it is whole", CHOSEN, "  }\n  simt::sync_block();\n  return all;", "  }\n  return all;"),
    Bug("a warp's keys begin where another's do", CHOSEN, "if (w < simt::warp()) at += s.counts[w];", "if (w + 1 < simt::warp()) at += s.counts[w];"),
    Bug("chosen keys beyond the first 256 are left out", CHOSEN, "first == 0 || first < n;", "first == 0;"),
    Bug("the mean has the share of the chosen keys", CHOSEN, "simt::fma1((1 - alpha) * w.total,", "simt::fma1(alpha * w.total,"),
    Bug("chunks are joined by any block", CHOSEN, "if (simt::last_block(counter, chunk.all)) finish", "simt::sync_block();\n  if (simt::block_x() == 0) finish"),
    Bug("a warp's part of an error is lost", CHOSEN, "for (int w = 0; w < kPartWarps; ++w) error", "for (int w = 1; w < kPartWarps; ++w) error"),
    Bug("values have the format of keys", CHOSEN, "shape_of<Cache>(keys.kv.v_format, a.d_v)", "shape_of<Cache>(keys.kv.k_format, a.d_v)", within=OF_PARTS),
    Bug("components of the least weight are chosen", SCORES, "s.weights[other] > s.weights[c] ||", "s.weights[other] < s.weights[c] ||", within=COMPONENTS),
    Bug("no barrier before components are ranked", SCORES, "= simt::as_bits(sum * s.spread[c]);\n  }\n  simt::sync_block();\n", "= simt::as_bits(sum * s.spread[c]);\n  }\n", within=COMPONENTS),
    Bug("a page that is not full is read from the index", SCORES, "slot + kPageKeys <= x.chunk.span.end &&", "slot < x.chunk.span.end &&"),
    Bug("kept keys meet the others' queries", SCORES, "if (x.chunk.kept && a.q_kept.data) {", "if (false) {", within=COMPONENTS),
    Bug("scores are summed up before they are there", SCORES, "    score(x, s);\n  }\n  simt::sync_block();\n", "    score(x, s);\n  }\n"),
    Bug("pages are bound by their largest numbers alone", SCORES, "bounds[q[c] > 0 ? c : d + c]", "bounds[c]"),
    Bug("keys of pages that were not chosen are scored", SCORES, "if (is_skipped(x, slot)) return skip_keys(x, slot, part);", ""),
    Bug("bins are not cleared", RANKS, "    bins[i] = 0;\n", ""),
    Bug("bins are counted before they are empty", RANKS, "s.bins[i] = 0;\n  find_totals(", "s.bins[i] = 1;\n  find_totals("),
    Bug("recent keys are no better than others", RANKS, "< seen.n() - job.choice.local;", "< seen.n();"),
    Bug("a head's weight is left out", RANKS, "  for (int g = 0; g < group; ++g) {\n    const float x = scores_of", "  for (int g = 0; g + 1 < group; ++g) {\n    const float x = scores_of"),
    Bug("all keys of the last rank are chosen", RANKS, "if (s.edge.keys == s.edge.wanted ||", "if (true ||"),
    Bug("the worst keys of the last rank are chosen", RANKS, "better += s.weights[other] > s.weights[i];", "better += s.weights[other] < s.weights[i];"),
    Bug("keys of the last rank are listed before the list is empty", RANKS, "s.n = s.kept = 0;\n  simt::sync_block();\n", "s.n = s.kept = 0;\n"),
    Bug("codes of another page", APPEND, "const IndexPage page(kv.index, head, position);", "const IndexPage page(kv.index, head, position ? position - kPageKeys : 0);"),
    Bug("a key is stored with its neighbour's scales", STORE_BLOCKS, "- i) * codes + i * (codes /", "- i) * codes + (i ^ 1) * (codes /", within=CACHE),
    Bug("a word's codes in another order", STORE_BLOCKS, "code(at + 1) << 8 | code(at + 2) << 16", "code(at + 2) << 8 | code(at + 1) << 16", within=BLOCKS),
    Bug("a word's pairs in another order", STORE_BLOCKS, "pair(4 * w + 1) << 8 | pair(4 * w + 2) << 16", "pair(4 * w + 2) << 8 | pair(4 * w + 1) << 16", within=BLOCKS),
    Bug("keys in the index have the scale of their first block", APPEND, "x.scales()[i / kCachedBlock]", "x.scales()[0]", within=CACHE),
    Bug("nibbles in another order", APPEND, "code(i) | code(i + kHalf) << 4", "code(2 * i) | code(2 * i + 1) << 4"),
    Bug("bins of the last digit stay", BEST, "    s.bins[simt::thread()] = 0;\n", "    if (shift + kDigitBits == kKeyBits) s.bins[simt::thread()] = 0;\n"),
    Bug("keys of other digits are counted", BEST, "|| other >> (shift + kDigitBits) == 0)", "|| true)"),
    Bug("a bin is found before all warps have counted", BEST, "s.of_warp[simt::warp()] = sum;\n  simt::sync_block();\n", "s.of_warp[simt::warp()] = sum;\n"),
    Bug("best tokens are in the other order", BEST, "at += s.best[i] > mine;", "at += s.best[i] < mine;"),
    Bug("zeros of two signs differ", BEST, "logit == 0 ? 0 : simt::as_bits(logit)", "simt::as_bits(logit)"),
    Bug("best tokens are joined by any block", BEST, "if (simt::last_block(a.counters + row, simt::blocks_x())) join", "simt::sync_block();\n  if (simt::block_x() == 0) join"),
    Bug("a part's logit that is no number is forgotten", BEST, "strange += parts[i].strange;", "strange = parts[i].strange;"),
    Bug("a list of best tokens begins before the last one was read", BEST, "  if (simt::thread() == 0) s.n = 0;\n  simt::sync_block();\n", "  if (simt::thread() == 0) s.n = 0;\n", "thread"),
]


class Builds:
    """Test programs of one mode and test file, of which only the kernel file changes."""

    def __init__(self, build, folder):
        self.build, self.folder, self.done = build, folder, {}
        self.includes = ["-I", folder, "-I", ROOT / "src", "-I", ROOT / "include", "-I", ROOT, "-I", build / "gen"]

    def compiled(self, source, flags, name, language=()):
        out = self.folder / name
        subprocess.run(["g++", *FLAGS, *flags, *self.includes, *language, "-c", source, "-o", out], check=True)
        return out

    def fixed(self, mode, test):
        """The objects that no bug changes."""
        kernels, host = MODES[mode]
        of_test = next(ROOT / folder / test for folder in ("tests/kernels/gpu", "tests/backend") if (ROOT / folder / test).exists())
        for source in [*sorted((KERNELS / "host").glob("*.cpp")), of_test]:
            key = mode, source
            if key not in self.done:
                self.done[key] = self.compiled(source, kernels if source.name == test else host, f"{mode}_{source.stem}.o")
            yield self.done[key]

    def program(self, mode, test, kernel):
        libraries = [self.build / f"src/libskald_{name}.a" for name in LIBRARIES]
        named = self.build / "tests/CMakeFiles/skald_source_dir.dir/__/gen/source_dir.cpp.o"
        out = self.folder / "program"
        subprocess.run(["g++", *MODES[mode][0], kernel, *self.fixed(mode, test), named, "-Wl,--start-group", *libraries, "-Wl,--end-group", "-lgtest", "-lgtest_main",
                        "-lgmock", "-lspdlog", "-lfmt", "-lcrypto", "-lpthread", "-o", out], check=True)
        return out

    def finds(self, mode, file, planted=("", "")):
        """What the tests of a kernel file report, with a file that is as planted (name, text); empty: nothing."""
        name, text = planted
        source = self.folder / "planted.cu"
        source.write_text(text if name == kernel_of(file) else (KERNELS / kernel_of(file)).read_text())
        included = self.folder / "kernels/gpu"
        shutil.rmtree(included, ignore_errors=True)
        if name and name != kernel_of(file):
            included.mkdir(parents=True)
            (included / name).write_text(text)
        test, which = TESTS[file]
        program = self.program(mode, test, self.compiled(source, MODES[mode][0], "planted.o", ["-I", KERNELS, "-x", "c++"]))
        try:
            done = subprocess.run([program, "--gtest_brief=1", f"--gtest_filter={which}"], capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "it does not end"
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if any(sign in line for sign in ("Actual", "simt:", "SUMMARY", "runtime error", "FAILED"))]
        return (lines or [f"ends with {done.returncode}"])[0] if done.returncode else ""


def text_of(bug):
    text = (KERNELS / bug.place).read_text()
    if bug.old not in text:
        sys.exit(f"planted_bugs: {bug.place} no longer has the place of: {bug.name}")
    return text


def main(arguments):
    if arguments == ["--places"]:
        return sum(not text_of(bug) for bug in BUGS)
    build, wanted = Path(arguments[0]).resolve(), arguments[1:]
    bugs = [bug for bug in BUGS if not wanted or any(part in bug.name for part in wanted)]
    faults = 0
    with tempfile.TemporaryDirectory(prefix="skald-bugs-") as folder:
        builds = Builds(build, Path(folder))
        for mode, file in dict.fromkeys((bug.mode, bug.file) for bug in bugs):
            if found := builds.finds(mode, file):
                faults += 1
                print(f"{file}, {mode}: fails without a bug: {found[:100]}", flush=True)
        for bug in bugs:
            found = builds.finds(bug.mode, bug.file, (bug.place, text_of(bug).replace(bug.old, bug.new, 1)))
            faults += not found
            print(f"{bug.name} ({bug.place}): {found[:100] or 'NOT FOUND'}", flush=True)
    print(f"planted_bugs: {faults} faults, {len(bugs)} bugs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
