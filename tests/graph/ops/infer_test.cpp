// Shape inference of every operation: which inputs each accepts, its result, and that it names inputs that it rejects.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/ops/activation.h"
#include "graph/ops/attention.h"
#include "graph/ops/attention_mask.h"
#include "graph/ops/attention_scores.h"
#include "graph/ops/attention_values.h"
#include "graph/ops/binary.h"
#include "graph/ops/causal_conv.h"
#include "graph/ops/choose_experts.h"
#include "graph/ops/choose_keys.h"
#include "graph/ops/columns.h"
#include "graph/ops/concat_rows.h"
#include "graph/ops/delta_net.h"
#include "graph/ops/distance_bias.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/embed.h"
#include "graph/ops/embed_part.h"
#include "graph/ops/exchange_columns.h"
#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/expert_glu_part.h"
#include "graph/ops/glu.h"
#include "graph/ops/glu_linear.h"
#include "graph/ops/head_columns.h"
#include "graph/ops/head_linear.h"
#include "graph/ops/join_heads.h"
#include "graph/ops/kv_append.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/log_temperature.h"
#include "graph/ops/mean.h"
#include "graph/ops/mix_experts.h"
#include "graph/ops/mix_experts_part.h"
#include "graph/ops/pick_rows.h"
#include "graph/ops/rms_norm.h"
#include "graph/ops/rope.h"
#include "graph/ops/rope_table.h"
#include "graph/ops/softmax.h"
#include "graph/ops/split_heads.h"
#include "graph/ops/state_space.h"
#include "graph/ops/sum_ranks.h"
#include "graph/ops/weigh_experts.h"
#include "graph/ops/window_attention.h"
#include "graph/ops/xielu.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

const RankSum kSum{{true, true}, 0};
const ColumnExchange kExchange(8, {{{{0, 3}}, {{3, 5}}}}, {}, 0);

using Descs = std::vector<ValueDesc>;

ValueDesc tokens(int64_t n) { return {&format_f32, Shape{4, n}, Rows::kTokens}; }
ValueDesc outputs(int64_t n) { return {&format_f32, Shape{2, n}, Rows::kOutputs}; }
ValueDesc fixed(Shape shape) { return {&format_f32, shape, Rows::kFixed}; }
ValueDesc ids(Rows rows = Rows::kTokens) { return {&format_i32, Shape{rows == Rows::kTokens ? 4 : 2}, rows}; }

/// Three experts of each token, of five.
ValueDesc experts() { return {&format_i32, Shape{4, 3}, Rows::kTokens}; }

struct Good {
  const OpDef& op;
  Attrs attrs;
  Descs in;
  ValueDesc out;
};

const Attention kHeads{.n_heads = 4, .n_kv_heads = 2, .d_k = 8, .d_v = 16, .scale = 1};
const Attention kBiased{.n_heads = 4, .n_kv_heads = 2, .d_k = 8, .d_v = 16, .scale = 1, .biases = true};
const ValueDesc kCache{&format_f32, Shape{0}, Rows::kFixed};

Attention chosen() {
  Attention a = kHeads;
  a.chosen = 6;
  return a;
}
Attention some_rows(Attention a) {
  a.some_rows = true;
  return a;
}
const ChooseKeys kIndexer{.heads = 3, .d = 8, .most = 6};
ValueDesc chosen_keys(Rows rows) { return {&format_i32, Shape{rows == Rows::kTokens ? 4 : 2, 6}, rows}; }

/// Rows of each of two KV heads.
ValueDesc rows(int64_t n, int64_t d, const Format& format = format_f32) { return {&format, Shape{2, n, d}, Rows::kFixed}; }
const ValueDesc kScale{&format_f32, Shape{1}, Rows::kFixed};

const int64_t kSlots = attention_slots(kHeads);

