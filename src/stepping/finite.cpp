#include "stepping/finite.h"

#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "graph/op.h"
#include "tensor/finite.h"

namespace skald {
namespace {

// The first row with such a value, or -1.
int64_t bad_row(const TensorView& t) {
  if (t.packed || t.desc.format->block != 1) return -1;
  const int64_t per_slice = t.shape().rank() > 2 ? t.rows() / t.shape()[0] : 1;
  for (int64_t r = 0; r < t.rows(); ++r) {
    const std::byte* row = t.slice(r / per_slice) + r % per_slice * t.desc.row_bytes();
    if (!all_finite(*t.desc.format, row, t.cols())) return r;
  }
  return -1;
}

}  // namespace

bool all_finite(std::span<const float> values) {
  return all_finite(format_f32, reinterpret_cast<const std::byte*>(values.data()), std::ssize(values));
}

bool all_finite(const Logits& logits) {
  for (int64_t i = 0; i < logits.rows(); ++i)
    if (const BestTokens* const told = logits.best(i); told ? !told->finite : !all_finite(logits.row(i))) return false;
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

namespace {

// Nothing where a value was not finite.
std::optional<Logits> try_run(const std::function<StepOutput(StepObserver*)>& run, StepObserver* observer, bool given) {
  try {
    Logits logits(run(observer));
    if (!given || all_finite(logits)) return logits;
  } catch (const NotFinite&) {
  }
  return std::nullopt;
}

}  // namespace

Logits finite_logits(const std::function<StepOutput(StepObserver* observer)>& run, std::span<const int32_t> positions,
                     bool given) {
  if (std::optional<Logits> logits = try_run(run, nullptr, given)) return *std::move(logits);
  NonFiniteFinder finder(positions);
  try_run(run, &finder, given);
  fail(Errc::kBadFile, "the model gives numbers that are not finite (NaN or infinity); {}",
       finder.where().empty() ? "it arose in the last operation" : "the first such value is in " + finder.where());
}

}  // namespace skald
