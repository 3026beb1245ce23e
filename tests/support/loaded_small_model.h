// A SmallModel with seeded random weights, ready to run; and steps on it.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loading/loaded_model.h"
#include "quant/made_up.h"
#include "stepping/runner.h"
#include "tests/support/random.h"
#include "tests/support/small_model.h"

namespace skald::test {

/// The same numbers for all formats with an encoder, so that these can be compared.
inline std::shared_ptr<const LoadedModel> load(const SmallModel& model) {
  const Graph graph = model.graph({1, 1});
  WeightSet set;
  std::vector<Buffer> memory;
  uint64_t seed = 0;
  for (const Node& n : graph.nodes()) {
    if (n.source != Source::kWeight) continue;
    const Format& format = *n.out.format;
    std::vector<float> values = normal(n.out.shape.elements(), ++seed, n.out.shape.rank() == 1 ? 0.2f : 0.1f);
    if (n.name.find("norm") != std::string::npos)
      for (float& v : values) v += 1;
    const std::vector<std::byte> bytes = encoded_or_made_up(format, values, 0.2f, seed);
    std::memcpy(memory.emplace_back(n.out.tensor().bytes()).data(), bytes.data(), bytes.size());
    set.weights.emplace(
        n.name, WeightSet::Weight{find_gguf_type(format.id), n.out.shape, memory.back().data(), memory.back().size()});
  }
  return LoadedModel::from_memory(model.meta(), std::move(set), std::move(memory));
}

/// Token ids, different for every seed.
inline std::vector<TokenId> some_tokens(int64_t n, uint64_t seed, int64_t n_vocab) {
  std::vector<TokenId> out;
  for (int64_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    out.push_back(static_cast<TokenId>((seed >> 33) % static_cast<uint64_t>(n_vocab)));
  }
  return out;
}

/// Logits of all positions (tokens, n_vocab), computed in steps of at most `step` tokens from `decode_from` on one by one.
/// The first `prefix` tokens see each other in both directions: they are one step.
inline std::vector<float> logits_of(Runner& runner, std::span<const TokenId> tokens, int64_t step, int64_t decode_from,
                                    int64_t prefix = 0) {
  std::vector<float> out;
  KvSequence sequence = runner.new_sequence();
  sequence.set_prefix(prefix);
  for (auto rest = tokens; !rest.empty();) {
    const auto done = static_cast<int64_t>(tokens.size() - rest.size()), left = static_cast<int64_t>(rest.size());
    const int64_t usual = done < decode_from ? std::min({step, decode_from - done, left}) : 1;
    const int64_t n = std::max(usual, prefix - done);
    const StepItem item{&sequence, rest.first(static_cast<size_t>(n)), n, done >= decode_from};
    const Logits logits = runner.run({&item, 1});
    out.insert(out.end(), logits.all().begin(), logits.all().end());
    rest = rest.subspan(static_cast<size_t>(n));
  }
  return out;
}

}  // namespace skald::test
