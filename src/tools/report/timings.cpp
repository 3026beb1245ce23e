#include "tools/report/timings.h"

#include <nlohmann/json.hpp>

namespace skald {

static double rate(int64_t n, double seconds) { return seconds > 0 ? static_cast<double>(n) / seconds : 0; }

nlohmann::ordered_json timings_json(const Timing& t) {
  const int64_t computed = t.n_prompt - t.n_cached;
  const bool is_one_step = t.prompt_seconds > 0 && t.generate_seconds == 0;
  nlohmann::ordered_json out = {{"cache_n", t.n_cached},
                                {"prompt_n", computed},
                                {"prompt_ms", t.prompt_seconds * 1000},
                                {"prompt_per_second", rate(computed, t.prompt_seconds)},
                                {"predicted_n", t.n_generated},
                                {"predicted_ms", (is_one_step ? t.prompt_seconds : t.generate_seconds) * 1000},
                                {"predicted_per_second", rate(t.n_generated, t.generate_seconds)}};
  if (t.drafts.guessed > 0) {
    out["draft_n"] = t.drafts.guessed;
    out["draft_n_accepted"] = t.drafts.right;
  }
  return out;
}

}  // namespace skald
