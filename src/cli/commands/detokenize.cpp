// skald detokenize: token ids as text.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"

namespace skald {
namespace {

struct DetokenizeArgs {
  ModelFlags model;
  std::string ids, ids_file;
  bool special = false;
};

void run(const DetokenizeArgs& o) {
  if (o.ids.empty() == o.ids_file.empty()) throw UsageError("detokenize: want exactly one of --ids and --ids-file");
  const auto tokenizer = o.model.tokenizer();
  const std::string text = tokenizer->decode(parse_ids(o.ids.empty() ? read_text(o.ids_file) : o.ids), o.special);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

Action declare_detokenize(Flags& flags) {
  auto o = std::make_shared<DetokenizeArgs>();
  o->model.declare(flags);
  flags.add("--ids", o->ids, "token ids", "ID,...");
  flags.add("--ids-file", o->ids_file, "file with token ids, separated by commas or white space; -: standard input", "FILE");
  flags.add("--special", o->special, "show special tokens too");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_detokenize;
const Command command_detokenize{.name = "detokenize",
                                 .summary = "Show token ids as text",
                                 .examples =
                                     "  skald detokenize --ids 12,345,6\n"
                                     "  skald tokenize -p \"Hello\" --ids | skald detokenize --ids-file -\n",
                                 .declare = declare_detokenize};

}  // namespace skald
