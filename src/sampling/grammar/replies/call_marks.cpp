#include "sampling/grammar/replies/call_marks.h"

#include <array>
#include <vector>

#include "sampling/grammar/free_text.h"

namespace skald {
namespace {

class Marks {
 public:
  explicit Marks(RegexSet& regexes) : regexes_(regexes), space_(white_space()) {}

  void add(std::string_view text) {
    if (!text.empty()) marks_.push_back(in_any_tokens(regexes_, text));
  }
  void add_call(const JsonCalls& s) {
    const std::array begins{in_any_tokens(regexes_, "{"), in_any_tokens(regexes_, "["), in_any_tokens(regexes_, "```")};
    marks_.push_back(regexes_.concat(std::array{in_any_tokens(regexes_, s.open), space_, regexes_.any_of(begins)}));
  }
  template <class Syntax>
  void add_call(const Syntax& s) {
    add(openings(s).first);
    add(openings(s).second);
  }
  RegexId all() { return regexes_.any_of(marks_); }
  RegexId space() const { return space_; }

 private:
  RegexId white_space() {
    const std::array all{in_any_tokens(regexes_, " "), in_any_tokens(regexes_, "\t"), in_any_tokens(regexes_, "\r"),
                         in_any_tokens(regexes_, "\n")};
    return regexes_.repeat(regexes_.any_of(all), 0, -1);
  }

  RegexSet& regexes_;
  RegexId space_;
  std::vector<RegexId> marks_;
};

RegexId one_of(RegexSet& regexes, std::span<const std::string_view> texts) {
  std::vector<RegexId> parts;
  for (const std::string_view text : texts) parts.push_back(regexes.literal(text));
  return regexes.any_of(parts);
}

}  // namespace

RegexId call_marks(RegexSet& regexes, const ReplyFormat& format) {
  Marks marks(regexes);
  for (const CallSyntax& call : format.marked.calls) std::visit([&](const auto& s) { marks.add_call(s); }, call);
  marks.add(format.marked.section_open);
  for (const std::string_view text : format.content.never) marks.add(text);
  for (const CallShape& shape : format.triggers) {
    if (format.read && !shape.whole) marks.add(shape.trigger);
  }
  return marks.all();
}

RegexId bare_calls(RegexSet& regexes, const ReplyFormat& format, std::span<const std::string> names) {
  using Bare = MarkedReply::Bare;
  if (format.marked.bare == Bare::kNone) return regexes.nothing();
  constexpr std::string_view kFirst[] = {"type", "name",       "tool_name", "function",     "arguments",
                                         "args", "parameters", "id",        "tool_call_id", "call_id"};
  constexpr std::string_view kArguments[] = {"arguments", "parameters", "args"};
  const RegexId space = Marks(regexes).space(), any = regexes.anything(), quote = regexes.literal("\"");
  const RegexId list = regexes.repeat(regexes.concat(std::array{regexes.literal("["), space}), 0, 1);
  const std::array first{quote, one_of(regexes, kFirst), quote, any};
  const RegexId earlier = regexes.repeat(regexes.concat(first), 0, 1);
  const std::array key{quote, one_of(regexes, kArguments), quote, space, regexes.literal(":"), any};
  const std::array json{space, list, regexes.literal("{"), space, earlier, regexes.concat(key)};
  std::vector<RegexId> out{regexes.concat(json)};
  if (format.marked.bare == Bare::kJsonOrPython) {
    std::vector<RegexId> known;
    for (const std::string& name : names) known.push_back(regexes.literal(name));
    const std::array python{space, regexes.literal("["), space, regexes.any_of(known), regexes.literal("("), any};
    out.push_back(regexes.concat(python));
  }
  return regexes.any_of(out);
}

}  // namespace skald
