#include "sampling/grammar/replies/loose_calls.h"

#include <array>
#include <initializer_list>
#include <vector>

#include "base/error.h"
#include "sampling/grammar/replies/call_arguments.h"

namespace skald {
namespace {

constexpr CallShape kShape{.trigger = "", .call = "$NAME$ARGUMENTS"};
constexpr int64_t kMostCallSpace = 80;  // that calls have between their parts

RegexId white_space(RegexSet& regexes, int64_t most) {
  const std::array all{regexes.literal(" "), regexes.literal("\t"), regexes.literal("\r"), regexes.literal("\n")};
  return regexes.repeat(regexes.any_of(all), 0, most);
}

/// Texts in a row, with white space between them.
class Spaced {
 public:
  Spaced(RegexSet& regexes, int64_t most) : regexes_(regexes), space_(white_space(regexes, most)) {}

  RegexId operator()(std::initializer_list<RegexId> parts) {
    std::vector<RegexId> out;
    for (const RegexId part : parts) {
      if (!out.empty()) out.push_back(space_);
      out.push_back(part);
    }
    return regexes_.concat(out);
  }
  RegexId text(std::string_view literal) { return regexes_.literal(literal); }
  RegexId one_of(std::initializer_list<std::string_view> literals) {
    std::vector<RegexId> out;
    for (const std::string_view literal : literals) out.push_back(text(literal));
    return regexes_.any_of(out);
  }
  RegexId maybe(RegexId part) { return regexes_.repeat(part, 0, 1); }
  /// From the brace to the colon in front of the arguments.
  RegexId head(RegexId name) {
    return (*this)(
        {text("{"), text("\"name\""), text(":"), name, text(","), one_of({"\"arguments\"", "\"parameters\""}), text(":")});
  }
  RegexId space() const { return space_; }

 private:
  RegexSet& regexes_;
  RegexId space_;
};

RegexId quoted(RegexSet& regexes, const std::string& name) { return regexes.literal('"' + name + '"'); }

class LooseWriter {
 public:
  LooseWriter(Grammar& grammar, const MarkerSpelling& markers, const ReplyTools& kinds, const CallOptions& options)
      : grammar_(grammar), markers_(markers), kinds_(kinds), options_(options), spaced_(grammar.regexes, kMostCallSpace) {
    options_.whitespace = JsonWhitespace::kFlexible;
  }

  ExprId calls(std::span<const ToolSchema> tools) {
    const RuleId call = grammar_.add_rule("loose");
    std::vector<ExprId> ways;
    for (const ToolSchema& tool : tools) ways.push_back(call_of(tool));
    grammar_.define(call, grammar_.any_of(ways));
    const ExprId one = grammar_.rule(call), space = regex(spaced_.space());
    const auto more = [&](ExprId first, ExprId next) { return options_.parallel ? several(first, next) : first; };
    const ExprId list = sequence({regex(spaced_({spaced_.text("["), empty()})),
                                  more(one, sequence({regex(spaced_({empty(), spaced_.text(","), empty()})), one})),
                                  regex(spaced_({empty(), spaced_.text("]")}))});
    const ExprId row = more(one, sequence({space, one}));
    const ExprId open = sequence({regex(spaced_({spaced_.one_of({"```json", "```"}), empty()}))});
    const ExprId fenced =
        sequence({open, grammar_.any_of(std::array{row, list}), regex(spaced_({empty(), spaced_.text("```")}))});
    const ExprId block = grammar_.any_of(std::array{fenced, one, list});
    return sequence({space, more(block, sequence({space, block}))});
  }

 private:
  ExprId call_of(const ToolSchema& tool) {
    const RegexId head = spaced_.head(quoted(grammar_.regexes, tool.name));
    const ExprId arguments = about_tool(
        tool.name, [&] { return grammar_.rule(add_call_arguments(grammar_, markers_, kShape, tool, kinds_, options_)); });
    return sequence({regex(spaced_({head, empty()})), arguments, regex(spaced_({empty(), spaced_.text("}")}))});
  }

  ExprId several(ExprId first, ExprId next) { return sequence({first, grammar_.repeat(next, 0, -1)}); }
  ExprId sequence(std::initializer_list<ExprId> parts) { return grammar_.sequence({parts.begin(), parts.size()}); }
  ExprId regex(RegexId id) { return grammar_.terminal(id); }
  RegexId empty() { return grammar_.regexes.literal(""); }

  Grammar& grammar_;
  const MarkerSpelling& markers_;
  const ReplyTools& kinds_;
  CallOptions options_;
  Spaced spaced_;
};

// White space, or other text that is not looked at for calls.
RegexId after_calls(RegexSet& regexes, RegexId free) {
  const RegexId space = white_space(regexes, -1), any = regexes.anything();
  const std::array never{regexes.literal("{"), regexes.literal("["), regexes.literal("`"), regexes.literal(","),
                         regexes.literal(";"), regexes.literal("}"), regexes.literal("]")};
  const RegexId called = regexes.concat(std::array{space, regexes.any_of(never), any});
  return regexes.both(free, regexes.complement(called));
}

}  // namespace

RegexId loose_beginnings(RegexSet& regexes, std::span<const std::string> names) {
  Spaced spaced(regexes, -1);
  std::vector<RegexId> known;
  for (const std::string& name : names) known.push_back(quoted(regexes, name));
  const RegexId fence = spaced.maybe(spaced.one_of({"```json", "```"})), list = spaced.maybe(spaced.text("["));
  const RegexId begin = regexes.literal(""), head = spaced.head(regexes.any_of(known));
  return regexes.concat(std::array{spaced({begin, fence, list, head, spaced.text("{")}), regexes.anything()});
}

ExprId loose_calls(Grammar& grammar, const MarkerSpelling& markers, std::span<const ToolSchema> tools,
                   const ReplyTools& kinds, const CallOptions& options, RegexId free) {
  LooseWriter writer(grammar, markers, kinds, options);
  const std::array parts{writer.calls(tools), grammar.terminal(after_calls(grammar.regexes, free))};
  return grammar.sequence(parts);
}

}  // namespace skald
