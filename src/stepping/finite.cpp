#include "stepping/finite.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "graph/op.h"

namespace skald {
namespace {

// Bits of the exponent, which are all set in values that are not finite; 0 for formats whose values are not looked at.
uint32_t exponent_of(const Format* format) {
  if (format == &format_f32) return 0x7f800000;
  if (format->name == "f16") return 0x7c00;
  if (format->name == "bf16") return 0x7f80;
  return 0;
}

template <class T>
bool row_is_finite(const std::byte* row, int64_t n, uint32_t exponent) {
  const auto* x = reinterpret_cast<const T*>(row);
  return std::none_of(x, x + n, [&](T bits) { return (bits & exponent) == exponent; });
}

// The first row with such a value, or -1.
int64_t bad_row(const TensorView& t) {
  const uint32_t exponent = exponent_of(t.desc.format);
  if (!exponent || t.packed) return -1;
  const bool wide = t.desc.format == &format_f32;
  const int64_t per_slice = t.shape().rank() > 2 ? t.rows() / t.shape()[0] : 1;
  for (int64_t r = 0; r < t.rows(); ++r) {
    const std::byte* row = t.slice(r / per_slice) + r % per_slice * t.desc.row_bytes();
    if (!(wide ? row_is_finite<uint32_t>(row, t.cols(), exponent) : row_is_finite<uint16_t>(row, t.cols(), exponent)))
      return r;
  }
  return -1;
}

}  // namespace

bool all_finite(std::span<const float> values) {
  constexpr uint32_t kExponent = 0x7f800000;
  constexpr size_t kLanes = 16;  // a maximum of bits in lanes is what compilers make vectors of
  std::array<uint32_t, kLanes> most{};
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      most[lane] = std::max(most[lane], std::bit_cast<uint32_t>(values[i + lane]) & kExponent);
  for (; i < values.size(); ++i) most[0] = std::max(most[0], std::bit_cast<uint32_t>(values[i]) & kExponent);
  return std::ranges::max(most) < kExponent;
}

bool all_finite(const Logits& logits) {
  for (int64_t i = 0; i < logits.rows(); ++i)
    if (!all_finite({logits.row(i), static_cast<size_t>(logits.cols())})) return false;
  return true;
}

void NonFiniteFinder::before(const Graph& graph, const Node& node, std::span<const TensorView> in) {
  if (!where_.empty()) return;
  // What an operation gave is looked at before the weights of those that follow.
  for (const Source source : {Source::kOp, Source::kWeight})
    for (size_t i = 0; i < in.size(); ++i) {
      const Node& from = graph.node(node.inputs[i]);
      if (from.source != source || !in[i].data) continue;
      const int64_t row = bad_row(in[i]);
      if (row < 0) continue;
      if (source == Source::kWeight) {
        where_ = fmt::format("tensor {}", from.name);
        return;
      }
      const bool token = from.out.rows == Rows::kTokens && row < std::ssize(positions_);
      where_ = fmt::format("operation {} {}{}", from.op->name, from.name,
                           token ? fmt::format(", token {}", positions_[static_cast<size_t>(row)]) : "");
      return;
    }
}

void check_finite(const Logits& logits, std::span<const int32_t> positions,
                  const std::function<void(StepObserver& observer)>& again) {
  if (all_finite(logits)) return;
  NonFiniteFinder finder(positions);
  again(finder);
  fail(Errc::kBadFile, "the model gives logits that are not finite (NaN or infinity); {}",
       finder.where().empty() ? "it arose in the last operation" : "the first such value is in " + finder.where());
}

}  // namespace skald
