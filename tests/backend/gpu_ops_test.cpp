// Operations on the host as a GPU, or on a card: each gives what the CPU gives, within the rounding of floats, and the same
// bits in every order of threads.
#include <gtest/gtest.h>

#include <set>

#include "backend/gpu/gpu_op.h"
#include "backend/gpu/weights.h"
#include "graph/ops/activation.h"
#include "graph/ops/choose_experts.h"
#include "graph/ops/columns.h"
#include "graph/ops/distance_bias.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/embed.h"
#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/glu.h"
#include "graph/ops/glu_linear.h"
#include "graph/ops/head_columns.h"
#include "graph/ops/head_linear.h"
#include "graph/ops/join_heads.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/log_temperature.h"
#include "graph/ops/mean.h"
#include "graph/ops/mix_experts.h"
#include "graph/ops/pick_rows.h"
#include "graph/ops/rms_norm.h"
#include "graph/ops/rope.h"
#include "graph/ops/rope_table.h"
#include "graph/ops/softmax.h"
#include "graph/ops/weigh_experts.h"
#include "graph/ops/xielu.h"
#include "quant/fragments.h"
#include "quant/registry.h"
#include "tests/backend/op_bench.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/gpu_backend.h"

namespace skald::gpu_ops_test {
namespace {

using simt::host::Order;
using test::OpBench;

constexpr int64_t kTokens = 11, kCols = 66;  // no whole numbers of blocks, warps and groups of rows
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

std::unique_ptr<gpu::GpuBackend> backend_in(Order order) {
  return test::gpu_backend({.threads = order, .blocks_backward = order != Order::kForward});
}

/// An operation on random numbers, and how far from the CPU's its numbers may be.
struct Case {
  std::string_view name;
  double limit;
  Tensor (*build)(OpBench& b);
};

Tensor add(OpBench& b, const OpDef& op, Attrs attrs, std::vector<Tensor> in) { return b.graph.add(op, attrs, in); }
Tensor x(OpBench& b, int64_t n = kCols) { return b.activation(n, 1); }
Tensor y(OpBench& b, int64_t n = kCols) { return b.activation(n, 2); }
Tensor table(OpBench& b, float theta) {
  return add(b, op_rope_table, Attrs(RopeTable{.dims = 8, .theta = theta}), {b.positions});
}

template <Activation kFunction>
Tensor activated(OpBench& b) {
  return activation(x(b), kFunction);
}
template <Activation kFunction>
Tensor gated(OpBench& b) {
  return glu(x(b), y(b), kFunction);
}

Tensor chosen(OpBench& b, const ChooseExperts& a = {.k = 3}) {
  return add(b, op_choose_experts, Attrs(a), {b.activation(12, 5), b.weight(Shape{12}, 6)});
}
Tensor weighed(OpBench& b, const WeighExperts& a) {
  return add(b, op_weigh_experts, Attrs(a), {b.activation(12, 5), chosen(b)});
}
Tensor by_experts(OpBench& b, const char* gate_format, const char* up_format, std::vector<Tensor> more, int64_t k = 64) {
  const auto weight = [&](const char* format, uint64_t seed) {
    return b.weight(Shape{12, 33, k}, seed, *find_format(std::string_view(format)));
  };
  std::vector<Tensor> in = {x(b, k), weight(gate_format, 7), weight(up_format, 8), chosen(b)};
  in.insert(in.end(), more.begin(), more.end());
  return add(b, op_expert_glu_linear, Attrs(Activate{Activation::kGelu}), in);
}
Tensor mixed(OpBench& b, const char* format, std::vector<Tensor> more, int64_t k = 40) {
  std::vector<Tensor> in = {b.activation(3 * k, 3), b.weight(Shape{12, 70, k}, 9, *find_format(std::string_view(format))),
                            chosen(b), weighed(b, {.softmax = true})};
  in.insert(in.end(), more.begin(), more.end());
  return add(b, op_mix_experts, Attrs(NoAttrs{}), in);
}

const std::vector<Case> kCases = {
    {"add", 0, [](OpBench& b) { return x(b) + y(b); }},
    {"add_row", 0, [](OpBench& b) { return x(b) + b.weight(Shape{kCols}, 3); }},
    {"add_number", 0, [](OpBench& b) { return x(b) + b.weight(Shape{1}, 3); }},
    {"mul_part", 0, [](OpBench& b) { return x(b) * b.weight(Shape{6}, 3); }},
    {"mul_column", 0, [](OpBench& b) { return x(b) * b.activation(1, 3); }},
    {"mul_columns", 0, [](OpBench& b) { return x(b) * b.activation(11, 3); }},
    {"columns", 0,
     [](OpBench& b) {
       return add(b, op_columns, Attrs(Columns{7, 20}), {x(b)}) + y(b, 20);
     }},
    {"silu", 1e-6, activated<Activation::kSilu>},
    {"gelu", 1e-6, activated<Activation::kGelu>},
    {"gelu_tanh", 1e-6, activated<Activation::kGeluTanh>},
    {"relu", 0, activated<Activation::kRelu>},
    {"relu_squared", 0, activated<Activation::kReluSquared>},
    {"activation_sigmoid", 1e-6, activated<Activation::kSigmoid>},
    {"clamped_silu", 1e-6, activated<Activation::kClampedSilu>},
    {"clamped_linear", 0, activated<Activation::kClampedLinear>},
    {"glu_silu", 1e-6, gated<Activation::kSilu>},
    {"glu_gelu", 4e-6, gated<Activation::kGelu>},
    {"glu_clamped", 4e-6, gated<Activation::kClampedSilu>},
    {"scale", 0, [](OpBench& b) { return scale(x(b), -1.5f); }},
    {"clamp", 0, [](OpBench& b) { return clamp(x(b), 0.7f); }},
    {"softcap", 1e-6, [](OpBench& b) { return softcap(x(b), 0.7f); }},
    {"rsqrt", 1e-6, [](OpBench& b) { return rsqrt(x(b) * x(b), 0.5f); }},
    {"sigmoid", 1e-6, [](OpBench& b) { return sigmoid(x(b)); }},
    {"softplus", 1e-6, [](OpBench& b) { return softplus(scale(x(b), 20)); }},
    {"xielu", 2e-6,
     [](OpBench& b) {
       return xielu(x(b), {0.3f, 0.7f, 0.5f, -1e-3f});
     }},
    {"embed", 0, [](OpBench& b) { return x(b, 70); }},
    {"pick_rows", 0,
     [](OpBench& b) {
       return add(b, op_pick_rows, Attrs(NoAttrs{}), {x(b), b.output_rows({3, 0, 10, 10})});
     }},
    {"linear", 4e-5,
     [](OpBench& b) {
       const Tensor first = b.weight(Shape{70, kCols}, 3), second = b.weight(Shape{5, kCols}, 4);
       return add(b, op_linear, Attrs(NoAttrs{}), {x(b), first, second});
     }},
    {"glu_linear", 4e-4,
     [](OpBench& b) {
       const Tensor gate = b.weight(Shape{70, kCols}, 3), up = b.weight(Shape{70, kCols}, 4);
       return add(b, op_glu_linear, Attrs(Activate{}), {x(b), gate, up});
     }},
    {"head_linear", 2e-5,
     [](OpBench& b) {
       return add(b, op_head_linear, Attrs(NoAttrs{}), {x(b), b.weight(Shape{3, 67, 22}, 3)});
     }},
    {"head_columns", 0,
     [](OpBench& b) {
       return add(b, op_head_columns, Attrs(HeadColumns{3, 5, 9}), {x(b)});
     }},
    {"join_heads", 0,
     [](OpBench& b) {
       return add(b, op_join_heads, Attrs(JoinHeads{3}), {x(b), y(b, 15)});
     }},
    {"join_shared", 0,
     [](OpBench& b) {
       return add(b, op_join_heads, Attrs(JoinHeads{3, true}), {x(b), y(b, 5)});
     }},
    {"rms_norm", 4e-6,
     [](OpBench& b) {
       return add(b, op_rms_norm, Attrs(RmsNorm{1e-5f}), {x(b), b.weight(Shape{kCols}, 3)});
     }},
    {"rms_norm_parts", 4e-6,
     [](OpBench& b) {
       return add(b, op_rms_norm, Attrs(RmsNorm{1e-5f, 3}), {x(b), b.weight(Shape{22}, 3)});
     }},
    {"layer_norm", 4e-6,
     [](OpBench& b) {
       return add(b, op_layer_norm, Attrs(LayerNorm{1e-2f}), {x(b), b.weight(Shape{kCols}, 3)});
     }},
    {"layer_norm_parts", 4e-6,
     [](OpBench& b) {
       const Tensor weight = b.weight(Shape{22}, 3), bias = b.weight(Shape{kCols}, 4);
       return add(b, op_layer_norm, Attrs(LayerNorm{1e-2f, 3}), {x(b), weight, bias});
     }},
    {"mean", 1e-6, [](OpBench& b) { return mean(x(b)); }},
    {"mean_parts", 1e-6, [](OpBench& b) { return mean(x(b), 6); }},
    {"softmax", 1e-6, [](OpBench& b) { return softmax(scale(x(b), 3)); }},
    {"softmax_sinks", 1e-6,
     [](OpBench& b) {
       return add(b, op_softmax, Attrs(Softmax{3}), {x(b), b.weight(Shape{3}, 3)});
     }},
    {"rope_table", 4e-7,
     [](OpBench& b) {
       b.set_positions({0, 1, 2, 3, 4, 5, 6, 7, 1000, 54321, 100000});
       const RopeTable a{.dims = 8, .theta = 1e4f, .magnitude = 1.5f};
       return add(b, op_rope_table, Attrs(a), {b.positions, b.weight(Shape{4}, 3)});
     }},
    {"rope", 2e-6,
     [](OpBench& b) {
       return add(b, op_rope, Attrs(Rope{11, RopePairs::kHalves}), {x(b), table(b, 1e4f)});
     }},
    {"rope_two_tables", 2e-6,
     [](OpBench& b) {
       const Attrs rope(Rope{.d_head = 22, .pairs = RopePairs::kInterleaved, .first = 3});
       return add(b, op_rope, rope, {x(b), table(b, 1e4f), table(b, 1e2f)});
     }},
    {"log_temperature", 4e-7,
     [](OpBench& b) {
       b.set_positions({0, 6, 7, 8, 15, 16, 100, 1000, 54321, 100000, 1000000});
       return add(b, op_log_temperature, Attrs(LogTemperature{.scale = 0.25f, .length = 8}), {b.positions});
     }},
    {"distance_bias", 0,
     [](OpBench& b) {
       return add(b, op_distance_bias, Attrs(DistanceBias{20}), {b.weight(Shape{32, 5}, 3)});
     }},
    {"choose_experts", 0, [](OpBench& b) { return chosen(b); }},
    {"choose_experts_of_groups", 0,
     [](OpBench& b) { return chosen(b, {.k = 4, .groups = 4, .groups_used = 2, .group_best = 2}); }},
    {"weigh_experts", 0, [](OpBench& b) { return weighed(b, {.scale = 2.5f}); }},
    {"weigh_experts_softmax", 1e-6, [](OpBench& b) { return weighed(b, {.softmax = true}); }},
    {"weigh_experts_shares", 1e-4, [](OpBench& b) { return weighed(b, {.softmax = true, .normalise = true, .scale = 2}); }},
    {"expert_glu_linear", 4e-4, [](OpBench& b) { return by_experts(b, "f32", "f32", {}); }},
    {"expert_glu_linear_f16", 4e-4, [](OpBench& b) { return by_experts(b, "f32", "f16", {}); }},
    {"expert_glu_linear_more", 4e-4,
     [](OpBench& b) {
       const auto biases = [&](uint64_t seed) { return b.weight(Shape{12, 33}, seed); };
       return by_experts(b, "f32", "f32", {biases(11), biases(12), b.weight(Shape{12}, 13), b.weight(Shape{12}, 14)});
     }},
    {"expert_glu_linear_halves", 2e-3, [](OpBench& b) { return by_experts(b, "f16", "bf16", {}); }},
    {"expert_glu_linear_codes", 4e-4,
     [](OpBench& b) {
       b.packed = true;
       const auto biases = [&](uint64_t seed) { return b.weight(Shape{12, 33}, seed); };
       return by_experts(b, "q8_0", "q6_k", {biases(11), biases(12), b.weight(Shape{12}, 13), b.weight(Shape{12}, 14)}, 256);
     }},
    {"mix_experts_halves", 2e-5, [](OpBench& b) { return mixed(b, "f16", {}); }},
    {"mix_experts_codes", 4e-5,
     [](OpBench& b) {
       b.packed = true;
       return mixed(b, "q4_0", {b.weight(Shape{12, 70}, 11), b.weight(Shape{12}, 12)}, 96);
     }},
    {"mix_experts", 2e-5, [](OpBench& b) { return mixed(b, "f32", {}); }},
    {"mix_experts_more", 4e-5,
     [](OpBench& b) {
       return mixed(b, "f32", {b.weight(Shape{12, 70}, 11), b.weight(Shape{12}, 12)});
     }},
};

class GpuOps : public testing::TestWithParam<Case> {};

// Tiers with products of bf16 round activations to that.
TEST_P(GpuOps, GiveWhatTheCpuGivesInEveryOrderOfThreads) {
  OpBench bench(kTokens, 1, "scalar");
  const Tensor t = GetParam().build(bench);
  const std::vector<float> want = bench.run(t);
  const auto forward = backend_in(Order::kForward);
  const std::vector<float> got = bench.run_on(*forward, t);
  EXPECT_TRUE(test::close_to(got, want, GetParam().limit));
  for (const Order order : {Order::kBackward, Order::kRandom}) {
    const auto backend = backend_in(order);
    EXPECT_TRUE(test::same_bits(bench.run_on(*backend, t), got)) << static_cast<int>(order);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuOps, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Those over caches and states are in tests/models/gpu_golden_test.cpp.
TEST(GpuOpsList, EveryOperationWithoutACacheIsTried) {
  std::set<const OpDef*> tried;
  for (const Case& c : kCases) {
    OpBench bench(kTokens);
    c.build(bench);
    for (const Node& node : bench.graph.nodes())
      if (node.source == Source::kOp) tried.insert(node.op);
  }
  for (const gpu::GpuOp* op : gpu_ops()) EXPECT_EQ(tried.contains(op->op), op->op->slot == nullptr) << op->op->name;
}

bool becomes_f16(const Format& format) {
  return &gpu::format_on_device(gpu::gpu_kernels<simt::HostTarget>(), format) != &format;
}

// One number at a time.
TEST(GpuFormats, AreDecodedAsTheirDefinition) {
  for (const Format* format : formats()) {
    OpBench bench(5);
    const Tensor tokens{&bench.graph, bench.graph.find(Source::kInput, "tokens")};
    const Tensor rows = bench.weight(Shape{5, 512}, 3, *format);
    const auto backend = backend_in(Order::kForward);
    const std::vector<float> got = bench.run_on(*backend, add(bench, op_embed, Attrs(NoAttrs{}), {tokens, rows}));
    const double limit = becomes_f16(*format) ? 1e-3 : 1e-6;
    EXPECT_TRUE(test::close_to(got, bench.values(rows), limit)) << format->name;
  }
}

TEST(GpuFormats, OfEveryKindAreMultiplied) {
  for (const Format* format : formats()) {
    OpBench bench(kTokens);
    const Tensor in = x(bench, 256), w = bench.weight(Shape{37, 256}, 3, *format);
    const Tensor decoded = bench.weight_of(Shape{37, 256}, bench.values(w));
    const auto backend = backend_in(Order::kForward);
    const std::vector<float> got = bench.run_on(*backend, add(bench, op_linear, Attrs(NoAttrs{}), {in, w}));
    const std::vector<float> want = bench.run_on(*backend, add(bench, op_linear, Attrs(NoAttrs{}), {in, decoded}));
    // In fragments, blocks meet rows of 8 bits, and floats rows of 16 or 22: tests/kernels/gpu/products_test.cpp.
    const double in_fragments = becomes_f16(*format) ? 0.02 : format->block > 1 ? 0.8 : 2e-3;
    const double limit = becomes_f16(*format) || find_fragments(format->id) ? in_fragments : 1e-4;
    EXPECT_TRUE(test::close_to(got, want, limit)) << format->name;
  }
}

// Weights are packed in blocks of 4 MB.
TEST(GpuFormats, ArriveWholeWhereTheyAreLargerThanABlock) {
  for (const char* name : {"q8_0", "iq2_xs"}) {
    const Format& format = *find_format(name);
    OpBench bench(1);
    const Tensor in = x(bench, 1024), w = bench.weight(Shape{4500, 1024}, 3, format);
    const auto backend = backend_in(Order::kForward);
    const std::vector<float> got = bench.run_on(*backend, add(bench, op_linear, Attrs(NoAttrs{}), {in, w}));
    EXPECT_TRUE(test::close_to(got, bench.run(add(bench, op_linear, Attrs(NoAttrs{}), {in, w})), 0.8)) << name;
  }
  OpBench bench(2500);
  const Tensor tokens{&bench.graph, bench.graph.find(Source::kInput, "tokens")};
  const Tensor rows = bench.weight(Shape{2500, 1024}, 3, *find_format("iq2_xs"));
  const auto backend = backend_in(Order::kForward);
  const std::vector<float> got = bench.run_on(*backend, add(bench, op_embed, Attrs(NoAttrs{}), {tokens, rows}));
  EXPECT_TRUE(test::close_to(got, bench.values(rows), 1e-3));
}

TEST(GpuFormats, ThatBecomeF16AreRefusedWhereTheyDoNotFit) {
  OpBench bench(kTokens);
  const Tensor w = bench.weight_of(Shape{3, 256}, std::vector<float>(3 * 256), *find_format("iq2_xs"), 1, 1e6f);
  const auto backend = backend_in(Order::kForward);
  const Error e = test::error_of([&] {
    bench.run_on(*backend, add(bench, op_linear, Attrs(NoAttrs{}), {x(bench, 256), w}));
  });
  EXPECT_TRUE(std::string_view(e.what()).starts_with("tensor w0: ")) << e.what();
  EXPECT_TRUE(std::string_view(e.what()).ends_with("is too large for a number of 16 bits")) << e.what();
}

/// What the device and the CPU make of numbers that are none, or infinite.
void expect_alike_where_not_finite(OpBench& bench, Tensor t) {
  const std::vector<float> want = bench.run(t);
  const auto backend = backend_in(Order::kForward);
  const std::vector<float> got = bench.run_on(*backend, t);
  const std::string name(bench.graph.node(t.id).op->name);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(std::isfinite(got[i]), std::isfinite(want[i])) << name << ' ' << i;
}

TEST(GpuOps, HideNoNumberThatIsNotFinite) {
  const std::vector<float> values = {kNan, kInf, -kInf, 1, 0, -1};
  OpBench bench(1);
  const Tensor in = bench.activation_of(6, values);
  for (size_t f = 0; f < kActivations; ++f) expect_alike_where_not_finite(bench, activation(in, static_cast<Activation>(f)));
  for (const Tensor t : {scale(in, 2), clamp(in, 0.5f), softcap(in, 0.5f), rsqrt(in, 2), sigmoid(in), softplus(in),
                         xielu(in, {0.3f, 0.7f, 0.5f, -1e-3f}), softmax(in), mean(in)})
    expect_alike_where_not_finite(bench, t);
}

TEST(GpuOps, ChooseExpertsAsTheCpuWhereScoresAreNoNumbers) {
  const std::vector<std::vector<float>> rows = {{kNan, -5, kNan, -kInf},    {kNan, kNan, kNan, kNan},
                                                {-kInf, kInf, -kInf, kInf}, {1, 1, 1, 1},
                                                {-0.0f, 0.0f, -1, 0},       {kInf, -kInf, kNan, 2}};
  for (const std::vector<float>& scores : rows)
    for (const ChooseExperts& a :
         {ChooseExperts{.k = 3}, ChooseExperts{.k = 2, .groups = 2, .groups_used = 1, .group_best = 2}}) {
      OpBench bench(1);
      const Tensor t = add(bench, op_choose_experts, Attrs(a), {bench.activation_of(4, scores)});
      const auto backend = backend_in(Order::kForward);
      EXPECT_TRUE(test::same_bits(bench.run_on(*backend, t), bench.run(t))) << testing::PrintToString(scores);
    }
}

TEST(GpuOps, AreRefusedByNameBeyondTheLimitsOfAKernel) {
  OpBench bench(1);
  const Tensor t = add(bench, op_choose_experts, Attrs(ChooseExperts{.groups = 512, .groups_used = 1}), {x(bench, 512)});
  const auto backend = backend_in(Order::kForward);
  const Error e = test::error_of([&] { bench.run_on(*backend, t); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_EQ(std::string(e.what()),
            "device " + test::gpu_name() + ": choose_experts (): no kernel chooses from 512 groups of experts: at most 256");
}

}  // namespace
}  // namespace skald::gpu_ops_test
