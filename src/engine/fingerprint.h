// The fingerprint of an engine: all that decides the bits of a prompt's keys besides its tokens.
#pragma once

#include "backend/backend.h"
#include "base/digest.h"
#include "kv/cache.h"
#include "loading/loaded_model.h"
#include "skald/options.h"

namespace skald {

/// Of the model, the arithmetic, how keys and values are stored, and how prompts are cut. Throws as
/// LoadedModel::fingerprint() does.
Sha256Sum fingerprint(const LoadedModel& model, const Backend& backend, const DeviceOptions& device, const KvCache& cache);

}  // namespace skald
