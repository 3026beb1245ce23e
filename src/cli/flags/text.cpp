#include "cli/flags/text.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/flags/prompt.h"
#include "cli/terminal/progress.h"
#include "loading/loaded_model.h"

namespace skald {

void TextFlags::declare(Flags& flags) {
  flags.group("Text");
  flags.add("-f,--file", file, "file with the text; -: standard input", "FILE");
  flags.add("--ids-file", ids_file, "instead: file with its token ids, separated by commas or white space", "FILE");
  flags.add("--parse-special", parse_special, "names of special tokens in the text are these tokens");
  flags.add("-c,--ctx-size", chunks.n_ctx, "tokens of a window: each is computed on its own");
  flags.add("--chunks", chunks.most, "windows at most; -1: all");
}

bool TextFlags::checked(std::string_view command) const {
  if (!file.empty() && !ids_file.empty()) throw UsageError(fmt::format("{}: want one of -f and --ids-file", command));
  check_usage([&] { chunks.check(); });
  return !path().empty();
}

TokenChunks TextFlags::read(const Model& model) const {
  const std::string text = read_text(path());
  std::vector<TokenId> tokens =
      file.empty() ? parse_ids(text)
                   : model.loaded()->tokenizer().encode(text, {.add_special = true, .parse_special = parse_special});
  if (file == path()) warn_of_two_bos(model.loaded()->tokenizer(), tokens);
  return doing(path(), [&] { return cut_tokens(std::move(tokens), added_bos(*model.loaded()), chunks); });
}

bool with_window_progress(const std::function<void(const OnWindow&)>& measure) {
  return unless_interrupted([&](const std::function<void()>& check) {
    Progress progress("reading the text", kInWindows);
    measure([&](const WindowProgress& p) {
      check();
      progress(p.done, p.total, fmt::format("PPL {:.4f}", p.perplexity));
    });
  });
}

}  // namespace skald
