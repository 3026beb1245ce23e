#include "text/tokenizer.h"

#include "base/error.h"
#include "base/interruption.h"
#include "text/bpe.h"
#include "text/spm.h"
#include "text/unigram.h"
#include "text/utf8.h"
#include "text/word_piece.h"

namespace skald {

std::unique_ptr<Tokenizer> Tokenizer::create(const Meta& meta) {
  std::unique_ptr<Tokenizer> out = create_kind(meta);
  out->splitter_.emplace(out->vocab_, [&tokenizer = *out](std::string_view text) { return tokenizer.normalized(text); });
  return out;
}

std::unique_ptr<Tokenizer> Tokenizer::create_kind(const Meta& meta) {
  const std::string& model = meta.str("tokenizer.ggml.model");
  if (model == "llama" || model == "gemma4") return SpmTokenizer::create(meta);
  if (model == "gpt2") return BpeTokenizer::create(meta);
  if (model == "t5") return UnigramTokenizer::create(meta);
  if (model == "bert") return WordPieceTokenizer::create(meta);
  fail(Errc::kUnsupported, "key tokenizer.ggml.model: no tokenizer \"{}\"; known are llama, gemma4, gpt2, t5, bert", model);
}

Tokenizer::Tokenizer(Vocab vocab, std::vector<std::string> bytes) : vocab_(std::move(vocab)), bytes_(std::move(bytes)) {}

NormalText Tokenizer::normalized(std::string_view text) const {
  NormalText out;
  for (size_t at = 0; at < text.size(); ++at) out.add(text.substr(at, 1), at);
  out.end(text.size());
  return out;
}

void Tokenizer::encode_fragments(std::span<const TextFragment> fragments, std::vector<TokenId>& out) const {
  size_t bytes = 0;
  for (const TextFragment& f : fragments) bytes += f.text.size();
  const std::unique_ptr<Session> session = new_session(bytes);
  for (const TextFragment& f : fragments) {
    Interruption::point();
    if (f.token >= 0) {
      out.push_back(f.token);
    } else {
      session->encode(f.text, f.begins, out);
    }
  }
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  return encode(text, options, {});
}

std::vector<TokenId> Tokenizer::encode(const MarkedText& text, EncodeOptions options) const {
  return encode(text.bytes(), options, [&](const SpecialMatcher::Match& match) {
    return vocab_.kind(match.id) == PieceKind::kUserDefined || text.is_trusted(match.begin, match.end);
  });
}

std::vector<TokenId> Tokenizer::encode(std::span<const TextPiece> pieces, EncodeOptions options) const {
  MarkedText text;
  for (const TextPiece& piece : pieces) text.append(piece.text, piece.trusted);
  return encode(text, options);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, EncodeOptions options,
                                       const SpecialMatcher::Takes& takes) const {
  constexpr size_t kLongest = size_t{512} << 20;  // offsets are 32 bits, and a space may become three bytes
  if (text.size() > kLongest) fail(Errc::kBadInput, "tokenizing a text of {} bytes: the limit is {}", text.size(), kLongest);
  std::vector<TokenId> out;
  out.reserve(text.size() / 4 + 2);
  if (options.add_special && vocab_.add_bos && vocab_.bos) out.push_back(*vocab_.bos);
  encode_fragments(splitter_->split(text, options.parse_special, takes), out);
  if (options.add_special && vocab_.add_sep && vocab_.sep) out.push_back(*vocab_.sep);
  if (options.add_special && vocab_.add_eos && vocab_.eos) out.push_back(*vocab_.eos);
  return out;
}

const std::string& Tokenizer::piece_bytes(TokenId id) const {
  if (!vocab_.contains(id)) fail(Errc::kBadInput, "token id {} is outside of the vocabulary of {}", id, vocab_.size());
  return bytes_[static_cast<size_t>(id)];
}

std::string_view Tokenizer::text_of(TokenId id, bool special) const {
  const std::string& bytes = piece_bytes(id);
  if (special || !vocab_.is_special(id)) return bytes;
  return vocab_.kind(id) == PieceKind::kUnknown ? unknown_text() : std::string_view();
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool special) const {
  std::string bytes;
  bool at_start = adds_first_space();
  for (TokenId id : ids) {
    const std::string_view piece = text_of(id, special);
    Interruption::point(piece.size() + 1);
    if (piece.empty()) continue;
    bytes.append(piece, at_start && piece[0] == ' ' ? 1 : 0);
    at_start = false;
  }
  std::string out;
  out.reserve(bytes.size());
  append_valid_utf8(out, bytes);
  return out;
}

}  // namespace skald
