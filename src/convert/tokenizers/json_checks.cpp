#include "convert/tokenizers/json_checks.h"

#include "base/error.h"
#include "io/printable.h"

namespace skald {

void check_steps_known(const JsonNormalizer& normalizer) {
  if (!normalizer.others.empty())
    fail(Errc::kUnsupported, "normalizer: GGUF has none that does what {} does", skald::quoted(normalizer.others[0]));
}

void check_steps_known(const JsonPreTokenizer& pre_tokenizer) {
  if (!pre_tokenizer.others.empty())
    fail(Errc::kUnsupported, "pre_tokenizer: GGUF has none that does what {} does", skald::quoted(pre_tokenizer.others[0]));
}

void check_no_affixes(const JsonNode& model, std::string_view inside) {
  for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const std::string value = model.text(key, "");
    if (!value.empty() && value != inside)
      fail(Errc::kUnsupported, "{}.{}: {} has no meaning in GGUF", model.name(), key, skald::quoted(value));
  }
}

}  // namespace skald