std::vector<Good> good() {
  const Attrs none{NoAttrs{}};
  return {
      {op_add, none, {tokens(8), tokens(8)}, tokens(8)},
      {op_mul, none, {tokens(8), fixed(Shape{8})}, tokens(8)},
      {op_attention, Attrs(kHeads), {tokens(32), kCache}, tokens(64)},
      {op_attention, Attrs(chosen()), {tokens(32), kCache, chosen_keys(Rows::kTokens)}, tokens(64)},
      {op_attention, Attrs(some_rows(kHeads)), {outputs(32), kCache, ids(Rows::kOutputs)}, outputs(64)},
      {op_attention,
       Attrs(some_rows(chosen())),
       {outputs(32), kCache, chosen_keys(Rows::kOutputs), ids(Rows::kOutputs)},
       outputs(64)},
      {op_choose_keys, Attrs(kIndexer), {tokens(24), tokens(3), kCache}, chosen_keys(Rows::kTokens)},
      {op_attention_mask, Attrs(kHeads), {tokens(4 * kSlots)}, tokens(4 * kSlots)},
      {op_attention, Attrs(kBiased), {tokens(32), kCache, fixed(Shape{4, 9})}, tokens(64)},
      {op_attention_mask, Attrs(kBiased), {tokens(4 * kSlots), fixed(Shape{4, 9})}, tokens(4 * kSlots)},
      {op_distance_bias, Attrs(DistanceBias{.reach = 20}), {fixed(Shape{32, 3})}, fixed(Shape{3, 41})},
      {op_attention_scores, Attrs(kHeads), {tokens(32), kCache}, tokens(4 * kSlots)},
      {op_attention_values, Attrs(kHeads), {tokens(4 * kSlots), kCache}, tokens(64)},
      {op_concat_rows, none, {rows(9, 8), rows(4, 8)}, rows(13, 8)},
      {op_embed, none, {ids(), fixed(Shape{100, 8})}, tokens(8)},
      {op_embed_part, Attrs(EmbedPart{100, 200}), {ids(), fixed(Shape{100, 8})}, tokens(8)},
      {op_sum_ranks, Attrs(SumRanks{&kSum}), {tokens(8)}, tokens(8)},
      {op_exchange_columns, Attrs(ExchangeColumns{&kExchange}), {tokens(3)}, tokens(8)},
      {op_kv_append, Attrs(KvAppend{2, 0}), {tokens(16), tokens(32)}, kCache},
      {op_columns, Attrs(Columns{2, 6}), {outputs(8)}, outputs(6)},
      {op_linear, Attrs(NoAttrs{}), {outputs(8), fixed(Shape{100, 8})}, outputs(100)},
      {op_linear, Attrs(NoAttrs{}), {tokens(8), fixed(Shape{100, 8}), fixed(Shape{20, 8})}, tokens(120)},
      {op_glu_linear, Attrs(Activate{}), {tokens(8), fixed(Shape{100, 8}), fixed(Shape{100, 8})}, tokens(100)},
      {op_choose_experts, Attrs(ChooseExperts{.k = 3}), {tokens(5)}, experts()},
      {op_choose_experts, Attrs(ChooseExperts{.k = 3}), {tokens(5), fixed(Shape{5})}, experts()},
      {op_weigh_experts, Attrs(WeighExperts{}), {tokens(5), experts()}, tokens(3)},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 7, 8}), experts()},
       tokens(21)},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 7, 8}), experts(), fixed(Shape{5, 7}), fixed(Shape{5, 7})},
       tokens(21)},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 7, 8}), experts(), fixed(Shape{5}), fixed(Shape{5})},
       tokens(21)},
      {op_mix_experts,
       Attrs(NoAttrs{}),
       {tokens(21), fixed(Shape{5, 8, 7}), experts(), tokens(3), fixed(Shape{5, 8})},
       tokens(8)},
      {op_mix_experts,
       Attrs(NoAttrs{}),
       {tokens(21), fixed(Shape{5, 8, 7}), experts(), tokens(3), fixed(Shape{5, 8}), fixed(Shape{5})},
       tokens(8)},
      {op_expert_glu_part,
       Attrs(ExpertGluPart{.part = {10, 15}}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 7, 8}), experts()},
       tokens(21)},
      {op_mix_experts_part,
       Attrs(ExpertsPart{10, 15}),
       {tokens(21), fixed(Shape{5, 8, 7}), experts(), tokens(3), fixed(Shape{5, 8})},
       tokens(8)},
      {op_sigmoid, none, {tokens(8)}, tokens(8)},
      {op_softplus, none, {tokens(8)}, tokens(8)},
      {op_xielu, Attrs(Xielu{}), {tokens(8)}, tokens(8)},
      {op_causal_conv, Attrs(CausalConv{.taps = 3}), {tokens(8), fixed(Shape{8, 3})}, tokens(8)},
      {op_causal_conv, Attrs(CausalConv{.taps = 3}), {tokens(8), fixed(Shape{8, 3}), fixed(Shape{8})}, tokens(8)},
      {op_state_space,
       Attrs(StateSpace{.heads = 4, .groups = 2}),
       {tokens(20), tokens(6), tokens(6), tokens(4), fixed(Shape{4}), fixed(Shape{4})},
       tokens(20)},
      {op_delta_net,
       Attrs(DeltaNet{.heads = 4, .key_heads = 2}),
       {tokens(6), tokens(6), tokens(20), tokens(4), tokens(4), fixed(Shape{4})},
       tokens(20)},
      {op_delta_net,
       Attrs(DeltaNet{.heads = 4, .key_heads = 2}),
       {tokens(6), tokens(6), tokens(20), tokens(12), tokens(4), fixed(Shape{4})},
       tokens(20)},
      {op_head_columns, Attrs(HeadColumns{2, 1, 3}), {tokens(8)}, tokens(6)},
      {op_join_heads, Attrs(JoinHeads{.heads = 2}), {tokens(8), tokens(6)}, tokens(14)},
      {op_join_heads, Attrs(JoinHeads{.heads = 2, .shared = true}), {tokens(8), tokens(3)}, tokens(14)},
      {op_head_linear, Attrs(NoAttrs{}), {tokens(8), fixed(Shape{2, 5, 4})}, tokens(10)},
      {op_add, none, {tokens(8), fixed(Shape{2})}, tokens(8)},
      {op_mul, none, {tokens(8), tokens(4)}, tokens(8)},
      {op_clamp, Attrs(Clamp{1}), {tokens(8)}, tokens(8)},
      {op_layer_norm, Attrs(LayerNorm{}), {outputs(8), fixed(Shape{8}), fixed(Shape{8})}, outputs(8)},
      {op_layer_norm, Attrs(LayerNorm{.parts = 2}), {tokens(8), fixed(Shape{4})}, tokens(8)},
      {op_mean, Attrs(Mean{}), {tokens(8)}, tokens(1)},
      {op_mean, Attrs(Mean{2}), {tokens(8)}, tokens(2)},
      {op_pick_rows, none, {tokens(8), ids(Rows::kOutputs)}, outputs(8)},
      {op_rms_norm, Attrs(RmsNorm{}), {outputs(8), fixed(Shape{8})}, outputs(8)},
      {op_rms_norm, Attrs(RmsNorm{.parts = 4}), {outputs(8), fixed(Shape{2})}, outputs(8)},
      {op_rms_norm, Attrs(RmsNorm{.parts = 4}), {outputs(8), fixed(Shape{8})}, outputs(8)},
      {op_rope, Attrs(Rope{.d_head = 8}), {tokens(24), tokens(6)}, tokens(24)},
      {op_rope, Attrs(Rope{.d_head = 8}), {tokens(24), tokens(6), tokens(6)}, tokens(24)},
      {op_rope_table, Attrs(RopeTable{.dims = 6}), {ids()}, tokens(6)},
      {op_rope_table, Attrs(RopeTable{.dims = 6}), {ids(), fixed(Shape{3})}, tokens(6)},
      {op_rsqrt, Attrs(Rsqrt{}), {tokens(1)}, tokens(1)},
      {op_log_temperature, Attrs(LogTemperature{.scale = 0.1f, .length = 8}), {ids()}, tokens(1)},
      {op_activation, Attrs(Activate{}), {tokens(8)}, tokens(8)},
      {op_scale, Attrs(ScaleBy{2}), {tokens(8)}, tokens(8)},
      {op_softcap, Attrs(Softcap{30}), {tokens(8)}, tokens(8)},
      {op_softmax, Attrs(Softmax{2}), {tokens(8)}, tokens(8)},
      {op_softmax, Attrs(Softmax{2}), {tokens(8), fixed(Shape{2})}, tokens(8)},
      {op_split_heads, Attrs(SplitHeads{2, &format_f32}), {tokens(16)}, rows(4, 8)},
      {op_split_heads, Attrs(SplitHeads{2, &format_i8}), {tokens(16), kScale}, rows(4, 8, format_i8)},
      {op_glu, Attrs(Activate{}), {tokens(8), tokens(8)}, tokens(8)},
      {op_window_attention, Attrs(kHeads), {tokens(32), rows(13, 8), rows(13, 16), ids()}, tokens(64)},
      {op_window_attention,
       Attrs(kHeads),
       {tokens(32), rows(13, 8, format_i8), rows(13, 16, format_i8), ids(), kScale, kScale},
       tokens(64)},
  };
}

