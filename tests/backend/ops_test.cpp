// The CPU's operations: none is missing, each computes its definition, and fused ones equal their expansions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/cpu/cpu_op.h"
#include "graph/ops/activation.h"
#include "graph/ops/attention.h"
#include "graph/ops/columns.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/glu.h"
#include "graph/ops/glu_linear.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/log_temperature.h"
#include "graph/ops/mean.h"
#include "graph/ops/pick_rows.h"
#include "graph/ops/rms_norm.h"
#include "graph/ops/rope.h"
#include "graph/ops/rope_table.h"
#include "kernels/api/tier.h"
#include "quant/registry.h"
#include "tests/backend/op_bench.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using test::OpBench;

TEST(CpuOps, EveryOperationRunsOrExpands) {
  CpuBackend cpu(1, {});
  for (const OpDef* op : ops()) EXPECT_TRUE(cpu.supports({}, {.op = op}) || op->expand) << op->name;
}

TEST(CpuOps, AreListedOnce) {
  for (const CpuOp* a : cpu_ops()) {
    EXPECT_TRUE(a->op && a->run);
    EXPECT_EQ(std::ranges::count(cpu_ops(), a->op, &CpuOp::op), 1) << a->op->name;
  }
}

/// One fused operation and its expansion over the same inputs.
void expect_equal_to_expansion(OpBench& bench, Tensor fused, double limit) {
  const OpDef& op = *bench.graph.node(fused.id).op;
  const std::vector<float> want = bench.run(fused), got = bench.run(fused, {op.name});
  EXPECT_TRUE(test::close_to(got, want, limit)) << op.name;
}

TEST(FusedOps, EqualTheirExpansions) {
  std::set<std::string_view> tried;
  for (const Tier* tier : tiers()) {
    if (!tier->supported()) continue;
    for (int64_t n : {1, 33, 96}) {
      OpBench bench(5, 1, tier->name);
      const Tensor x = bench.activation(n, 1), y = bench.activation(n, 2);
      std::vector<Tensor> fused = {bench.graph.add(op_rms_norm, Attrs(RmsNorm{1e-5f}), {x, bench.weight(Shape{n}, 3)})};
      for (int64_t parts : {int64_t{1}, n % 3 ? n : 3})
        for (int64_t width : {n / parts, n}) {  // of the weights: for each part, or for the row
          const Tensor w = bench.weight(Shape{width}, 4), b = bench.weight(Shape{width}, 5);
          fused.push_back(bench.graph.add(op_rms_norm, Attrs(RmsNorm{1e-5f, parts}), {x, w}));
          fused.push_back(bench.graph.add(op_layer_norm, Attrs(LayerNorm{1e-2f, parts}), {x, w}));
          fused.push_back(bench.graph.add(op_layer_norm, Attrs(LayerNorm{1e-2f, parts}), {x, w, b}));
        }
      for (size_t f = 0; f < kActivations; ++f) fused.push_back(glu(x, y, static_cast<Activation>(f)));
      for (const Tensor t : fused) {
        expect_equal_to_expansion(bench, t, 2e-6 * 16);  // values up to 16
        tried.insert(bench.graph.node(t.id).op->name);
      }
    }
  }
  for (const OpDef* op : ops())
    // Attention needs a cache: tests/engine/unfused_test.cpp. glu_linear has a test of its own below.
    if (op != &op_attention && op != &op_glu_linear) {
      EXPECT_EQ(tried.contains(op->name), op->expand != nullptr) << op->name << " is not tried above";
    }
}

TEST(CpuOps, SumsAndProductsBroadcast) {
  constexpr int64_t kRows = 5, kCols = 33;
  OpBench bench(kRows);
  const Tensor a = bench.activation(kCols, 1), b = bench.activation(kCols, 2), row = bench.weight(Shape{kCols}, 3),
               column = bench.activation(1, 4);
  const std::vector<float> av = bench.values(a), bv = bench.values(b), rv = bench.values(row), cv = bench.values(column);
  for (bool sum : {true, false}) {
    std::vector<float> same, rows, columns;
    for (int64_t i = 0; i < kRows * kCols; ++i) {
      const auto at = static_cast<size_t>(i);
      const float x = av[at], by_row = rv[static_cast<size_t>(i % kCols)], by_column = cv[static_cast<size_t>(i / kCols)];
      same.push_back(sum ? x + bv[at] : x * bv[at]);
      rows.push_back(sum ? x + by_row : x * by_row);
      columns.push_back(sum ? x + by_column : x * by_column);
    }
    EXPECT_TRUE(test::same_bits(bench.run(sum ? a + b : a * b), same));
    EXPECT_TRUE(test::same_bits(bench.run(sum ? a + row : a * row), rows));
    EXPECT_TRUE(test::same_bits(bench.run(sum ? a + column : a * column), columns));
  }
}

