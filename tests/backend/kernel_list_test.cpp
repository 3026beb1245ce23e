// The list of kernels: every function has its tier, and its file by the tiers' sources.
#include "backend/cpu/kernel_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "kernels/api/tier.h"
#include "tests/support/paths.h"

namespace skald {
namespace {

const std::filesystem::path& kernels_dir() {
  static const std::filesystem::path dir = std::filesystem::path(test::kSourceDir) / "src/kernels";
  return dir;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The functions of one kernel that `tier` may have; empty: any tier but the reference.
std::set<std::string> functions_of(std::string_view kernel, std::string_view tier) {
  std::set<std::string> names;
  for (const KernelSource& s : kernel_sources()) {
    const bool fits = tier.empty() ? s.tier != "scalar" : s.tier.empty() ? tier != "scalar" : s.tier == tier;
    if (s.kernel == kernel && fits) names.emplace(s.function);
  }
  return names;
}

// Every "t.<kernel>[...] = <function>" of a file.
std::vector<std::pair<std::string, std::string>> assignments(const std::filesystem::path& path) {
  static const std::regex assignment(R"(\bt\.(\w+)(?:\[[^;=]*\])? = (\w+)[<;])");
  const std::string text = text_of(path);
  std::vector<std::pair<std::string, std::string>> found;
  for (std::sregex_iterator m(text.begin(), text.end(), assignment), end; m != end; ++m)
    found.emplace_back((*m)[1], (*m)[2]);
  return found;
}

TEST(KernelList, HasATierAFunctionAndAFileForEveryEntry) {
  for (const Tier* cap : tiers()) {
    if (!cap->supported()) continue;
    for (const KernelRow& k : list_kernels(cap->name)) {
      EXPECT_TRUE(std::ranges::any_of(tiers(), [&](const Tier* t) { return t->name == k.tier; })) << k.kernel << " " << k.of;
      EXPECT_FALSE(k.function.empty()) << k.kernel << " " << k.of;
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(test::kSourceDir) / k.file)) << k.kernel << " " << k.file;
    }
  }
}

TEST(KernelList, CountsWhatTheTableHas) {
  const std::vector<KernelEntry> entries = kernel_entries(build_kernel_table());
  const auto there = std::ranges::count_if(entries, [](const KernelEntry& e) { return e.function != nullptr; });
  EXPECT_EQ(list_kernels("").size(), static_cast<size_t>(there));
  EXPECT_TRUE(std::ranges::all_of(kernel_entries(KernelTable()), [](const KernelEntry& e) { return !e.function; }));
}

TEST(KernelList, TheReferenceHasAllThatNoTierMayLack) {
  // Entries that may be null by the table: products of 16 bits.
  const std::set<std::string_view> optional{"quantize_keys", "quantize_values", "quantize_weights",  "panel_gemm_q16",
                                            "split_panels",  "split_rows",      "panel_gemm_bf16x2", "quantize_q16"};
  const std::vector<KernelEntry> best = kernel_entries(build_kernel_table());
  const std::vector<KernelEntry> scalar = kernel_entries(build_kernel_table("scalar"));
  for (size_t i = 0; i < best.size(); ++i)
    EXPECT_TRUE(scalar[i].function || !best[i].function || optional.contains(best[i].kernel))
        << best[i].kernel << " " << best[i].of;
  for (const KernelRow& k : list_kernels("scalar")) EXPECT_EQ(k.tier, "scalar") << k.kernel << " " << k.of;
}

TEST(KernelList, NamesTheTierThatPaintedLast) {
  for (const Tier* cap : tiers_up_to()) {
    const std::vector<KernelRow> rows = list_kernels(cap->name);
    EXPECT_TRUE(std::ranges::any_of(rows, [&](const KernelRow& k) { return k.tier == cap->name; })) << cap->name;
  }
}

TEST(KernelSources, AreDefinedInTheirFiles) {
  for (const KernelSource& s : kernel_sources()) {
    const std::regex definition("void " + std::string(s.function) + (s.function.ends_with('_') ? "" : "\\("));
    EXPECT_TRUE(std::regex_search(text_of(kernels_dir() / s.file), definition)) << s.function << " in " << s.file;
  }
}

// Whether the sources know the functions that a file paints, of a tier or of all that have vectors.
void expect_known(const std::filesystem::path& file, std::string_view tier) {
  const auto all = assignments(file);
  const std::vector<KernelEntry> entries = kernel_entries(KernelTable());
  for (const auto& [kernel, function] : all) {
    if (kernel == "act" || kernel.ends_with("_act")) continue;
    const auto is = [&](const std::string& f) { return f.ends_with('_') ? function.starts_with(f) : f == function; };
    EXPECT_TRUE(std::ranges::count(entries, kernel, &KernelEntry::kernel) > 0) << file << ": no entry for " << kernel;
    EXPECT_TRUE(std::ranges::any_of(functions_of(kernel, tier), is)) << file << ": " << kernel << " = " << function;
  }
}

TEST(KernelSources, KnowEveryFunctionThatATierPaints) {
  for (const Tier* tier : tiers()) expect_known(kernels_dir() / "cpu" / tier->name / "paint.inl", tier->name);
  expect_known(kernels_dir() / "generic/all.inl", "");
  EXPECT_GT(assignments(kernels_dir() / "generic/all.inl").size(), 40U);
}

}  // namespace
}  // namespace skald
