// Checks of embedding tables: of the rows that a step takes, whichever device reads them, and of what the CPU can read.
#pragma once

#include <cstdint>
#include <span>

#include "base/error.h"
#include "tensor/format.h"

namespace skald {

/// Throws kBadInput naming the first id that no row of the table has. Positions may go on after the last one that the model
/// knows.
inline void check_embedding_ids(std::span<const int32_t> ids, int64_t rows) {
  for (const int32_t id : ids)
    if (id < 0 || id >= rows)
      fail(Errc::kBadInput, "no row {} in an embedding table of {}: the text is longer than the model has positions", id,
           rows);
}

/// Throws kUnsupported for a table whose rows the CPU cannot read.
inline void check_embedding_format(const Format& table) {
  if (!table.decode) fail(Errc::kUnsupported, "embeddings of type {} cannot be read", table.name);
}

}  // namespace skald
