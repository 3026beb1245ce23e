// The memory of the KV cache of a static graph, by its parts.
#pragma once

#include <cstdint>
#include <string>

#include "kv/static_spec.h"
#include "loading/loaded_model.h"

namespace skald {

/// A cache whose layers are all alike.
struct KvShape {
  int64_t n_layers = 0, n_kv_heads = 0, d_head = 0;
  int64_t context = 0;
  int64_t bits = 16;  // of an element
};

/// Throws kBadInput for a number of layers or of bits that cannot be; static_kv_size() checks the rest.
StaticKvSpec static_kv_spec(const KvShape& shape, StaticReserve reserve);
/// The same for a model's layers; a context of 0 is the one that it was trained with.
StaticKvSpec static_kv_spec(const LoadedModel& model, int64_t context, int64_t bits, StaticReserve reserve);

/// Returns the bytes on a line of their own, the shape, and a table of the parts. Both throw as static_kv_size() does.
std::string kv_size_text(const StaticKvSpec& spec);
std::string kv_size_json(const StaticKvSpec& spec);

}  // namespace skald
