// What an operation is: attributes as plain data, shape inference, meaning in smaller operations, cost. Knows no device.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "graph/cut.h"
#include "tensor/state_spec.h"
#include "tensor/tensor.h"

namespace skald {

class Graph;

/// What the first dimension of a value counts; the real number is known only when a step runs.
enum class Rows : uint8_t {
  kFixed,    // the shape is what it is: weights
  kTokens,   // one row per token of the step
  kOutputs,  // one row per token whose logits are wanted
};

struct ValueDesc {
  const Format* format = nullptr;
  Shape shape;  // dimension 0 at the step's capacity where rows != kFixed
  Rows rows = Rows::kFixed;

  TensorDesc tensor() const { return {format, shape}; }
};

/// Attributes of any operation: one small trivially copyable struct with ==, remembered with its type.
class Attrs {
 public:
  static constexpr size_t kMaxBytes = 128;

  Attrs() = default;
  template <class T>
  requires(std::is_trivially_copyable_v<T> && sizeof(T) <= kMaxBytes &&
           !std::is_same_v<T, Attrs>) explicit Attrs(const T& value)
      : type_(&kType<T>) {
    std::memcpy(bytes_, &value, sizeof(T));
  }
  template <class T>
  const T& get() const {
    if (type_ != &kType<T>) wrong_type();
    return *reinterpret_cast<const T*>(bytes_);
  }
  bool same_as(const Attrs& other) const { return type_ == other.type_ && (!type_ || type_->equal(bytes_, other.bytes_)); }

 private:
  struct Type {
    bool (*equal)(const void* a, const void* b);  // field by field: padding has no value
  };
  template <class T>
  static constexpr Type kType{
      [](const void* a, const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); }};
  [[noreturn]] static void wrong_type();

  alignas(8) std::byte bytes_[kMaxBytes] = {};
  const Type* type_ = nullptr;
};

/// For operations without attributes.
struct NoAttrs {
  friend bool operator==(const NoAttrs&, const NoAttrs&) = default;
};

/// Work and memory traffic of one call, as an ideal implementation would have them.
struct Cost {
  double bytes = 0;  // read and written once
  double flops = 0;  // a multiply and an add count as two
};

struct SparqParams;

/// What a step looked like, for costs: actual rows, and the keys that its attention touched.
struct StepStats {
  /// Each sequence's share of a step: `rows` tokens, the last of which sees `keys` keys (window aside).
  struct Sequence {
    int64_t rows = 0, keys = 0;
    const SparqParams* sparq = nullptr;  // its rows read few keys; null: all
    int64_t prefix = 0;                  // first keys that rows before them see too
  };
  struct Keys {
    double read = 0;   // distinct keys that must be read
    double pairs = 0;  // (query, key) pairs
  };

  int64_t n_tokens = 0, n_outputs = 0;
  std::span<const Sequence> sequences;
  double kv_element_bytes_k = 0, kv_element_bytes_v = 0;  // per stored element
  double kv_index_bytes = 0;                              // per element of the second copy of the keys; 0: there is none
  int64_t experts_read = 0;  // distinct ones that the tokens went to, where that was counted; 0: as even routing has it

  int64_t rows(const ValueDesc& d) const;
  double bytes(const ValueDesc& d) const;     // with the actual number of rows
  double elements(const ValueDesc& d) const;  // likewise
  /// Returns the share of this many experts that some token goes to, where each token goes to k of them.
  double share_of_experts(int64_t n_experts, int64_t k) const;
  Keys keys_in(const KeyWindow& window) const;                             // what dense attention with this window touches
  static Keys keys_of(const Sequence& sequence, const KeyWindow& window);  // likewise, of one sequence
};

/// A handle on a graph's value; what model files compute with.
struct Tensor {
  Graph* graph = nullptr;
  int id = -1;

  const ValueDesc& desc() const;
  int64_t cols() const { return desc().shape.back(); }
};

struct OpDef {
  std::string_view name;
  /// Checks the inputs (throws kBadInput saying what was wanted) and gives the output.
  ValueDesc (*infer)(const Attrs&, std::span<const ValueDesc> in);
  /// The meaning in smaller operations: fallback and test oracle; null for primitives.
  Tensor (*expand)(Graph&, const Attrs&, std::span<const Tensor> in);
  Cost (*cost)(const Attrs&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats&);
  /// Attributes in a few words, for the dot dump.
  std::string (*describe)(const Attrs&);
  /// It may write over its first input when no later operation reads that.
  bool in_place = false;
  /// A row of the output comes of the same row of each input that has rows, and of weights.
  bool by_rows = false;
  /// Set where it can compute some rows alone, whose numbers are then a last input more: its attributes for that.
  Attrs (*of_some_rows)(const Attrs&) = nullptr;
  /// Set where nothing is computed or copied: the output shows the memory of the first input from this column on (further
  /// inputs lie after it).
  int64_t (*view_from)(const Attrs&) = nullptr;
  /// Set for stateful operations: the slot that the attributes name.
  int32_t (*slot)(const Attrs&) = nullptr;
  /// The first input is multiplied by the others, which are weights ([experts,] n, k), or by the first `factors` of them.
  bool matmul = false;
  size_t factors = kAllInputs;

