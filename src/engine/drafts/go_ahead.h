// Texts that a model writes ahead of their branches, to be checked by them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/drafts/draft_kind.h"
#include "engine/next_tokens.h"
#include "kv/sequence.h"
#include "stepping/stepper.h"

namespace skald {

/// What comes next in a text.
struct Guesses {
  /// Takes the next one from a row of logits. Returns whether another one is wanted after it.
  bool take(const Logits& logits, int64_t row);

  NextTokens next;
  int64_t most;                                           // guesses, > 0
  std::vector<TokenId>* out;                              // are appended
  double p_min = 0;                                       // less probable ones end them
  int64_t n_vocab = std::numeric_limits<int64_t>::max();  // of the text's model: other tokens end them, too
};

/// One text: what is computed of it, and what comes next.
struct TextAhead {
  KvSequence kv;
  TokenId last;  // has no key yet
  Guesses guesses;
  std::vector<float> hidden = {};  // the row before it, where steps take and give such rows
  const AdapterMix* adapters = nullptr;
  KvSequence* of = nullptr;  // that `kv` is a fork of, and that learns from its first step; may be null
};

/// The cache of a drafter with keys of its own: as long as the engine's, of the same types and total.
CacheOptions drafting_cache(const DraftMeans& means);
/// Takes back answers of fewer guesses than are worth a check.
void drop_few(std::span<DraftQuestion> questions, const DraftOptions& options);

/// The step's logits; nothing where the cache has no room, and the sequences are as before.
std::optional<Logits> try_step(Stepper& stepper, std::span<const StepItem> items);

/// Writes all of them, a step for a guess of each; `sparq`: see StepItem. They end where the cache has no room.
void go_ahead(Stepper& stepper, std::vector<TextAhead> texts, const SparqParams* sparq);

}  // namespace skald
