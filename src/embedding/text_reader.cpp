#include "embedding/text_reader.h"

#include <algorithm>
#include <utility>

namespace skald {
namespace {

StepModel model_of_states(const LoadedModel& model) {
  StepModel out = model.step_model();
  out.graph = [&model](StepCapacity capacity) {
    capacity.states = true;
    return model.build_graph(capacity);
  };
  out.output = output_names::kStates;
  return out;
}

// Pages for as many tokens as are read together, of which each text leaves its last page half empty.
CacheOptions room_for(const EmbedderOptions& options) {
  CacheOptions cache = options.cache;
  cache.total_keys = std::max(cache.n_ctx, options.schedule.step_rows()) + kPageKeys * options.schedule.n_parallel;
  return cache;
}

}  // namespace

TextReader::TextReader(const LoadedModel& model, Backend& backend, const EmbedderOptions& options)
    : model_(model),
      rows_(options.schedule.step_rows()),
      together_(options.schedule.n_parallel),
      runner_(model_of_states(model), backend, room_for(options), options.schedule) {}

std::vector<std::vector<float>> TextReader::read(std::span<const EmbedInput> inputs, Pooling pooling,
                                                 const std::function<bool()>& stop) {
  std::vector<std::vector<float>> out;
  while (!inputs.empty()) {
    const size_t n = of_a_step(inputs);
    std::vector<Text> texts;
    for (const EmbedInput& input : inputs.first(n)) {
      texts.push_back({&input, runner_.new_sequence(), Pool(pooling, model_.d_states())});
      texts.back().kv.set_prefix(model_.prefix_length(input.tokens));
    }
    while (std::ranges::any_of(texts, [](const Text& t) { return t.left() > 0; })) {
      if (stop && stop()) return {};
      step(texts);
    }
    for (Text& text : texts) out.push_back(text.pool.take());
    inputs = inputs.subspan(n);
  }
  return out;
}

size_t TextReader::of_a_step(std::span<const EmbedInput> inputs) const {
  size_t n = 0;
  for (int64_t rows = 0; n < inputs.size() && std::cmp_less(n, together_); ++n) {
    rows += std::ssize(inputs[n].tokens);
    if (n > 0 && rows > rows_) break;
  }
  return n;
}

void TextReader::step(std::vector<Text>& texts) {
  std::vector<StepItem> items;
  for (Text& t : texts) {
    const bool whole = t.kv.prefix() > t.done;
    const int64_t n = whole ? t.left() : std::min(t.left(), rows_);
    const std::span<const TokenId> tokens =
        std::span(t.input->tokens).subspan(static_cast<size_t>(t.done), static_cast<size_t>(n));
    items.push_back({.kv = &t.kv,
                     .tokens = tokens,
                     .n_outputs = t.pool.outputs(n, n == t.left()),
                     .second = t.input->second < 0 ? -1 : std::max<int64_t>(0, t.input->second - t.done)});
  }
  const Logits states = runner_.run(items);
  int64_t first = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i].pool.add(states, first, items[i].n_outputs);
    texts[i].done += std::ssize(items[i].tokens);
    first += items[i].n_outputs;
  }
}

}  // namespace skald
