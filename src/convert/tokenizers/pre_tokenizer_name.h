// Which of GGUF's pre-tokenizers cuts texts as the expressions of a tokenizer's file do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// The options of the pre-tokenizer, and the model's type.
struct PreTokenizerChoice {
  std::string name;        // of tokenizer.ggml.pre; empty: find it
  std::string model_type;  // of config.json: of equal names it chooses the model's own
};

struct PreTokenizerQuery {
  std::vector<std::string> patterns = {};     // in regex_form
  std::vector<std::string> other_steps = {};  // that are no expressions: nothing matches where there are any
  bool ignore_merges = false, nfc = false;
};

/// Returns a name of text/pre_tokenizer_table. Where several fit it is the model's own, or the first. Where the expressions
/// fit but not how merges or composed characters are treated, the log says so. Throws kUnsupported showing the expressions
/// where none fits, and kBadInput for a chosen name that is none.
std::string pre_tokenizer_name(const PreTokenizerQuery& query, const PreTokenizerChoice& choice);

/// Returns the name for a model whose texts are cut as by `name`, a name of the table; or the chosen one, as above.
std::string pre_tokenizer_name_like(std::string_view name, const PreTokenizerChoice& choice);

}  // namespace skald
