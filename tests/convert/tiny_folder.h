// Hugging Face folders made by hand.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "convert/tokenizer.h"
#include "tests/support/temp_dir.h"
#include "text/byte_unicode.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace skald::test {

using nlohmann::json;

class TinyFolder {
 public:
  explicit TinyFolder(const json& config = {{"model_type", "llama"}}) { put("config.json", config); }

  TinyFolder& put(const std::string& file, const json& content) { return write(file, content.dump()); }
  TinyFolder& write(const std::string& file, const std::string& content) {
    dir_.write(file, content);
    return *this;
  }
  std::string path(const std::string& file) const { return dir_.path(file); }

  HfDirectory open() const { return HfDirectory(dir_.path("")); }
  Meta convert(int64_t n_vocab, const TokenizerOptions& options = {}) const {
    Meta meta;
    convert_tokenizer(open(), n_vocab, meta, options);
    return meta;
  }

 private:
  TempDir dir_;
};

/// SentencePiece's mark of a space, U+2581.
inline const std::string kSpace = "\xE2\x96\x81";

/// The pieces that the converted tokenizer cuts a text into.
inline std::vector<std::string> pieces_of(const Meta& meta, std::string_view text) {
  const auto tokenizer = Tokenizer::create(meta);
  std::vector<std::string> out;
  for (TokenId id : tokenizer->encode(text)) out.push_back(tokenizer->vocab().pieces[static_cast<size_t>(id)]);
  return out;
}

/// {"type": "Sequence", <key>: steps}
inline json sequence(const std::string& key, const std::vector<json>& steps) { return {{"type", "Sequence"}, {key, steps}}; }

inline json split_step(const std::string& regex) {
  return {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}, {"invert", false}};
}
inline json byte_level_step(bool use_regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", use_regex}};
}
inline json added_token(int64_t id, const std::string& text, bool special = true) {
  return {{"id", id}, {"content", text}, {"special", special}, {"normalized", false}};
}

/// tokenizer.json of byte-level BPE: the 256 bytes (ids 0 to 255), then the merges' pieces.
inline json bpe_json(const std::vector<std::pair<std::string, std::string>>& merges, const std::vector<json>& added = {}) {
  json vocab = json::object(), list = json::array();
  for (int b = 0; b < 256; ++b) {
    std::string piece;
    append_utf8(piece, byte_to_char(static_cast<uint8_t>(b)));
    vocab[piece] = b;
  }
  for (const auto& [left, right] : merges) {
    vocab[left + right] = vocab.size();
    list.push_back({left, right});
  }
  return {{"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", list}}},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer", byte_level_step(true)},
          {"post_processor", nullptr}};
}

}  // namespace skald::test
