#include "convert/tokenizers/ranked_pieces.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "convert/tokenizers/json_vocab.h"
#include "io/printable.h"
#include "text/byte_unicode.h"
#include "text/utf8.h"

namespace skald {
namespace {

constexpr size_t kLongest = 256;  // bytes of a piece: the longest that there are have 128; finding merges takes their square

std::string spelled_bytes(std::string_view bytes) {
  std::string out;
  for (char c : bytes) append_utf8(out, byte_to_char(static_cast<uint8_t>(c)));
  return out;
}

using Ranks = std::unordered_map<std::string_view, int64_t>;

// The place of a piece's last merge: merges of lower rank make two pieces of its bytes. nullopt where they leave more, which
// no merge makes one.
std::optional<size_t> last_cut(std::string_view piece, int64_t rank, const Ranks& ranks) {
  std::vector<size_t> cuts(piece.size() + 1);
  for (size_t i = 0; i < cuts.size(); ++i) cuts[i] = i;
  while (cuts.size() > 3) {
    size_t best = 0;
    int64_t best_rank = rank;
    for (size_t i = 1; i + 1 < cuts.size(); ++i) {
      const auto found = ranks.find(piece.substr(cuts[i - 1], cuts[i + 1] - cuts[i - 1]));
      if (found != ranks.end() && found->second < best_rank) best = i, best_rank = found->second;
    }
    if (best == 0) return std::nullopt;
    cuts.erase(cuts.begin() + static_cast<int64_t>(best));
  }
  return cuts[1];
}

std::vector<Merge> find_merges(const std::vector<RankedPiece>& all) {
  Ranks ranks;
  for (const RankedPiece& r : all) {
    if (!ranks.emplace(r.bytes, r.rank).second) fail(Errc::kBadFile, "{} is there twice", skald::quoted(r.bytes));
  }
  std::vector<Merge> out;
  for (const RankedPiece& r : all) {
    const auto cut = r.bytes.size() > 1 ? last_cut(r.bytes, r.rank, ranks) : std::nullopt;
    if (!cut) continue;
    const std::string_view bytes = r.bytes, left = bytes.substr(0, *cut), right = bytes.substr(*cut);
    if (ranks.contains(left) && ranks.contains(right)) out.emplace_back(spelled_bytes(left), spelled_bytes(right));
  }
  return out;
}

}  // namespace

TokenizerParts ranked_bpe(std::vector<RankedPiece> all, int64_t first_id, PieceTable pieces) {
  std::ranges::sort(all, {}, &RankedPiece::rank);
  for (const RankedPiece& r : all) {
    if (r.rank < 0 || r.rank > kMaxPieces) fail(Errc::kBadFile, "a piece of rank {}", r.rank);
    if (r.bytes.empty() || r.bytes.size() > kLongest)
      fail(Errc::kBadFile, "the piece of rank {} has {} bytes, want 1 to {}", r.rank, r.bytes.size(), kLongest);
    pieces.add(first_id + r.rank, {.text = spelled_bytes(r.bytes)});
  }
  return {.model = "gpt2", .pieces = std::move(pieces), .merges = merge_lines(find_merges(all))};
}

}  // namespace skald
