#include "text/ranked_merges.h"

#include "base/error.h"

namespace skald {

MergeTable read_ranked_merges(const Meta& meta, const Vocab& vocab) {
  constexpr std::string_view kMerges = "tokenizer.ggml.merges";
  const std::vector<std::string>& merges = meta.strings(kMerges);
  MergeTable out;
  out.reserve(merges.size());
  std::string joined;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string_view merge = merges[rank];
    const size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merge.size())
      fail(Errc::kBadFile, "key {}: element {}: \"{}\" is not a pair", kMerges, rank, merge);
    const std::string_view left = merge.substr(0, space), right = merge.substr(space + 1);
    (joined = left) += right;
    const auto left_id = vocab.find(left), right_id = vocab.find(right), result = vocab.find(joined);
    // A merge with a part that is no piece can never happen, or would leave a piece that is no token.
    if (left_id && right_id && result) out.add(*left_id, *right_id, {static_cast<int32_t>(rank), *result});
  }
  return out;
}

}  // namespace skald
