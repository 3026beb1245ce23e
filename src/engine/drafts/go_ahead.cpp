#include "engine/drafts/go_ahead.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "stepping/log_probs.h"

namespace skald {

bool Guesses::take(const Logits& logits, int64_t row) {
  const TokenId guess = next.choose(logits, row);
  if (guess >= n_vocab) return false;
  if (p_min > 0 && log_probs(logits, row, guess, 0).token < std::log(p_min)) return false;
  out->push_back(guess);
  return !next.accept(guess) && --most > 0;
}

CacheOptions drafting_cache(const DraftMeans& means) {
  const CacheOptions& cache = means.options.cache;
  return {.n_ctx = means.stepper->kv().limits().max_keys,
          .type_k = cache.type_k,
          .type_v = cache.type_v,
          .total_keys = cache.total_keys};
}

void drop_few(std::span<DraftQuestion> questions, const DraftOptions& options) {
  for (DraftQuestion& q : questions)
    if (std::ssize(q.guesses) < options.least) q.guesses.clear();
}

std::optional<Logits> try_step(Stepper& stepper, std::span<const StepItem> items) {
  try {
    return stepper.run(items);
  } catch (const Error& e) {
    if (e.code() != Errc::kNoMemory) throw;
  }
  return std::nullopt;
}

void go_ahead(Stepper& stepper, std::vector<TextAhead> texts, const SparqParams* sparq) {
  while (!texts.empty()) {
    std::vector<StepItem> items;
    for (TextAhead& t : texts)
      items.push_back({.kv = &t.kv,
                       .tokens = {&t.last, 1},
                       .n_outputs = 1,
                       .decode = true,
                       .sparq = sparq,
                       .draft = true,
                       .hidden = t.hidden,
                       .adapters = t.adapters});
    const std::optional<Logits> logits = try_step(stepper, items);
    if (!logits) return;
    const Logits hidden = stepper.hidden();
    std::vector<TextAhead> left;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].of) std::exchange(texts[i].of, nullptr)->learn_from(texts[i].kv);
      if (!texts[i].guesses.take(*logits, static_cast<int64_t>(i))) continue;
      texts[i].last = texts[i].guesses.out->back();
      if (!texts[i].hidden.empty()) std::ranges::copy(hidden.row(static_cast<int64_t>(i)), texts[i].hidden.begin());
      left.push_back(std::move(texts[i]));
    }
    texts = std::move(left);
  }
}

}  // namespace skald
