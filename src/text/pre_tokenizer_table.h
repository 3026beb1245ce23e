// The pre-tokenizers by the names that GGUF files give them: plain data.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skald {

struct PreTokenizerSpec {
  std::string_view names;                      // of tokenizer.ggml.pre, separated by spaces
  std::span<const std::string_view> patterns;  // in sequence: each splits the former's pieces into its matches and the gaps
  bool ignore_merges = false;                  // a word that is a piece becomes that piece, before any merges
  bool add_bos = false;                        // where the file does not say
  bool nfc = false;                            // the models' own tokenizers compose characters (NFC) before they cut
};

/// Returns nullptr for a name that is not in the table.
const PreTokenizerSpec* find_pre_tokenizer(std::string_view name);

/// Returns the whole table.
std::span<const PreTokenizerSpec> pre_tokenizers();

/// Returns all names, separated by ", ".
std::string pre_tokenizer_names();

}  // namespace skald
