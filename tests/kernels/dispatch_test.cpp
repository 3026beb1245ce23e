// Which kernels a machine gets: caps, their errors, and tables without holes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "kernels/api/tier.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/panels.h"
#include "quant/registry.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

TEST(Tiers, AreSortedFromTheReferenceUpwards) {
  ASSERT_FALSE(tiers().empty());
  EXPECT_STREQ(tiers().front()->name, "scalar");
  EXPECT_TRUE(tiers().front()->supported()) << "the reference runs everywhere";
  EXPECT_TRUE(std::ranges::is_sorted(tiers(), std::less_equal<>(), &Tier::rank) || tiers().size() == 1);
  EXPECT_EQ(tiers().size(), tier_registry().size());
}

TEST(Dispatch, WithoutACapTakesTheBestThatTheCpuHas) {
  const char* best = "";
  for (const Tier* t : tiers())
    if (t->supported()) best = t->name;
  EXPECT_STREQ(build_kernel_table().tier, best);
}

TEST(Dispatch, BetterTiersPaintOverWorseOnes) {
  const KernelTable scalar = build_kernel_table("scalar");
  for (const Tier* t : tiers()) {
    if (!t->supported() || t->rank == 0) continue;
    const KernelTable table = build_kernel_table(t->name);
    EXPECT_NE(table.matmul[8], scalar.matmul[8]) << t->name;
    EXPECT_NE(table.rms_norm, scalar.rms_norm) << t->name;
  }
}

TEST(Dispatch, ExactTablesRoundNoFloats) {
  const KernelTable exact = build_kernel_table({}, /*exact=*/true);
  for (const uint32_t format : {format_f32.id, BlockF16::kId, BlockBf16::kId}) {
    EXPECT_EQ(exact.act[format], ActFormat::kF32) << format;
    EXPECT_EQ(exact.packed_act[format], ActFormat::kF32) << format;
  }
  EXPECT_EQ(exact.prefill_act, ActFormat::kF32);
}

TEST(Dispatch, NamesTheKnownTiersForAnUnknownCap) {
  const Error e = test::error_of([] { build_kernel_table("avx9000"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  std::string want = "SKALD_ISA: unknown tier 'avx9000'; known: scalar";
  EXPECT_TRUE(std::string(e.what()).starts_with(want)) << e.what();
  for (const Tier* t : tiers()) EXPECT_NE(std::string(e.what()).find(t->name), std::string::npos) << t->name;
}

TEST(Dispatch, RefusesACapThatTheCpuLacks) {
  for (const Tier* t : tiers()) {
    if (t->supported()) continue;
    const Error e = test::error_of([&] { build_kernel_table(t->name); });
    EXPECT_EQ(e.code(), Errc::kUnsupported) << t->name;
    EXPECT_NE(std::string(e.what()).find(t->name), std::string::npos) << e.what();
  }
}

TEST(Dispatch, ReadsTheCapFromTheEnvironment) {
  const char* const before = std::getenv("SKALD_ISA");
  const std::optional<std::string> saved = before ? std::optional<std::string>(before) : std::nullopt;
  ::setenv("SKALD_ISA", "avx2", 1);
  EXPECT_EQ(isa_from_environment(), "avx2");
  ::unsetenv("SKALD_ISA");
  EXPECT_EQ(isa_from_environment(), "");
  if (saved) ::setenv("SKALD_ISA", saved->c_str(), 1);
}

using Table = test::TierTest;

TEST_P(Table, IsNamedAfterItsTier) { EXPECT_STREQ(kernels().tier, tier().name); }

TEST_P(Table, HasEveryKernel) {
  const KernelTable& t = kernels();
  EXPECT_TRUE(t.quantize_q8 && t.to_bf16 && t.rms_norm && t.layer_norm && t.softcap && t.rope && t.add && t.mul);
  for (size_t a = 0; a < kActivations; ++a) EXPECT_TRUE(t.activation[a] && t.glu[a]) << a;
  EXPECT_TRUE(t.update_state && t.read_state && t.scan_state && t.conv_row && t.adjust_scores && t.softmax && t.panel_gemm &&
              t.hadamard && t.matmul_decoded);
  for (const char* type : {"f32", "f16", "bf16", "q8_0", "q4_0"})
    EXPECT_NE(t.matmul[find_format(std::string_view(type))->id], nullptr) << type;
  for (const PanelLayout* panels : panel_layouts()) EXPECT_NE(t.packed_matmul[panels->format], nullptr) << panels->name;
}

TEST_P(Table, HasEveryKernelOfEveryCacheType) {
  const KernelTable& t = kernels();
  for (const char* type : {"f32", "f16", "bf16", "q8_0", "q4_0"}) {
    const Format& f = *find_format(std::string_view(type));
    EXPECT_TRUE(t.store[f.id] && t.row_scores[f.id] && t.values[f.id]) << type;
    EXPECT_TRUE(t.unpack_key_rows[f.id] && t.unpack_values[f.id]) << type;
    EXPECT_EQ(t.score_act[f.id], f.block == 1 ? ActFormat::kF32 : ActFormat::kQ8) << type;
    const bool by_dimensions = t.dim_scores[f.id] && t.unpack_key_dims[f.id] && t.store_dims[f.id];
    EXPECT_EQ(by_dimensions, f.block == 1) << type;
  }
}

TEST_P(Table, HasTheKernelsOfAStaticCacheOfIntegers) {
  const KernelTable& t = kernels();
  EXPECT_TRUE(t.store[format_i8.id] && t.unpack_key_rows[format_i8.id] && t.unpack_values[format_i8.id]);
  EXPECT_EQ(t.matmul[format_i8.id], nullptr) << "no weights";
}

TEST_P(Table, HasNoKernelForStoredOnlyFormats) { EXPECT_EQ(kernels().matmul[format_i32.id], nullptr); }

INSTANTIATE_TEST_SUITE_P(All, Table, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
