// What a text took, as llama-server's "timings" have it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "skald/engine.h"

namespace skald {

/// {"cache_n", "prompt_n", "prompt_ms", ..., "predicted_per_second"}, and "draft_n" and "draft_n_accepted" where tokens were
/// guessed.
nlohmann::ordered_json timings_json(const Timing& timing);

}  // namespace skald