TEST(CpuOps, BroadcastsOfOneColumnAreAllTheSame) {
  OpBench bench(3);
  const Tensor a = bench.activation(1, 1), b = bench.activation(1, 2), row = bench.weight(Shape{1}, 3);
  const std::vector<float> av = bench.values(a), bv = bench.values(b), rv = bench.values(row);
  EXPECT_TRUE(test::same_bits(bench.run(a + b), std::vector<float>{av[0] + bv[0], av[1] + bv[1], av[2] + bv[2]}));
  EXPECT_TRUE(test::same_bits(bench.run(a + row), std::vector<float>{av[0] + rv[0], av[1] + rv[0], av[2] + rv[0]}));
}

// A row vector is repeated along a row, a column goes with its neighbours.
TEST(CpuOps, BroadcastsReachPartsOfRows) {
  constexpr int64_t kRows = 3, kCols = 12;
  OpBench bench(kRows);
  const Tensor a = bench.activation(kCols, 1), columns = bench.activation(4, 2), row = bench.weight(Shape{4}, 3);
  const std::vector<float> av = bench.values(a), cv = bench.values(columns), rv = bench.values(row);
  std::vector<float> by_columns, by_row, means;
  for (size_t i = 0; i < av.size(); ++i) {
    by_columns.push_back(av[i] * cv[i / 12 * 4 + i % 12 / 3]);
    by_row.push_back(av[i] + rv[i % 4]);
    if (i % 3 == 0)
      means.push_back(static_cast<float>(
          (static_cast<double>(av[i]) + static_cast<double>(av[i + 1]) + static_cast<double>(av[i + 2])) / 3));
  }
  EXPECT_TRUE(test::same_bits(bench.run(a * columns), by_columns));
  EXPECT_TRUE(test::same_bits(bench.run(a + row), by_row));
  EXPECT_TRUE(test::close_to(bench.run(mean(a, 4)), means, 1e-7));
}

TEST(CpuOps, ScaleClampAndSoftcapAreElementwise) {
  OpBench bench(4);
  const Tensor x = bench.activation(50, 1);
  const std::vector<float> v = bench.values(x);
  std::vector<float> scaled, clamped, capped;
  for (float f : v) {
    scaled.push_back(f * -1.5f);
    clamped.push_back(f > 0.7f ? 0.7f : f < -0.7f ? -0.7f : f);
    capped.push_back(static_cast<float>(0.7 * std::tanh(static_cast<double>(f) / 0.7)));
  }
  EXPECT_TRUE(test::same_bits(bench.run(scale(x, -1.5f)), scaled));
  EXPECT_TRUE(test::same_bits(bench.run(clamp(x, 0.7f)), clamped));
  EXPECT_TRUE(test::close_to(bench.run(softcap(x, 0.7f)), capped, 1e-6));
}

TEST(CpuOps, EmbedRefusesARowThatTheTableLacks) {
  OpBench bench(3);
  bench.set_positions({0, 4, 5});
  const Tensor rows = bench.graph.add(op_embed, Attrs(NoAttrs{}), {bench.positions, bench.weight(Shape{5, 8}, 1)});
  const Error e = test::error_of([&] { bench.run(rows); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_STREQ(e.what(), "no row 5 in an embedding table of 5: the text is longer than the model has positions");
}

TEST(CpuOps, MeanAndRsqrtAreByRow) {
  OpBench bench(4);
  const Tensor x = bench.activation(50, 1);
  const std::vector<float> v = bench.values(x);
  std::vector<float> means, roots;
  for (size_t r = 0; r < 4; ++r) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 50; ++i) {
      sum += static_cast<double>(v[r * 50 + i]);
      squares += static_cast<double>(v[r * 50 + i]) * static_cast<double>(v[r * 50 + i]);
    }
    means.push_back(static_cast<float>(sum / 50));
    roots.push_back(static_cast<float>(1 / std::sqrt(squares / 50 + 0.5)));
  }
  EXPECT_TRUE(test::close_to(bench.run(mean(x)), means, 1e-7));
  EXPECT_TRUE(test::close_to(bench.run(rsqrt(mean(x * x), 0.5f)), roots, 3e-7));
}

