// skald grammar: the texts that a grammar takes, and which tokens it lets follow.
#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/grammar.h"
#include "tools/grammar/grammar_lines.h"
#include "tools/report/json_lines.h"

namespace skald {
namespace {

struct GrammarArgs {
  ModelFlags model;
  GrammarFlags grammar;
  std::string accepts_file, mask_after_file;
  bool stats = false;
};

void run(const GrammarArgs& o, bool model_given) {
  const GrammarParams params = o.grammar.read("grammar");
  if (params.kind == GrammarParams::Kind::kNone)
    throw UsageError("grammar: want --grammar, --json-schema, --regex or a file of one");
  if (!o.accepts_file.empty() && !o.mask_after_file.empty()) {
    throw UsageError("grammar: want one of --accepts-file and --mask-after-file");
  }
  if (!o.mask_after_file.empty() && !model_given) throw UsageError("grammar: --mask-after-file wants a vocabulary: -m");
  if (o.stats && !model_given) throw UsageError("grammar: --stats wants a vocabulary: -m");
  const auto tokenizer = model_given ? o.model.tokenizer() : nullptr;
  GrammarLines grammar(params, tokenizer.get(), [](const std::string& text) { log(LogLevel::kWarn, "{}", text); });
  std::vector<std::string> texts;
  if (!o.mask_after_file.empty()) {
    texts = doing(o.mask_after_file, [&] { return texts_of_lines(read_text(o.mask_after_file)); });
    for (const std::string& text : texts) fmt::print("{}\n", grammar.mask_after(text));
  } else {
    if (o.accepts_file.empty())
      texts.push_back(read_text("-"));
    else
      texts = doing(o.accepts_file, [&] { return texts_of_lines(read_text(o.accepts_file)); });
    for (const std::string& text : texts) fmt::print("{}\n", grammar.accepts(text));
  }
  if (o.stats) fmt::print("{}\n", grammar.stats(texts));
}

Action declare_grammar(Flags& flags) {
  auto o = std::make_shared<GrammarArgs>();
  o->grammar.declare(flags, "flexible");
  flags.group("Texts");
  flags.add(
      "--accepts-file", o->accepts_file,
      "file with a JSON string per line; answers each with accept, or reject and the byte where it went wrong. Without a "
      "file: the text of standard input",
      "FILE");
  flags.add("--mask-after-file", o->mask_after_file,
            "the same, answered with the tokens of -m that may follow the text, and whether it may end there", "FILE");
  flags.add("--stats", o->stats, "with -m: also the time that compiling, the first mask and each further one took");
  o->model.declare(flags);
  return [o, flags] { run(*o, flags.given("-m")); };
}

}  // namespace

extern const Command command_grammar;
const Command command_grammar{.name = "grammar",
                              .summary = "Show which texts and tokens a grammar takes",
                              .examples =
                                  "  echo -n yes | skald grammar --grammar 'root ::= \"yes\" | \"no\"'\n"
                                  "  skald grammar -jf schema.json --accepts-file texts.jsonl\n"
                                  "  skald grammar --regex '[0-9]{4}' -m model.gguf --mask-after-file texts.jsonl\n",
                              .declare = declare_grammar};

}  // namespace skald
