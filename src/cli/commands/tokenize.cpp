// skald tokenize: a text as token ids.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/prompt.h"
#include "tools/report/vocab_file.h"

namespace skald {
namespace {

struct TokenizeArgs {
  ModelFlags model;
  PromptFlags prompt;
  bool ids = false, no_special = false;
};

void run(const TokenizeArgs& o, bool text_given) {
  if (text_given == !o.prompt.file.empty()) throw UsageError("tokenize: want exactly one of -p and -f");
  const auto tokenizer = o.model.tokenizer();
  const std::vector<TokenId> ids =
      tokenizer->encode(o.prompt.text(), {.add_special = !o.no_special, .parse_special = o.prompt.parse_special});
  if (!o.no_special) warn_of_two_bos(*tokenizer, ids);
  if (!o.ids) {
    fmt::print("{}", token_table(*tokenizer, ids));
    return;
  }
  std::string line;
  for (TokenId id : ids) line += fmt::format("{}{}", line.empty() ? "" : " ", id);
  fmt::print("{}\n", line);
}

Action declare_tokenize(Flags& flags) {
  auto o = std::make_shared<TokenizeArgs>();
  o->model.declare(flags);
  flags.group("Text");
  o->prompt.declare(flags, "text", "file with the text; -: standard input");
  flags.add("--ids", o->ids, "print the ids on one line, without the pieces");
  flags.add("--no-special", o->no_special, "add no BOS or EOS");
  return [o, flags] { run(*o, flags.given("-p")); };
}

}  // namespace

extern const Command command_tokenize;
const Command command_tokenize{.name = "tokenize",
                               .summary = "Show a text as token ids",
                               .examples =
                                   "  skald tokenize -p \"Hello, world\"\n"
                                   "  skald tokenize -m model.gguf -f text.txt --ids --no-special\n",
                               .declare = declare_tokenize};

}  // namespace skald
