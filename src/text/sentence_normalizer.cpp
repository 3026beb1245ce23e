#include "text/sentence_normalizer.h"

#include <algorithm>

#include "base/error.h"
#include "base/interruption.h"
#include "text/sentence_piece.h"
#include "text/utf8.h"

namespace skald {
namespace {

constexpr std::string_view kCharsmap = "tokenizer.ggml.precompiled_charsmap";

Charsmap read_charsmap(const Meta& meta) {
  if (!meta.has(kCharsmap)) return {};
  std::string bytes;
  for (int64_t value : meta.ints(kCharsmap)) {  // of i8 or u8
    if (value < -128 || value > 255) fail(Errc::kBadFile, "key {}: {} is not a byte", kCharsmap, value);
    bytes.push_back(static_cast<char>(value));
  }
  return doing(fmt::format("key {}", kCharsmap), [&] { return Charsmap(bytes); });
}

}  // namespace

SentenceNormalizer::SentenceNormalizer(const Meta& meta, bool keep_broken)
    : charsmap_(read_charsmap(meta)),
      keep_broken_(keep_broken),
      add_prefix_(meta.flag("tokenizer.ggml.add_space_prefix", false)),
      merge_spaces_(meta.flag("tokenizer.ggml.remove_extra_whitespaces", false)) {}

SentenceNormalizer::Step SentenceNormalizer::step(std::string_view rest) const {
  if (const auto match = charsmap_.match(rest)) return {match->length, match->result};
  const Utf8Step next = utf8_step(rest, 0);
  const size_t length = next.kind == Utf8Kind::kChar ? static_cast<size_t>(next.length) : 1;
  return {length, next.kind == Utf8Kind::kChar || keep_broken_ ? rest.substr(0, length) : kReplacement};
}

NormalText SentenceNormalizer::characters(std::string_view text) const {
  NormalText out;
  for (size_t at = 0; at < text.size();) {
    const auto [length, result] = step(text.substr(at));
    out.add(result, at);
    at += length;
  }
  out.end(text.size());
  return out;
}

std::string SentenceNormalizer::normalize(std::string_view text) const {
  // Places in it are 32 bits; and no character of Unicode's compatibility forms grows to more than eleven times its size.
  const size_t longest = std::min(size_t{3} << 29, 64 + 16 * text.size());
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  if (add_prefix_) out += kPieceSpace;
  bool skip_spaces = merge_spaces_;
  while (!text.empty()) {
    Interruption::point();
    auto [length, result] = step(text);
    text.remove_prefix(length);
    while (skip_spaces && result.starts_with(' ')) result.remove_prefix(1);
    if (result.empty()) continue;
    for (char c : result) c == ' ' ? out.append(kPieceSpace) : out.append(1, c);
    skip_spaces = merge_spaces_ && result.back() == ' ';
    if (out.size() > longest) fail(Errc::kBadInput, "a text grows to more than {} bytes when normalized", longest);
  }
  while (merge_spaces_ && out.ends_with(kPieceSpace)) out.resize(out.size() - kPieceSpace.size());
  return out;
}

}  // namespace skald
