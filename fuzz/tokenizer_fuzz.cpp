// Fuzzes the tokenizers: any metadata and any text either work or throw an Error, and what works is consistent.
//
// Input: one byte of flags; pieces, merges and the text follow as lists of strings that end with the byte 0xFE, lists by an
// empty string. The first byte of a piece is its kind.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "skald/error.h"
#include "text/byte_unicode.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace {

using namespace skald;

void check(bool holds) {
  if (!holds) std::abort();
}

std::string take(std::string_view& input) {
  const size_t end = std::min(input.find('\xFE'), input.size());
  std::string out(input.substr(0, end));
  input.remove_prefix(std::min(end + 1, input.size()));
  return out;
}

// The bytes come last, so that they are found although the input has the same pieces.
void add_bytes(bool spm, std::vector<std::string>& pieces, std::vector<int32_t>& kinds) {
  for (int b = 0; b < 256; ++b) {
    const std::string_view digits = "0123456789ABCDEF";
    std::string& piece = pieces.emplace_back();
    if (spm) {
      piece = {'<', '0', 'x', digits[static_cast<size_t>(b / 16)], digits[static_cast<size_t>(b % 16)], '>'};
    } else {
      append_utf8(piece, byte_to_char(static_cast<uint8_t>(b)));
    }
    kinds.push_back(static_cast<int32_t>(spm ? PieceKind::kByte : PieceKind::kNormal));
  }
}

Meta meta_of(int flags, std::string_view& input) {
  const bool spm = flags & 1;
  std::vector<std::string> pieces, merges;
  std::vector<int32_t> kinds;
  std::vector<float> scores;
  for (std::string s = take(input); !s.empty(); s = take(input)) {
    kinds.push_back(static_cast<uint8_t>(s[0]) % 8);
    scores.push_back(static_cast<float>(s.size() % 5));
    pieces.push_back(s.substr(1));
  }
  for (std::string s = take(input); !s.empty(); s = take(input)) merges.push_back(s);
  if (flags & 2) add_bytes(spm, pieces, kinds);
  scores.resize(pieces.size());
  constexpr const char* kPres[] = {"gpt-2", "llama-bpe", "deepseek-llm", "gpt-4o"};
  Meta meta;
  meta.set("tokenizer.ggml.model", std::string(spm ? "llama" : "gpt2"));
  meta.set("tokenizer.ggml.pre", std::string(kPres[flags >> 2 & 3]));
  meta.set("tokenizer.ggml.tokens", MetaArray{pieces});
  meta.set("tokenizer.ggml.token_type", MetaArray{kinds});
  meta.set("tokenizer.ggml.scores", MetaArray{scores});
  meta.set("tokenizer.ggml.merges", MetaArray{merges});
  if (flags & 16) meta.set("general.name", std::string("phi-3"));
  if (flags & 32) meta.set("tokenizer.ggml.add_space_prefix", false);
  return meta;
}

void use(const Tokenizer& t, std::string_view text, bool all_bytes) {
  for (const bool parse : {false, true}) {
    const std::vector<TokenId> ids = t.encode(text, {.add_special = parse, .parse_special = parse});
    Detokenizer stream(t, parse);
    std::string streamed, bytes;
    for (TokenId id : ids) {
      streamed += stream.push(id);
      bytes += t.piece_bytes(id);
    }
    streamed += stream.flush();
    check(streamed == t.decode(ids, parse));
    if (!parse && all_bytes) check(bytes == text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const auto t = Tokenizer::create(meta_of(data[0], input));
    // SentencePiece changes spaces, and Phi-3 drops them after pieces that are always found.
    const bool all_bytes = (data[0] & 1) == 0 && (data[0] & 2) != 0 && (data[0] & 16) == 0;
    use(*t, input, all_bytes);
  } catch (const Error& e) {
    check(e.code() != Errc::kInternal);
  }
  return 0;
}
