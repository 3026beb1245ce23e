#include "sampling/grammar/read_grammar.h"

#include "base/error.h"
#include "sampling/grammar/fold_regular.h"
#include "sampling/grammar/gbnf.h"
#include "sampling/grammar/json_schema.h"
#include "sampling/grammar/regex_parser.h"
#include "sampling/grammar/replies/reply_grammar.h"

namespace skald {

namespace {

void add_regex(Grammar& grammar, const std::string& text) {
  const RegexId regex = parse_regex(grammar.regexes, text);
  const RuleId root = grammar.add_rule("root");
  grammar.define(root, grammar.terminal(regex));
  grammar.set_start(root);
}

// To an empty one.
void add_text(Grammar& grammar, const GrammarParams& params, const std::function<void(std::string)>& warn) {
  switch (params.kind) {
    case GrammarParams::Kind::kGbnf:
      add_gbnf(grammar, params.text);
      grammar = fold_regular(std::move(grammar));
      return;
    case GrammarParams::Kind::kRegex:
      return add_regex(grammar, params.text);
    case GrammarParams::Kind::kJsonSchema:
      return add_json_schema(grammar, params.text, {.whitespace = params.whitespace, .warn = warn});
    case GrammarParams::Kind::kNone:
      return;
  }
}

}  // namespace

Grammar read_grammar(const GrammarParams& params, const std::function<void(std::string)>& warn,
                     const MarkerSpelling& markers, const TimeLimit& limit) {
  if (params.empty()) fail(Errc::kBadInput, "there is no grammar");
  Grammar grammar;
  grammar.regexes.set_limit(limit);
  add_text(grammar, params, warn);
  if (!params.reply.format.empty()) make_reply(grammar, params, markers, warn);
  return grammar;
}

}  // namespace skald
