// The pre-tokenizers by the names that GGUF files give them: plain data.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skald {

struct PreTokenizerSpec {
  std::string_view names;  // of tokenizer.ggml.pre, separated by spaces
  std::span<const std::string_view>
      patterns;                // in sequence: each splits what the former left, into its matches and the gaps
  bool ignore_merges = false;  // a word that is a piece becomes that piece, whatever the merges say
  bool add_bos = false;        // where the file does not say
  bool nfc = false;            // the models' own tokenizers compose characters (NFC) before they cut
};

/// nullptr for a name that is not in the table.
const PreTokenizerSpec* find_pre_tokenizer(std::string_view name);

/// The whole table.
std::span<const PreTokenizerSpec> pre_tokenizers();

/// All names, separated by ", ".
std::string pre_tokenizer_names();

}  // namespace skald
