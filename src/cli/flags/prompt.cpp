#include "cli/flags/prompt.h"

#include "base/log.h"
#include "cli/flags/common.h"
#include "cli/flags/escapes.h"
#include "tools/report/vocab_file.h"

namespace skald {

void PromptFlags::declare(Flags& flags, const char* prompt_help, const char* file_help, bool special) {
  flags.add("-p,--prompt", prompt, prompt_help);
  flags.add("-f,--file", file, file_help, "FILE");
  flags.add("-e,--escape,!--no-escape", escape, R"(in -p, read \n, \t, \", \\ and \xHH as escapes; the default)");
  if (!special) return;
  flags.add("--parse-special,!--no-parse-special", parse_special,
            "names of special tokens in the text are these tokens, the default; without, they are text");
}

std::string PromptFlags::text() const {
  if (!file.empty()) return read_text(file);
  return escape ? unescaped(prompt) : prompt;
}

std::string PromptFlags::said() const {
  std::string out = text();
  if (!file.empty() && out.ends_with('\n')) out.pop_back();
  return out;
}

void warn_of_two_bos(const Tokenizer& tokenizer, std::span<const TokenId> ids) {
  const Vocab& vocab = tokenizer.vocab();
  if (!vocab.bos || !vocab.add_bos || ids.size() < 2 || ids[0] != *vocab.bos || ids[1] != *vocab.bos) return;
  log(LogLevel::kWarn,
      "the text begins with BOS ({}), and the tokenizer puts another one before it; leave it out, or use --override-kv "
      "tokenizer.ggml.add_bos_token=bool:false",
      vocab.pieces[static_cast<size_t>(*vocab.bos)]);
}

}  // namespace skald