TEST(CpuOps, HeadsTakeSeveralRopeTablesInTurn) {
  constexpr int64_t kHead = 12;
  OpBench bench(3);
  bench.set_positions({0, 5, 70});
  const Tensor x = bench.activation(3 * kHead, 1);
  const auto table = [&](float theta) {
    return bench.graph.add(op_rope_table, Attrs(RopeTable{.dims = 8, .theta = theta}), {bench.positions});
  };
  const Attrs rope(Rope{kHead, RopePairs::kHalves});
  const Tensor a = table(1e4f), b = table(3e2f);
  const std::vector<float> by_a = bench.run(bench.graph.add(op_rope, rope, {x, a})),
                           by_b = bench.run(bench.graph.add(op_rope, rope, {x, b}));
  std::vector<float> want = by_a;
  for (size_t row = 0; row < 3; ++row)  // the second of three heads
    std::copy_n(by_b.begin() + static_cast<int64_t>(row * 3 + 1) * kHead, kHead,
                want.begin() + static_cast<int64_t>(row * 3 + 1) * kHead);
  ASSERT_NE(by_a, by_b);
  EXPECT_TRUE(test::same_bits(bench.run(bench.graph.add(op_rope, rope, {x, a, b})), want));
}

TEST(CpuOps, PickRowsTakesAnyRowsInAnyOrder) {
  OpBench bench(5);
  const Tensor x = bench.activation(9, 1);
  const std::vector<float> v = bench.values(x);
  const std::vector<int32_t> rows = {3, 0, 4, 4};
  std::vector<float> want;
  for (int32_t r : rows) want.insert(want.end(), v.begin() + r * 9, v.begin() + (r + 1) * 9);
  EXPECT_TRUE(
      test::same_bits(bench.run(bench.graph.add(op_pick_rows, Attrs(NoAttrs{}), {x, bench.output_rows(rows)})), want));
}

TEST(CpuOps, RopeTableHoldsCosinesThenSines) {
  OpBench bench(3);
  bench.set_positions({0, 7, 100000});
  const RopeTable table{.dims = 8, .theta = 10000, .magnitude = 1.5f};
  const Tensor divisors = bench.weight(Shape{4}, 1);
  const std::vector<float> plain = bench.run(bench.graph.add(op_rope_table, Attrs(table), {bench.positions}));
  const std::vector<float> divided = bench.run(bench.graph.add(op_rope_table, Attrs(table), {bench.positions, divisors}));
  const std::vector<float> by = bench.values(divisors);
  std::vector<float> want_plain, want_divided;
  for (double position : {0.0, 7.0, 100000.0})
    for (bool sines : {false, true})
      for (int i = 0; i < 4; ++i) {
        const double angle = position * std::pow(10000.0, -i / 4.0),
                     other = angle / static_cast<double>(by[static_cast<size_t>(i)]);
        want_plain.push_back(static_cast<float>(1.5 * (sines ? std::sin(angle) : std::cos(angle))));
        want_divided.push_back(static_cast<float>(1.5 * (sines ? std::sin(other) : std::cos(other))));
      }
  EXPECT_TRUE(test::close_to(plain, want_plain, 3e-7));
  EXPECT_TRUE(test::close_to(divided, want_divided, 3e-7));
}

TEST(CpuOps, LogTemperatureRisesWithTheLogarithmOfWholeLengths) {
  OpBench bench(4);
  bench.set_positions({0, 6, 7, 100000});
  const Tensor t =
      bench.graph.add(op_log_temperature, Attrs(LogTemperature{.scale = 0.25f, .length = 8}), {bench.positions});
  const auto want = [](double lengths) { return static_cast<float>(1 + 0.25 * std::log1p(lengths)); };
  EXPECT_TRUE(test::close_to(bench.run(t), std::vector<float>{1, 1, want(1), want(12500)}, 3e-7));
}