TEST(Infer, GivesTheOutputsShape) {
  for (const Good& c : good()) {
    const ValueDesc out = c.op.infer(c.attrs, c.in);
    EXPECT_EQ(out.shape, c.out.shape) << c.op.name << " " << out.shape.to_string();
    EXPECT_EQ(out.rows, c.out.rows) << c.op.name;
    EXPECT_EQ(out.format, c.out.format) << c.op.name;
  }
}

TEST(Infer, EveryOperationRefusesTooFewAndTooManyInputs) {
  std::map<std::string_view, int> seen;
  for (const Good& c : good()) {
    ++seen[c.op.name];
    Descs fewer(c.in.begin(), c.in.end() - 1), more = c.in;
    more.resize(std::max<size_t>(4, c.in.size() + 1), tokens(8));
    // With this many inputs, the last is one that may be left out.
    const std::set<std::pair<std::string_view, size_t>> optional = {
        {"rope_table", 2},     {"softmax", 2},     {"linear", 3},      {"layer_norm", 3},
        {"choose_experts", 2}, {"mix_experts", 5}, {"mix_experts", 6}, {"mix_experts_part", 5},
        {"rope", 3},           {"causal_conv", 3}, {"kv_append", 2}};
    if (!optional.contains({c.op.name, c.in.size()})) {
      EXPECT_EQ(test::error_of([&] { c.op.infer(c.attrs, fewer); }).code(), Errc::kBadInput) << c.op.name;
    }
    if (c.op.name == "linear" || c.op.name == "rope") continue;  // any number of weights or tables
    const Error e = test::error_of([&] { c.op.infer(c.attrs, more); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << c.op.name;
    EXPECT_NE(std::string(e.what()).find("inputs, got " + std::to_string(more.size())), std::string::npos) << e.what();
  }
  for (const OpDef* op : ops()) EXPECT_GT(seen[op->name], 0) << "no case above for " << op->name;
}

struct Bad {
  const OpDef& op;
  Attrs attrs;
  Descs in;
  const char* says;
};

TEST(Infer, RefusesWhatDoesNotFit) {
  const Attrs none{NoAttrs{}}, heads(kHeads), linear(NoAttrs{}), norm(RmsNorm{}), rope(Rope{.d_head = 8});
  const auto attention = [](auto change) {
    Attention a = kHeads;
    change(a);
    return Attrs(a);
  };
  const Bad cases[] = {
      {op_add, none, {tokens(8), tokens(7)}, "do not go together"},
      {op_mul, none, {tokens(8), outputs(8)}, "do not go together"},
      {op_attention, heads, {tokens(31), kCache}, "q: want rows of 32"},
      {op_attention, heads, {fixed(Shape{32}), kCache}, "want a (rows, n) value"},
      {op_attention,
       attention([](Attention& a) { a.n_heads = 3; }),
       {tokens(24), kCache},
       "3 query heads do not divide over 2"},
      {op_attention, attention([](Attention& a) { a.n_kv_heads = 0; }), {tokens(32), kCache}, "do not divide"},
      {op_attention, attention([](Attention& a) { a.window = {-1}; }), {tokens(32), kCache}, "negative window: -1"},
      {op_concat_rows, none, {rows(9, 8), rows(4, 7)}, "want rows of the same heads, got (2, 9, 8) and (2, 4, 7)"},
      {op_concat_rows, none, {rows(9, 8), rows(4, 8, format_i8)}, "want rows of the same heads"},
      {op_concat_rows, none, {rows(9, 8), fixed(Shape{4, 8})}, "want rows of the same heads"},
      {op_embed, none, {ids(), fixed(Shape{100})}, "want a (rows, n) value"},
      {op_embed_part, Attrs(EmbedPart{101, 200}), {ids(), fixed(Shape{100, 8})}, "rows 101 to 200 of a table of 200"},
      {op_exchange_columns, Attrs(ExchangeColumns{&kExchange}), {tokens(4)}, "the rank's columns: want rows of 3"},
      {op_kv_append, Attrs(KvAppend{2, 0}), {tokens(16), fixed(Shape{8})}, "want a (rows, n) value"},
      {op_kv_append, Attrs(KvAppend{2, 0}), {tokens(15), tokens(32)}, "do not divide"},
      {op_kv_append, Attrs(KvAppend{2, 0}), {tokens(16), tokens(31)}, "do not divide"},
      {op_kv_append, Attrs(KvAppend{2, 0}), {tokens(16), outputs(32)}, "values: want as many rows as (4, 16)"},
      {op_kv_append, Attrs(KvAppend{0, 0}), {tokens(16), tokens(32)}, "do not divide"},
      {op_columns, Attrs(Columns{2, 7}), {tokens(8)}, "want columns 2 to 8, but there are 8"},
      {op_columns, Attrs(Columns{-1, 4}), {tokens(8)}, "want columns -1 to 2, but there are 8"},
      {op_columns, Attrs(Columns{3, 0}), {tokens(8)}, "want columns 3 to 2, but there are 8"},
      {op_linear, linear, {tokens(8)}, "want 2 inputs or more, got 1"},
      {op_linear, linear, {tokens(8), fixed(Shape{100, 9})}, "weight: want rows of 8, got (100, 9)"},
      {op_linear, linear, {tokens(8), fixed(Shape{9, 8}), fixed(Shape{9, 9})}, "weight: want rows of 8, got (9, 9)"},
      {op_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{100, 8}), fixed(Shape{99, 8})},
       "up: want (100, 8) as of gate, got (99, 8)"},
      {op_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{100, 8}), fixed(Shape{100, 9})},
       "weight: want rows of 8, got (100, 9)"},
      {op_linear, linear, {tokens(8), fixed(Shape{8})}, "want a (rows, n) value"},
      {op_linear, linear, {fixed(Shape{8}), fixed(Shape{100, 8})}, "want a (rows, n) value"},
      {op_clamp, Attrs(Clamp{0}), {tokens(8)}, "want a positive limit, got 0"},
      {op_causal_conv, Attrs(CausalConv{.taps = 1}), {tokens(8), fixed(Shape{8, 1})}, "want 2 taps or more, got 1"},
      {op_causal_conv, Attrs(CausalConv{.taps = 3}), {tokens(8), fixed(Shape{8, 4})}, "want f32 taps (8, 3), got (8, 4)"},
      {op_state_space,
       Attrs(StateSpace{.heads = 3, .groups = 2}),
       {tokens(20), tokens(6), tokens(6), tokens(3), fixed(Shape{3}), fixed(Shape{3})},
       "do not divide over 3 heads in 2 groups"},
      {op_state_space,
       Attrs(StateSpace{.heads = 4, .groups = 2}),
       {tokens(20), tokens(6), tokens(6), tokens(4), fixed(Shape{4}), fixed(Shape{5})},
       "want 4 numbers, got (5)"},
      {op_choose_keys, Attrs(kIndexer), {tokens(24), tokens(4), kCache}, "weights: want rows of 3"},
      {op_attention, Attrs(chosen()), {tokens(32), kCache, experts()}, "chosen keys: want rows of 6"},
      {op_delta_net,
       Attrs(DeltaNet{.heads = 4, .key_heads = 2}),
       {tokens(6), tokens(6), tokens(20), tokens(5), tokens(4), fixed(Shape{4})},
       "decays have 5 columns for 4 heads of 3"},
      {op_layer_norm, Attrs(LayerNorm{}), {tokens(8), fixed(Shape{4})}, "weight: want (8), got (4)"},
      {op_layer_norm, Attrs(LayerNorm{}), {tokens(8), fixed(Shape{8}), fixed(Shape{4})}, "bias: want (8), got (4)"},
      {op_layer_norm, Attrs(LayerNorm{.parts = 3}), {tokens(8), fixed(Shape{8})}, "rows of 8 do not divide into 3 parts"},
      {op_mean, Attrs(Mean{}), {fixed(Shape{8})}, "want a (rows, n) value"},
      {op_mean, Attrs(Mean{3}), {tokens(8)}, "rows of 8 do not divide into 3 parts"},
      {op_pick_rows, none, {fixed(Shape{8}), ids(Rows::kOutputs)}, "want a (rows, n) value"},
      {op_rms_norm, norm, {tokens(8), fixed(Shape{7})}, "weight: want (8), got (7)"},
      {op_rms_norm, norm, {tokens(8), fixed(Shape{4, 8})}, "weight: want (8), got (4, 8)"},
      {op_rms_norm, Attrs(RmsNorm{.parts = 2}), {tokens(8), fixed(Shape{2})}, "weight: want (4) or (8), got (2)"},
      {op_softcap, Attrs(Softcap{-1}), {tokens(8)}, "want a positive cap, got -1"},
      {op_choose_experts, Attrs(ChooseExperts{.k = 6}), {tokens(5)}, "want 1 to 5 experts per token, got 6"},
      {op_choose_experts, Attrs(ChooseExperts{.k = 0}), {tokens(5)}, "want 1 to 5 experts per token, got 0"},
      {op_choose_experts, Attrs(ChooseExperts{.k = 3, .groups = 2}), {tokens(5)}, "5 experts do not divide into 2 groups"},
      {op_choose_experts, Attrs(ChooseExperts{.k = 3, .groups = 0}), {tokens(5)}, "into 0 groups"},
      {op_choose_experts, Attrs(ChooseExperts{.k = 3, .groups = 2}), {tokens(4)}, "want 1 to 2 experts per token, got 3"},
      {op_choose_experts,
       Attrs(ChooseExperts{.groups = 2, .groups_used = 3}),
       {tokens(4)},
       "want 1 to 2 groups to choose from, got 3"},
      {op_choose_experts, Attrs(ChooseExperts{.groups = 4, .group_best = 2}), {tokens(4)}, "cannot be judged by 2"},
      {op_choose_experts, Attrs(ChooseExperts{.k = 3}), {tokens(5), fixed(Shape{4})}, "want rows of 5"},
      {op_weigh_experts, Attrs(WeighExperts{}), {tokens(5), outputs(3)}, "ids: want as many rows"},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{7, 8}), fixed(Shape{7, 8}), experts()},
       "weight: want (experts, n, k), got (7, 8)"},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{5, 7, 9}), fixed(Shape{5, 7, 9}), experts()},
       "weight: want rows of 8"},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 6, 8}), experts()},
       "up: want (5, 7, 8) as of gate, got (5, 6, 8)"},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 7, 8}), experts(), fixed(Shape{5, 7}), fixed(Shape{5, 8})},
       "bias: want f32 (5, 7), got f32 (5, 8)"},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 7, 8}), experts(), fixed(Shape{5})},
       "want 6 inputs, got 5"},
      {op_expert_glu_linear,
       Attrs(Activate{}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 7, 8}), experts(), fixed(Shape{4}), fixed(Shape{5})},
       "scale: want f32 (5), got f32 (4)"},
      {op_mix_experts,
       Attrs(NoAttrs{}),
       {tokens(21), fixed(Shape{5, 8, 7}), experts(), tokens(3), fixed(Shape{8})},
       "scale: want f32 (5), got f32 (8)"},
      {op_expert_glu_part,
       Attrs(ExpertGluPart{.part = {11, 15}}),
       {tokens(8), fixed(Shape{5, 7, 8}), fixed(Shape{5, 7, 8}), experts()},
       "experts 11 to 15 of 15"},
      {op_mix_experts,
       Attrs(NoAttrs{}),
       {tokens(20), fixed(Shape{5, 8, 7}), experts(), tokens(3)},
       "rows of 20 do not divide over 3 experts"},
      {op_mix_experts,
       Attrs(NoAttrs{}),
       {tokens(21), fixed(Shape{5, 8, 7}), experts(), tokens(2)},
       "weights: want rows of 3"},
      {op_mix_experts,
       Attrs(NoAttrs{}),
       {tokens(21), fixed(Shape{5, 8, 6}), experts(), tokens(3)},
       "weight: want rows of 7"},
      {op_head_columns, Attrs(HeadColumns{2, 2, 3}), {tokens(8)}, "heads of 4 have no 3 columns from 2 on"},
      {op_head_columns, Attrs(HeadColumns{3, 0, 1}), {tokens(8)}, "rows of 8 do not divide into 3 heads"},
      {op_join_heads, Attrs(JoinHeads{.heads = 2}), {tokens(8), tokens(3)}, "rows of 3 do not divide into 2 heads"},
      {op_head_linear, Attrs(NoAttrs{}), {tokens(8), fixed(Shape{2, 5, 3})}, "weight: want rows of 4"},
      {op_rope, Attrs(Rope{.d_head = 8, .first = 3}), {tokens(24), tokens(6)}, "heads that have 8, from 3 on"},
      {op_rope, rope, {tokens(20), tokens(6)}, "20 do not divide into heads of 8"},
      {op_rope, rope, {tokens(24), tokens(10)}, "rotates 10 values of heads that have 8"},
      {op_rope, rope, {tokens(24), outputs(6)}, "table: want as many rows"},
      {op_rope, rope, {tokens(24), tokens(6), tokens(8)}, "table: want rows of 6, got (4, 8)"},
      {op_rope, rope, {tokens(24)}, "want 2 inputs or more, got 1"},
      {op_rope, Attrs(Rope{.d_head = 0}), {tokens(24), tokens(6)}, "heads of 0"},
      {op_rope_table, Attrs(RopeTable{.dims = 7}), {ids()}, "even number of rotated values, got 7"},
      {op_rope_table, Attrs(RopeTable{.dims = 0}), {ids()}, "even number of rotated values, got 0"},
      {op_rope_table, Attrs(RopeTable{.dims = 6}), {ids(), fixed(Shape{4})}, "divisors: want rows of 3"},
      {op_attention, Attrs(kBiased), {tokens(32), kCache, fixed(Shape{4, 8})}, "want an odd number for each of 4 heads"},
      {op_attention, Attrs(kBiased), {tokens(32), kCache}, "want 3 inputs, got 2"},
      {op_attention_mask, Attrs(kBiased), {tokens(4 * kSlots), fixed(Shape{3, 9})}, "biases by distance are (3, 9)"},
      {op_distance_bias, Attrs(DistanceBias{}), {fixed(Shape{30, 3})}, "30 buckets: want a multiple of 4"},
      {op_distance_bias, Attrs(DistanceBias{.reach = 8}), {fixed(Shape{32, 3})}, "32 buckets do not fit distances up to 8"},
      {op_log_temperature,
       Attrs(LogTemperature{.scale = 0.1f, .length = 0}),
       {ids()},
       "positive number of positions, got 0"},
      {op_split_heads, Attrs(SplitHeads{3, &format_f32}), {tokens(16)}, "16 do not divide over 3 heads"},
      {op_split_heads, Attrs(SplitHeads{0, &format_f32}), {tokens(16)}, "do not divide"},
      {op_split_heads, Attrs(SplitHeads{2, &format_i8}), {tokens(16), fixed(Shape{2})}, "scale: want (1), got (2)"},
      {op_glu, Attrs(Activate{}), {tokens(8), tokens(7)}, "up: want"},
      {op_glu, Attrs(Activate{}), {tokens(8), outputs(8)}, "up: want"},
      {op_glu, Attrs(Activate{}), {tokens(8), fixed(Shape{8})}, "up: want"},
      {op_window_attention, heads, {tokens(31), rows(13, 8), rows(13, 16), ids()}, "q: want rows of 32"},
      {op_window_attention, heads, {tokens(32), rows(13, 9), rows(13, 16), ids()}, "keys: want (2, 13, 8)"},
      {op_window_attention, heads, {tokens(32), rows(13, 8), rows(12, 16), ids()}, "values: want (2, 13, 16)"},
      {op_window_attention, heads, {tokens(32), tokens(8), rows(13, 16), ids()}, "keys: want"},
      {op_window_attention, heads, {tokens(32), rows(3, 8), rows(3, 16), ids()}, "3 rows of keys are not enough for 4"},
      {op_window_attention,
       attention([](Attention& a) { a.window = {-1}; }),
       {tokens(32), rows(13, 8), rows(13, 16), ids()},
       "negative window: -1"},
  };
  for (const Bad& c : cases) {
    const Error e = test::error_of([&] { c.op.infer(c.attrs, c.in); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << c.op.name << ", " << c.says << ": " << e.what();
    EXPECT_NE(std::string(e.what()).find(c.says), std::string::npos) << c.op.name << ": " << e.what();
  }
}

}  // namespace
}  // namespace skald
