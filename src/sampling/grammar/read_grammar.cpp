#include "sampling/grammar/read_grammar.h"

#include "base/error.h"
#include "sampling/grammar/fold_regular.h"
#include "sampling/grammar/gbnf.h"
#include "sampling/grammar/json_schema.h"
#include "sampling/grammar/regex_parser.h"
#include "sampling/grammar/replies/reply_grammar.h"

namespace skald {

namespace {

Grammar read_gbnf(const std::string& text) {
  Grammar grammar;
  add_gbnf(grammar, text);
  return fold_regular(std::move(grammar));
}

Grammar read_regex(const std::string& text) {
  Grammar grammar;
  const RegexId regex = parse_regex(grammar.regexes, text);
  const RuleId root = grammar.add_rule("root");
  grammar.define(root, grammar.terminal(regex));
  grammar.set_start(root);
  return grammar;
}

Grammar read_json_schema(const GrammarParams& params, const std::function<void(std::string)>& warn) {
  Grammar grammar;
  add_json_schema(grammar, params.text, {.whitespace = params.whitespace, .warn = warn});
  return grammar;
}

Grammar read_text(const GrammarParams& params, const std::function<void(std::string)>& warn) {
  switch (params.kind) {
    case GrammarParams::Kind::kGbnf:
      return read_gbnf(params.text);
    case GrammarParams::Kind::kRegex:
      return read_regex(params.text);
    case GrammarParams::Kind::kJsonSchema:
      return read_json_schema(params, warn);
    case GrammarParams::Kind::kNone:
      return {};
  }
  return {};
}

}  // namespace

Grammar read_grammar(const GrammarParams& params, const std::function<void(std::string)>& warn,
                     const MarkerSpelling& markers) {
  if (params.empty()) fail(Errc::kBadInput, "there is no grammar");
  Grammar grammar = read_text(params, warn);
  if (!params.reply.format.empty()) make_reply(grammar, params, markers, warn);
  return grammar;
}

}  // namespace skald