TEST(CpuOps, RopeRotatesEveryHead) {
  constexpr int64_t kHeads = 3, kHead = 10, kDims = 6;
  for (RopePairs pairs : {RopePairs::kInterleaved, RopePairs::kHalves}) {
    OpBench bench(4);
    const Tensor x = bench.activation(kHeads * kHead, 1), table = bench.activation(kDims, 2);
    const std::vector<float> v = bench.values(x), t = bench.values(table);
    std::vector<float> want = v;
    for (size_t row = 0; row < 4; ++row)
      for (size_t h = 0; h < kHeads; ++h)
        for (size_t i = 0; i < 3; ++i) {
          const size_t head = row * kHeads * kHead + h * kHead;
          const size_t first = head + (pairs == RopePairs::kHalves ? i : 2 * i);
          const size_t second = pairs == RopePairs::kHalves ? first + 3 : first + 1;
          const float cosine = t[row * kDims + i], sine = t[row * kDims + 3 + i];
          want[first] = v[first] * cosine - v[second] * sine;
          want[second] = v[first] * sine + v[second] * cosine;
        }
    EXPECT_TRUE(test::close_to(bench.run(bench.graph.add(op_rope, Attrs(Rope{kHead, pairs}), {x, table})), want, 2e-6));
  }
}

TEST(CpuOps, LinearTakesEveryFormatAndManyTokens) {
  constexpr int64_t kDepth = 256;
  for (const Format* format : formats()) {
    OpBench bench(131, 2);  // three blocks of tokens
    const Tensor x = bench.activation(kDepth, 1), w = bench.weight(Shape{37, kDepth}, 2, *format);
    const std::vector<float> xv = bench.values(x), wv = bench.values(w);
    std::vector<float> want;
    std::vector<double> limits;
    for (int64_t t = 0; t < 131; ++t)
      for (int64_t r = 0; r < 37; ++r) {
        const std::span<const float> row(wv.data() + r * kDepth, kDepth), token(xv.data() + t * kDepth, kDepth);
        const test::Dot dot(row, token);
        want.push_back(static_cast<float>(dot.sum));
        // Quantised activations: a step of 1/127 of the largest of 32, here below 4, and up to half of it off; bf16: 2^-9.
        limits.push_back(format->block > 1        ? dot.magnitude * 4 / 127
                         : format->name == "bf16" ? dot.magnitude * 0x1p-8
                                                  : dot.limit(32));
      }
    EXPECT_TRUE(test::close_to(bench.run(bench.graph.add(op_linear, Attrs(NoAttrs{}), {x, w})), want, limits))
        << format->name;
  }
}

std::vector<const Format*> formats_named(std::initializer_list<const char*> names) {
  std::vector<const Format*> out;
  for (std::string_view name : names) out.push_back(find_format(name));
  return out;
}

// Bit for bit, with any two formats of weights and many tokens.
TEST(FusedOps, GluLinearIsGluOfTwoLinears) {
  const auto some = {"f32", "bf16", "q8_0", "q4_0", "q6_k", "iq3_s"};
  for (const Format* gate : formats_named(some))
    for (const Format* up : formats_named(some))
      for (int64_t tokens : {1, 2, 70}) {
        OpBench bench(tokens, 2);
        const Tensor x = bench.activation(256, 1);
        const Tensor fused =
            bench.graph.add(op_glu_linear, Attrs(Activate{}),
                            {x, bench.weight(Shape{301, 256}, 2, *gate), bench.weight(Shape{301, 256}, 3, *up)});
        EXPECT_TRUE(test::same_bits(bench.run(fused), bench.run(fused, {"glu_linear"}))) << gate->name << ", " << up->name;
      }
}

// Bit for bit, with weights of any formats side by side, one of them of no whole number of grains.
TEST(FusedOps, LinearByManyWeightsIsEachLinearBesideTheOthers) {
  const auto some = {"f32", "f16", "bf16", "q8_0", "q4_k", "iq3_s"};
  for (const Format* first : formats_named(some))
    for (const Format* second : formats_named(some))
      for (int64_t tokens : {1, 2, 70}) {
        OpBench bench(tokens, 2);
        const Tensor x = bench.activation(256, 1);
        const std::vector<Tensor> weights = {bench.weight(Shape{45, 256}, 2, *first),
                                             bench.weight(Shape{70, 256}, 3, *second),
                                             bench.weight(Shape{200, 256}, 4, *first)};
        const Tensor all = bench.graph.add(op_linear, Attrs(NoAttrs{}), {x, weights[0], weights[1], weights[2]});
        int64_t column = 0;
        for (const Tensor w : weights) {
          const int64_t n = w.desc().shape[0];
          const Tensor part = bench.graph.add(op_columns, Attrs(Columns{column, n}), {all});
          const Tensor alone = bench.graph.add(op_linear, Attrs(NoAttrs{}), {x, w});
          EXPECT_TRUE(test::same_bits(bench.run(part), bench.run(alone))) << first->name << ", " << second->name;
          column += n;
        }
      }
}