  /// Of ranks that share a graph, which see only parts of a cut output; none, or a null function: it is computed whole. Each
  /// gives the plan by which every rank computes its part: of the output (a kv_append's is its heads),
  std::optional<CutPlan> (*cut)(const Attrs&, std::span<const ValueDesc> in, const ValueDesc& out,
                                const Cut& wanted) = nullptr;
  /// or an addend of the whole output, from a part of the first input's columns.
  std::optional<CutPlan> (*addends)(const Attrs&, std::span<const ValueDesc> in, const ValueDesc& out,
                                    const Cut& first) = nullptr;
  /// Set for operations with heads: the only cut of the output that they know.
  Cut (*own_cut)(const Attrs&, const ValueDesc& out, size_t ranks) = nullptr;

  static constexpr size_t kAllInputs = ~size_t{0};
  /// Whether input i is a weight that the first one is multiplied by.
  bool is_factor(size_t i) const { return matmul && i > 0 && i - 1 < factors; }
};

/// Reads each input once, writes the output once, one operation per element: right for element-wise operations.
Cost streaming_cost(const Attrs&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step);

namespace op_detail {

template <auto Fn, class A>
ValueDesc infer(const Attrs& a, std::span<const ValueDesc> in) {
  return Fn(a.get<A>(), in);
}
template <auto Fn, class A>
Tensor expand(Graph& g, const Attrs& a, std::span<const Tensor> in) {
  return Fn(g, a.get<A>(), in);
}
template <auto Fn, class A>
Cost cost(const Attrs& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  return Fn(a.get<A>(), in, out, step);
}
template <auto Fn, class A>
std::optional<CutPlan> cut(const Attrs& a, std::span<const ValueDesc> in, const ValueDesc& out, const Cut& cut) {
  return Fn(a.get<A>(), in, out, cut);
}
template <auto Fn, class A>
Cut own_cut(const Attrs& a, const ValueDesc& out, size_t ranks) {
  return Fn(a.get<A>(), out, ranks);
}
template <class A>
int32_t slot(const Attrs& a) {
  return a.get<A>().slot;
}
template <class A>
std::string describe(const Attrs& a) {
  if constexpr (requires(const A& x) { x.describe(); }) {
    return a.get<A>().describe();
  } else {
    return {};
  }
}

}  // namespace op_detail

/// The parts of an operation that differ from the defaults (a primitive with streaming cost, out of place).
struct OpTraits {
  bool in_place = false;
  bool by_rows = false;
  bool matmul = false;
  size_t factors = OpDef::kAllInputs;
  int64_t (*view_from)(const Attrs&) = nullptr;
  Attrs (*of_some_rows)(const Attrs&) = nullptr;
};

template <class A, auto Infer, auto Expand = nullptr, auto CostFn = nullptr>
constexpr OpDef define_op(std::string_view name, OpTraits traits = {}) {
  OpDef def{.name = name,
            .infer = op_detail::infer<Infer, A>,
            .expand = nullptr,
            .cost = streaming_cost,
            .describe = op_detail::describe<A>,
            .in_place = traits.in_place,
            .by_rows = traits.by_rows,
            .of_some_rows = traits.of_some_rows,
            .view_from = traits.view_from,
            .slot = nullptr,
            .matmul = traits.matmul,
            .factors = traits.factors};
  if constexpr (requires(const A& a) { a.slot; }) def.slot = op_detail::slot<A>;
  if constexpr (!std::is_null_pointer_v<decltype(Expand)>) def.expand = op_detail::expand<Expand, A>;
  if constexpr (!std::is_null_pointer_v<decltype(CostFn)>) def.cost = op_detail::cost<CostFn, A>;
  return def;
}

/// The operation with what it says about cuts; null for what it does not know.
template <class A, auto CutFn, auto AddendsFn = nullptr, auto OwnCutFn = nullptr>
constexpr OpDef with_cuts(OpDef def) {
  if constexpr (!std::is_null_pointer_v<decltype(CutFn)>) def.cut = op_detail::cut<CutFn, A>;
  if constexpr (!std::is_null_pointer_v<decltype(AddendsFn)>) def.addends = op_detail::cut<AddendsFn, A>;
  if constexpr (!std::is_null_pointer_v<decltype(OwnCutFn)>) def.own_cut = op_detail::own_cut<OwnCutFn, A>;
  return def;
}

/// All operations, one per file of graph/ops (generated).
std::span<const OpDef* const> ops();

}  // namespace skald
