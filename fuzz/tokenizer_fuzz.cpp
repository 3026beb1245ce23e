// Fuzzes the tokenizers: any metadata and any text either work or throw an Error, and what works is consistent.
//
// Input: two bytes of flags; pieces, merges, a map of characters and the text follow as strings that end with the byte 0xFE,
// the first two as lists that end with an empty string. The first byte of a piece is its kind.
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

struct Flags {
  uint8_t first, second;
  int model() const { return first & 3; }
  bool spells_bytes() const { return model() == 1 || model() == 2; }
  bool has_bytes() const { return first & 4; }
  int pre() const { return first >> 3 & 7; }
  bool phi() const { return first & 64; }
};

void append_u32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

// Units that are well-formed one by one, so that the search for keys is reached.
std::string charsmap_of(std::string_view bytes) {
  std::string out;
  const size_t units = bytes.size() / 4;
  const std::string_view results = bytes.substr(units * 4);
  append_u32(out, static_cast<uint32_t>(units * 4));
  for (size_t i = 0; i < units; ++i) {
    uint32_t unit = 0;
    for (size_t j = 4; j > 0; --j) unit = unit << 8 | static_cast<uint8_t>(bytes[i * 4 + j - 1]);
    if (unit >> 31) unit = 1u << 31 | unit % static_cast<uint32_t>(results.size() + 1);
    append_u32(out, unit);
  }
  return out.append(results) + '\0';
}

void read_normalizer(Flags flags, std::string_view& input, Meta& meta) {
  std::string map = take(input);
  if (flags.second & 2) map = charsmap_of(map);
  if (!map.empty()) meta.set("tokenizer.ggml.precompiled_charsmap", MetaArray{std::vector<uint8_t>(map.begin(), map.end())});
  meta.set("tokenizer.ggml.remove_extra_whitespaces", (flags.second & 1) != 0);
  if (flags.second & 4) meta.set("tokenizer.ggml.normalizer.lowercase", (flags.second & 8) != 0);
  if (flags.second & 16) meta.set("tokenizer.ggml.normalizer.strip_accents", (flags.second & 32) != 0);
}

Meta meta_of(Flags flags, std::string_view& input) {
  std::vector<std::string> pieces, merges;
  std::vector<int32_t> kinds;
  std::vector<float> scores;
  for (std::string s = take(input); !s.empty(); s = take(input)) {
    kinds.push_back(static_cast<uint8_t>(s[0]) % 8);
    scores.push_back(static_cast<float>(static_cast<uint8_t>(s[0]) / 8) - 20);
    pieces.push_back(s.substr(1));
  }
  for (std::string s = take(input); !s.empty(); s = take(input)) merges.push_back(s);
  if (flags.has_bytes()) add_bytes(flags.spells_bytes(), pieces, kinds);
  scores.resize(pieces.size());
  constexpr const char* kModels[] = {"gpt2", "llama", "t5", "bert"};
  constexpr const char* kPres[] = {"gpt-2", "llama-bpe", "deepseek-llm", "gpt-4o",
                                   "qwen2", "superbpe",  "kimi-k2",      "exaone-moe"};
  Meta meta;
  meta.set("tokenizer.ggml.model", std::string(kModels[flags.model()]));
  meta.set("tokenizer.ggml.pre", std::string(kPres[flags.pre()]));
  meta.set("tokenizer.ggml.tokens", MetaArray{pieces});
  meta.set("tokenizer.ggml.token_type", MetaArray{kinds});
  meta.set("tokenizer.ggml.scores", MetaArray{scores});
  meta.set("tokenizer.ggml.merges", MetaArray{merges});
  if (flags.phi()) meta.set("general.name", std::string("phi-3"));
  if (flags.first & 128) meta.set("tokenizer.ggml.add_space_prefix", (flags.second & 64) != 0);
  read_normalizer(flags, input, meta);
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
  if (size < 2) return 0;
  const Flags flags{data[0], data[1]};
  std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  try {
    const auto t = Tokenizer::create(meta_of(flags, input));
    // The others change characters, Qwen composes them, and Phi-3 drops spaces after pieces that are always found.
    const bool all_bytes = flags.model() == 0 && flags.has_bytes() && flags.pre() != 4 && !flags.phi();
    use(*t, input, all_bytes);
  } catch (const Error& e) {
    check(e.code() != Errc::kInternal);
  }
  return 0;
}
