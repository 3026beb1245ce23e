#include "convert/tokenizers/tiktoken.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "convert/tokenizers/base64.h"
#include "convert/tokenizers/json_vocab.h"
#include "io/printable.h"
#include "text/byte_unicode.h"
#include "text/utf8.h"

namespace skald {
namespace {

constexpr size_t kLongest = 256;  // bytes of a piece: the longest that there are have 128; finding merges takes their square

struct Ranked {
  std::string bytes;
  int64_t rank;
};

std::optional<Ranked> parse_line(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == 0 || space == line.npos) return std::nullopt;
  auto bytes = base64_bytes(line.substr(0, space));
  const std::string_view number = line.substr(space + 1);
  int64_t rank = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rank);
  if (!bytes || bytes->empty() || error != std::errc() || end != number.data() + number.size() || rank < 0)
    return std::nullopt;
  return Ranked{std::move(*bytes), rank};
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<Ranked> parse_lines(std::string_view text) {
  std::vector<Ranked> out;
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    auto ranked = parse_line(line);
    if (!ranked) fail(Errc::kBadFile, "line {}: {} is not base64, a space and a number", number, skald::quoted(line));
    if (ranked->bytes.size() > kLongest)
      fail(Errc::kBadFile, "line {}: a piece of {} bytes, want at most {}", number, ranked->bytes.size(), kLongest);
    out.push_back(std::move(*ranked));
  }
  std::ranges::sort(out, {}, &Ranked::rank);
  return out;
}

std::string spelled(std::string_view bytes) {
  std::string out;
  for (char c : bytes) append_utf8(out, byte_to_char(static_cast<uint8_t>(c)));
  return out;
}

using Ranks = std::unordered_map<std::string_view, int64_t>;

// Where the last merge of a piece is: what its bytes come to with merges of lower rank is two pieces. nullopt where it is
// more, which no merge makes one.
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

std::vector<Merge> find_merges(const std::vector<Ranked>& all) {
  Ranks ranks;
  for (const Ranked& r : all) {
    if (!ranks.emplace(r.bytes, r.rank).second) fail(Errc::kBadFile, "{} is there twice", skald::quoted(r.bytes));
  }
  std::vector<Merge> out;
  for (const Ranked& r : all) {
    const auto cut = r.bytes.size() > 1 ? last_cut(r.bytes, r.rank, ranks) : std::nullopt;
    if (!cut) continue;
    const std::string_view bytes = r.bytes, left = bytes.substr(0, *cut), right = bytes.substr(*cut);
    if (ranks.contains(left) && ranks.contains(right)) out.emplace_back(spelled(left), spelled(right));
  }
  return out;
}

}  // namespace

bool is_tiktoken(std::string_view text) { return parse_line(take_line(text)).has_value(); }

TokenizerParts tiktoken_parts(std::string_view text, PieceTable pieces) {
  const std::vector<Ranked> all = parse_lines(text);
  for (const Ranked& r : all) pieces.add(r.rank, {.text = spelled(r.bytes)});
  return {.model = "gpt2", .pieces = std::move(pieces), .merges = merge_lines(find_merges(all))};
}

void add_qwen_specials(TokenizerParts& parts) {
  constexpr int kExtras = 205;
  std::vector<std::string> names = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  for (int i = 0; i < kExtras; ++i) names.push_back(fmt::format("<|extra_{}|>", i));
  int64_t id = 0;
  while (parts.pieces.find(id)) ++id;
  parts.ids = {.bos = id, .eos = id};
  for (std::string& name : names) parts.pieces.add(id++, {.text = std::move(name), .kind = PieceKind::kControl});
}

}  // namespace skald
