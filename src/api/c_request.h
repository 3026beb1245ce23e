// Requests, options and results of C as those of the library.
#pragma once

#include <span>
#include <vector>

#include "skald/c.h"
#include "skald/engine.h"
#include "skald/model.h"

namespace skald::c_api {

EngineOptions engine_options(const skald_engine_options& options);
/// `model`: whose vocabulary the texts of DRY's breakers are written in. Throws kBadInput naming the fault.
Request engine_request(const skald_request& request, const Model& model);

std::vector<skald_token_log_prob> log_probs_of(std::span<const TokenLogProb> all);
skald_finish finish_of(FinishReason why);

}  // namespace skald::c_api
