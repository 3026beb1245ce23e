// choose_keys: the keys that a query attends to, chosen by an indexer with small keys of its own: those with the largest
// sums over the indexer's heads of w relu(q k), of equal ones the first. DeepSeek-V3.2, arXiv 2512.02556. Inputs: q (tokens,
// heads * d), w (tokens, heads), the indexer's kv_append [, q for the kept keys, as q] [, i32 numbers of q's rows in the
// step, where these are some of them] -> (tokens, most) i32: places among the keys that the row sees, ascending; of a row
// that sees no more than `most`, all of them and then -1.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct ChooseKeys {
  int64_t heads = 0, d = 0;
  int64_t most = 0;  // keys of a row
  // Set by Net::choose_keys:
  bool kept_queries = false;  // as Attention has it
  bool some_rows = false;     // q has some rows of the step: set by pick_early
  int32_t slot = 0;
  int64_t max_keys = 0;  // of a sequence

  std::string describe() const;
  friend bool operator==(const ChooseKeys&, const ChooseKeys&) = default;
};

extern const OpDef op_choose_keys;

}  // namespace skald
