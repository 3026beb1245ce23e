// The assumptions of an architecture that no key of a GGUF file says: checked here, so that no model is converted into
// another one. All throw kUnsupported naming the key.
#pragma once

#include <span>
#include <string_view>

#include "convert/hf_config.h"

namespace skald {

/// That the configuration, or `fallback` where it is silent, says `wanted`.
void require_flag(const HfConfig& c, const ConfigKeys& keys, bool wanted, bool fallback);

/// The same for a number, of which the configuration need not say anything.
void require_number(const HfConfig& c, const ConfigKeys& keys, float wanted);

// transformers' names for one activation.
inline constexpr std::string_view kSilu[] = {"silu", "swish"};
inline constexpr std::string_view kGeluErf[] = {"gelu", "gelu_python"};
inline constexpr std::string_view kGeluTanh[] = {"gelu_pytorch_tanh", "gelu_new", "gelu_fast", "gelu_python_tanh"};

/// That it says nothing under this key.
void require_absent(const HfConfig& c, const char* key);

/// That it says one of these words, if anything.
void require_word(const HfConfig& c, const ConfigKeys& keys, std::span<const std::string_view> wanted);

/// That of `period` layers the last attends to everything, and the others have a window.
void require_full_attention_every(const HfConfig& c, int64_t period);

/// That of `period` layers the last has no rotary embedding, and the others have one.
void require_no_rope_every(const HfConfig& c, int64_t period);

/// That all of a head is rotated: most architectures of transformers do not look at partial_rotary_factor.
void require_whole_rope(const HfConfig& c);

/// Requires that no token sees later ones.
void require_causal(const HfConfig& c);

/// That every layer has experts, of those that could be without.
void require_experts_everywhere(const HfConfig& c);

/// That of `period` layers the last has experts, where the configuration lists those that have ("moe_layers").
void require_experts_in_every(const HfConfig& c, int64_t period);

/// That no layer has a window.
void require_no_window(const HfConfig& c);

}  // namespace skald
