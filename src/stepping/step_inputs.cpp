#include "stepping/step_inputs.h"

#include <algorithm>

#include "base/error.h"
#include "graph/input_names.h"

namespace skald {
namespace {

using Ints = std::vector<int32_t>;

constexpr int64_t kAxes = 3;

int64_t size(const StepItem& item) { return std::ssize(item.tokens); }

// A number per token that follows from its place in the sequence.
template <int64_t (*Of)(const KvSequence& kv, int64_t position)>
void add_places(const StepItem& item, int64_t, Ints& out) {
  for (int64_t i = 0; i < size(item); ++i) out.push_back(static_cast<int32_t>(Of(*item.kv, item.kv->length() + i)));
}

// Less what was dropped.
int64_t kept(const KvSequence& kv, int64_t position) { return position - kv.dropped(); }
// As far as the sequence's prefix goes.
int64_t in_prefix(const KvSequence& kv, int64_t position) {
  return std::min(position, std::max<int64_t>(kv.prefix() - 1, 0));
}
// Counted after the prefix, from 1; 0 within.
int64_t in_suffix(const KvSequence& kv, int64_t position) { return std::max<int64_t>(position - kv.prefix() + 1, 0); }
int64_t itself(const KvSequence&, int64_t position) { return position; }

void add_positions(const StepItem& item, int64_t first, Ints& out) {
  if (item.positions.empty()) return add_places<itself>(item, first, out);
  out.insert(out.end(), item.positions.begin(), item.positions.end());
}

// A token of text has one place on all axes.
void add_axis_positions(const StepItem& item, int64_t first, Ints& out) {
  if (std::ssize(item.positions) == kAxes * size(item)) return add_positions(item, first, out);
  for (int64_t i = 0; i < size(item); ++i) {
    const int64_t place = item.positions.empty() ? item.kv->length() + i : item.positions[static_cast<size_t>(i)];
    out.insert(out.end(), kAxes, static_cast<int32_t>(place));
  }
}

void add_tokens(const StepItem& item, int64_t, Ints& out) { out.insert(out.end(), item.tokens.begin(), item.tokens.end()); }

// 1 of the second text of a pair.
void add_token_types(const StepItem& item, int64_t, Ints& out) {
  for (int64_t i = 0; i < size(item); ++i) out.push_back(item.second >= 0 && i >= item.second ? 1 : 0);
}

// The row of the step that each token follows; -1: the sequence's last token.
void add_parents(const StepItem& item, int64_t first, Ints& out) {
  for (int64_t i = 0; i < size(item); ++i) {
    const int64_t parent = item.parents.empty() ? i - 1 : item.parents[static_cast<size_t>(i)];
    out.push_back(static_cast<int32_t>(parent < 0 ? -1 : first + parent));
  }
}

// The last tokens of each sequence.
void add_output_rows(const StepItem& item, int64_t first, Ints& out) {
  const int64_t end = first + size(item);
  for (int64_t row = end - item.n_outputs; row < end; ++row) out.push_back(static_cast<int32_t>(row));
}

std::span<const float> hidden_of(const StepItem& item) { return item.hidden; }

bool is_tree(const StepItem& item) {
  for (int64_t i = 0; i < std::ssize(item.parents); ++i)
    if (item.parents[static_cast<size_t>(i)] != i - 1) return true;
  return false;
}

constexpr StepInput kStepInputs[] = {
    {input_names::kTokens, add_tokens},
    {input_names::kPositions, add_positions},
    {input_names::kAxisPositions, add_axis_positions},
    {input_names::kKeptPositions, add_places<kept>},
    {input_names::kPrefixPositions, add_places<in_prefix>},
    {input_names::kSuffixPositions, add_places<in_suffix>},
    {input_names::kTokenTypes, add_token_types},
    {input_names::kParents, add_parents},
    {input_names::kHidden, nullptr, hidden_of},
    {input_names::kOutputRows, add_output_rows},
};

void check_counts(const StepItem& item) {
  const int64_t n = size(item), positions = std::ssize(item.positions), parents = std::ssize(item.parents);
  if (positions && positions != n && positions != kAxes * n)
    fail(Errc::kBadInput, "{} positions for {} tokens: want one per token, or {}", positions, n, kAxes);
  if (parents && parents != n) fail(Errc::kBadInput, "{} parents for {} tokens", parents, n);
  for (int64_t i = 0; i < parents; ++i)
    if (const int32_t parent = item.parents[static_cast<size_t>(i)]; parent < -1 || parent >= i)
      fail(Errc::kBadInput, "the parent of token {} is {}: want one before it, or -1", i, parent);
}

}  // namespace

std::span<const StepInput> step_inputs() { return kStepInputs; }

StepInputs::StepInputs(const Graph& graph) {
  for (const int id : graph.step_inputs()) {
    const std::string_view name = graph.node(id).name;
    const auto at = std::ranges::find(step_inputs(), name, &StepInput::name);
    if (at == step_inputs().end()) fail(Errc::kInternal, "unknown graph input {}", name);
    values_.push_back({&*at, graph.node(id).out.shape.back()});
  }
}

bool StepInputs::has(std::string_view name) const {
  return std::ranges::any_of(values_, [&](const Value& v) { return v.input->name == name; });
}

void StepInputs::want(bool taken, std::string_view name) const {
  if (!taken) fail(Errc::kUnsupported, "this model's graph takes no {}", name);
}

void StepInputs::check(const StepItem& item) const {
  check_counts(item);
  const bool axes = has(input_names::kAxisPositions);
  if (std::ssize(item.positions) > size(item)) want(axes, input_names::kAxisPositions);
  if (!item.positions.empty()) want(axes || has(input_names::kPositions), input_names::kPositions);
  if (is_tree(item)) want(has(input_names::kParents), input_names::kParents);
  if (!item.hidden.empty()) want(has(input_names::kHidden), input_names::kHidden);
  for (const Value& v : values_)
    if (v.input->floats && std::ssize(v.input->floats(item)) != size(item) * v.cols)
      fail(Errc::kBadInput, "{} numbers of {} for {} tokens: want {} for each", v.input->floats(item).size(), v.input->name,
           size(item), v.cols);
}

std::span<const StepValue> StepInputs::fill(std::span<const StepItem> items) {
  given_.clear();
  for (Value& value : values_) {
    value.ints.clear();
    value.floats.clear();
    int64_t first = 0;
    for (const StepItem& item : items) {
      if (value.input->add) value.input->add(item, first, value.ints);
      if (value.input->floats)
        value.floats.insert(value.floats.end(), value.input->floats(item).begin(), value.input->floats(item).end());
      first += size(item);
    }
    if (value.input->floats)
      given_.push_back({value.input->name, value.floats.data()});
    else
      given_.push_back({value.input->name, value.ints.data()});
  }
  return given_;
}

}  // namespace skald
