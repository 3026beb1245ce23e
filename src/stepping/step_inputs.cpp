#include "stepping/step_inputs.h"

#include <algorithm>

#include "base/error.h"
#include "graph/input_names.h"

namespace skald {
namespace {

int64_t position(const KvSequence& kv, int64_t i) { return kv.length() + i; }

constexpr StepInput kStepInputs[] = {
    {input_names::kPositions, [](const KvSequence& kv, int64_t i) { return static_cast<int32_t>(position(kv, i)); }},
    // Less what was dropped.
    {input_names::kKeptPositions, [](const KvSequence& kv, int64_t i) { return static_cast<int32_t>(kv.held() + i); }},
    // As far as the sequence's prefix goes.
    {input_names::kPrefixPositions,
     [](const KvSequence& kv, int64_t i) {
       return static_cast<int32_t>(std::min(position(kv, i), std::max<int64_t>(kv.prefix() - 1, 0)));
     }},
    // Counted behind it, from 1; 0 within.
    {input_names::kSuffixPositions,
     [](const KvSequence& kv, int64_t i) {
       return static_cast<int32_t>(std::max<int64_t>(position(kv, i) - kv.prefix() + 1, 0));
     }},
};

void fill_places(const StepInput* input, std::span<const StepItem> items, std::vector<int32_t>& out) {
  for (const StepItem& item : items)
    for (int64_t i = 0; i < std::ssize(item.tokens); ++i) out.push_back(input->at(*item.kv, i));
}

void fill_tokens(const StepInput*, std::span<const StepItem> items, std::vector<int32_t>& out) {
  for (const StepItem& item : items) out.insert(out.end(), item.tokens.begin(), item.tokens.end());
}

// 1 of the second text of a pair.
void fill_token_types(const StepInput*, std::span<const StepItem> items, std::vector<int32_t>& out) {
  for (const StepItem& item : items)
    for (int64_t i = 0; i < std::ssize(item.tokens); ++i) out.push_back(item.second >= 0 && i >= item.second ? 1 : 0);
}

// The last tokens of each sequence.
void fill_output_rows(const StepInput*, std::span<const StepItem> items, std::vector<int32_t>& out) {
  int64_t end = 0;
  for (const StepItem& item : items) {
    end += std::ssize(item.tokens);
    for (int64_t row = end - item.n_outputs; row < end; ++row) out.push_back(static_cast<int32_t>(row));
  }
}

}  // namespace

std::span<const StepInput> step_inputs() { return kStepInputs; }

StepInputs::StepInputs(const Graph& graph) {
  for (int id : graph.step_inputs()) values_.push_back(find(graph.node(id).name));
  places_.resize(values_.size());
}

StepInputs::Value StepInputs::find(std::string_view name) {
  if (name == input_names::kTokens) return {fill_tokens, nullptr};
  if (name == input_names::kTokenTypes) return {fill_token_types, nullptr};
  if (name == input_names::kOutputRows) return {fill_output_rows, nullptr};
  const auto at = std::ranges::find(step_inputs(), name, &StepInput::name);
  if (at == step_inputs().end()) fail(Errc::kInternal, "unknown graph input {}", name);
  return {fill_places, &*at};
}

std::span<const int32_t* const> StepInputs::fill(std::span<const StepItem> items) {
  for (size_t i = 0; i < values_.size(); ++i) {
    Value& value = values_[i];
    value.ints.clear();
    value.fill(value.input, items, value.ints);
    places_[i] = value.ints.data();
  }
  return places_;
}

}  // namespace skald
