#include "convert/tokenizers/tiktoken.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "convert/tokenizers/base64.h"
#include "convert/tokenizers/ranked_pieces.h"
#include "io/printable.h"

namespace skald {
namespace {

std::optional<RankedPiece> parse_line(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == 0 || space == line.npos) return std::nullopt;
  auto bytes = base64_bytes(line.substr(0, space));
  const std::string_view number = line.substr(space + 1);
  int64_t rank = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rank);
  if (!bytes || bytes->empty() || error != std::errc() || end != number.data() + number.size() || rank < 0)
    return std::nullopt;
  return RankedPiece{std::move(*bytes), rank};
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<RankedPiece> parse_lines(std::string_view text) {
  std::vector<RankedPiece> out;
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    auto ranked = parse_line(line);
    if (!ranked) fail(Errc::kBadFile, "line {}: {} is not base64, a space and a number", number, skald::quoted(line));
    out.push_back(std::move(*ranked));
  }
  return out;
}

}  // namespace

bool is_tiktoken(std::string_view text) { return parse_line(take_line(text)).has_value(); }

TokenizerParts tiktoken_parts(std::string_view text, PieceTable pieces) {
  return ranked_bpe(parse_lines(text), 0, std::move(pieces));
}

void add_qwen_specials(TokenizerParts& parts) {
  constexpr int kExtras = 205;
  std::vector<std::string> names = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  for (int i = 0; i < kExtras; ++i) names.push_back(fmt::format("<|extra_{}|>", i));
  int64_t id = 0;
  while (parts.pieces.find(id)) ++id;
  parts.specials = {.bos = id, .eos = id};
  for (std::string& name : names) parts.pieces.add(id++, {.text = std::move(name), .kind = PieceKind::kControl});
}

}  // namespace skald
