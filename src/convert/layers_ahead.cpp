#include "convert/layers_ahead.h"

#include <algorithm>
#include <string>

namespace skald {
namespace {

void replace(std::string& in, char place, int64_t number) {
  if (const size_t at = in.find(place); at != in.npos) in.replace(at, 1, std::to_string(number));
}

}  // namespace

std::string name_ahead(const HfFamily& family, std::string_view from, int64_t i, int64_t n_main, size_t block) {
  std::string out(from);
  const bool own = std::ranges::any_of(family.ahead.tensors, [&](const TensorRule& r) { return r.from == from; });
  if (const size_t at = from.find('#'); !own && at != from.npos)
    out = std::string(family.ahead.blocks[block]) + std::string(from.substr(at + 1));
  replace(out, '#', i);
  replace(out, '%', i - n_main);
  return out;
}

int64_t add_layers_ahead(const HfFamily& family, const Checkpoint& checkpoint, const MetaView& m, Hyperparameters& out) {
  const auto rule = std::ranges::find(family.ahead.tensors, "blk.#.nextn.eh_proj", &TensorRule::to);
  if (rule == family.ahead.tensors.end()) return 0;
  const int64_t n_main = m.i64("block_count");
  int64_t n = 0;
  while (n < out.layers_ahead() && checkpoint.find(name_ahead(family, rule->from, n_main + n, n_main, 0) + ".weight")) ++n;
  if (n == 0) return 0;
  if (family.ahead.describe) family.ahead.describe(n, m, out);
  out.size("block_count", n_main + n);
  out.size("nextn_predict_layers", n);
  return n;
}

}  // namespace skald