// Operations on some columns of a product, written over them where they can be, and on a copy of these columns.
TEST(CpuOps, ColumnsAreRowsOfTheirOwn) {
  constexpr int64_t kCols = 24, kRows = 5;
  using Op = Tensor (*)(OpBench&, Tensor);
  const Op ops[] = {
      [](OpBench&, Tensor t) { return activation(t, Activation::kSilu); },
      [](OpBench&, Tensor t) { return t + t; },
      [](OpBench&, Tensor t) { return glu(t, t, Activation::kGelu); },
      [](OpBench&, Tensor t) { return mean(t); },
      [](OpBench& b, Tensor t) { return t * b.weight(Shape{kCols}, 4); },
      [](OpBench& b, Tensor t) {
        return b.graph.add(op_linear, Attrs(NoAttrs{}), {t, b.weight(Shape{33, kCols}, 3)});
      },
      [](OpBench& b, Tensor t) {
        return b.graph.add(op_rms_norm, Attrs(RmsNorm{1e-5f}), {t, b.weight(Shape{kCols}, 4)});
      },
      [](OpBench&, Tensor t) { return t; },
  };
  for (const Op op : ops) {
    OpBench bench(kRows, 2);
    const Tensor wide =
        bench.graph.add(op_linear, Attrs(NoAttrs{}), {bench.activation(16, 1), bench.weight(Shape{40, 16}, 2)});
    const Tensor part = op(bench, bench.graph.add(op_columns, Attrs(Columns{7, kCols}), {wide}));
    const std::vector<float> got = bench.run(part);

    OpBench dense(kRows, 2);
    const std::vector<float> all =
        dense.run(dense.graph.add(op_linear, Attrs(NoAttrs{}), {dense.activation(16, 1), dense.weight(Shape{40, 16}, 2)}));
    std::vector<float> cut;
    for (int64_t r = 0; r < kRows; ++r) cut.insert(cut.end(), all.begin() + r * 40 + 7, all.begin() + r * 40 + 7 + kCols);
    EXPECT_TRUE(test::same_bits(got, dense.run(op(dense, dense.activation_of(kCols, cut)))))
        << bench.graph.node(part.id).op->name;
  }
}

void compile_without_data(OpBench& bench) {
  const LookupWeights nowhere([](std::string_view) { return nullptr; });
  bench.backend.compile(bench.graph, *bench.backend.load(bench.graph, nowhere));
}

constexpr Format kUnknown{.name = "mystery", .id = 63, .block = 1, .block_bytes = 4, .decode = nullptr, .encode = nullptr};

TEST(CpuOps, LinearNamesAWeightThatItHasNoKernelFor) {
  for (const Format* format : {&kUnknown, &format_i32}) {
    OpBench bench(2);
    const Tensor x = bench.activation(8, 1), w = bench.graph.weight("blk.7.attn_q.weight", {format, Shape{4, 8}});
    const Tensor y = bench.graph.add(op_linear, Attrs(NoAttrs{}), {x, w}, "blk.7.attn_q");
    bench.graph.give(y.id);
    const Error e = test::error_of([&] { compile_without_data(bench); });
    EXPECT_EQ(e.code(), Errc::kUnsupported) << e.what();
    EXPECT_EQ(std::string(e.what()), "blk.7.attn_q: no matmul kernel for " + std::string(format->name) + " weights");
  }
}

TEST(CpuOps, EmbedNamesATableThatCannotBeDecoded) {
  OpBench bench(2);
  const Tensor table = bench.graph.weight("token_embd.weight", {&format_i32, Shape{2, 8}});
  const Tensor tokens{&bench.graph, bench.graph.find(Source::kInput, "tokens")};
  bench.graph.give(bench.graph.add(op_embed, Attrs(NoAttrs{}), {tokens, table}, "token_embd").id);
  const Error e = test::error_of([&] { compile_without_data(bench); });
  EXPECT_EQ(e.code(), Errc::kUnsupported) << e.what();
  EXPECT_TRUE(std::string(e.what()).starts_with("token_embd: ")) << e.what();
}

}  // namespace
}  // namespace skald
