// embed_part: as embed, of a table that ranks have in parts: rows of zeros for ids that are not in this one.
// Inputs: ids (tokens) i32, table (n, d) in any format, the rows `first` and on of the whole one -> (tokens, d) f32.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct EmbedPart {
  int64_t first = 0;  // id of the table's first row
  int64_t all = 0;    // rows of the whole table
  std::string describe() const;
  friend bool operator==(const EmbedPart&, const EmbedPart&) = default;
};

extern const OpDef op_embed_part;

}  // namespace skald
