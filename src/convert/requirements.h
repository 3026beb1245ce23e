// What an architecture takes for granted and no key of a GGUF file says: checked here, so that no model is converted into
// another one. All throw kUnsupported naming the key.
#pragma once

#include "convert/hf_config.h"

namespace skald {

/// That the configuration, or `fallback` where it is silent, says `wanted`.
void require_flag(const HfConfig& c, const ConfigKeys& keys, bool wanted, bool fallback);

/// The same for a number, of which the configuration need not say anything.
void require_number(const HfConfig& c, const ConfigKeys& keys, float wanted);

/// That of `period` layers the last attends to everything, and the others have a window.
void require_full_attention_every(const HfConfig& c, int64_t period);

/// That of `period` layers the last has no rotary embedding, and the others have one.
void require_no_rope_every(const HfConfig& c, int64_t period);

/// That scores are scaled by the size of a head, or, in a model of `n_layers`, by an equal share of the model: readers know
/// Gemma's largest models by their layers.
void require_query_scale(const HfConfig& c, int64_t n_layers);

}  // namespace skald
