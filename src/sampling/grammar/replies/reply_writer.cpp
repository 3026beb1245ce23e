#include "sampling/grammar/replies/reply_writer.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "sampling/grammar/replies/call_marks.h"
#include "sampling/grammar/replies/call_template.h"
#include "sampling/grammar/replies/loose_calls.h"
#include "text/chat/replies/open_reasoning.h"

namespace skald {
namespace {

constexpr int64_t kMostSpace = 4;  // between reasoning and content, and in front of calls

bool is_call(const CallShape& shape) { return shape.call.find("$NAME") != std::string_view::npos; }

std::string head_of(const CallShape& shape) { return std::string(shape.trigger) + std::string(template_head(shape.call)); }

// How many bytes of `text` stand at the end of what was written before.
size_t overlap(std::string_view before, std::string_view text) {
  for (size_t n = text.size(); n > 0; --n)
    if (before.ends_with(text.substr(0, n))) return n;
  return 0;
}

// Whether the prompt ends the reasoning before the reply begins.
bool has_ended(std::span<const ReasoningMarks> all, std::string_view prompt_end) {
  return std::ranges::any_of(all, [&](const ReasoningMarks& marks) { return has(prompt_end, marks.close); });
}

std::vector<ToolSchema> tools_of(const ReplyParams& reply) {
  std::vector<ToolSchema> all = reply.tools.empty() ? std::vector<ToolSchema>() : read_tool_list(reply.tools);
  if (reply.tool.empty()) return all;
  std::erase_if(all, [&](const ToolSchema& tool) { return tool.name != reply.tool; });
  if (all.empty()) fail(Errc::kBadInput, "tool choice: there is no tool of the name {}", reply.tool);
  return all;
}

RegexId white_space(RegexSet& regexes) {
  const std::array all{regexes.literal(" "), regexes.literal("\t"), regexes.literal("\r"), regexes.literal("\n")};
  return regexes.any_of(all);
}

std::vector<std::string> names_of(const ReplyParams& reply) {
  std::vector<std::string> names;
  if (reply.tools.empty()) return names;
  for (ToolSchema& tool : read_tool_list(reply.tools)) names.push_back(std::move(tool.name));
  return names;
}

}  // namespace

ReplyWriter::ReplyWriter(Grammar& grammar, const ReplyFormat& format, const ReplyParams& reply,
                         const MarkerSpelling& markers, std::optional<RuleId> content, const CallOptions& options)
    : grammar_(grammar),
      format_(format),
      reply_(reply),
      markers_(markers),
      content_(content),
      options_(options),
      tools_(tools_of(reply)),
      kinds_(reply.tools.empty() ? ReplyTools() : ReplyTools::parse(reply.tools)),
      calls_(grammar, markers, tools_, kinds_, options),
      free_(grammar.regexes, call_marks(grammar.regexes, format)),
      gap_(format.content.must_open ? grammar.sequence({})
                                    : grammar.repeat(grammar.terminal(white_space(grammar.regexes)), 0, kMostSpace)) {}

std::span<const ReasoningMarks> ReplyWriter::reasoning() const {
  if (!reply_.reasoning) return {};
  return reasoning_marks(format_);
}

std::vector<const CallShape*> ReplyWriter::call_shapes() const {
  std::vector<const CallShape*> out;
  for (const CallShape& shape : format_.triggers)
    if (is_call(shape)) out.push_back(&shape);
  return out;
}

// Where the first mark ends of the text that a shape begins with: there free text does.
size_t ReplyWriter::mark_end(const CallShape& shape) { return free_.first_mark(head_of(shape)); }

// What comes after a shape of whose first text so much is there.
ExprId ReplyWriter::behind_shape(const CallShape& shape, size_t there) {
  if (!is_call(shape)) return sequence({calls_.marker(head_of(shape), there), more_text()});
  const CallWriter::Calls calls = calls_.calls(shape, there);
  return options_.parallel && !calls.ends_turn ? sequence({calls.expr, more_text()}) : calls.expr;
}

// Free text up to the shape that is not `never`, and the shape.
ExprId ReplyWriter::lead(const CallShape& shape, RegexId never) {
  RegexSet& regexes = grammar_.regexes;
  const size_t mark = mark_end(shape);
  const RegexId up_to = free_.up_to(in_any_tokens(regexes, head_of(shape).substr(0, mark)));
  return sequence({regex(regexes.both(up_to, regexes.complement(never))), behind_shape(shape, mark)});
}

// Free text that may lead to calls, after the first part.
ExprId ReplyWriter::more_text() {
  if (!more_) {
    more_ = grammar_.add_rule("text");
    std::vector<ExprId> ways{regex(free_.free())};
    for (const CallShape& shape : format_.triggers)
      if (!shape.whole && (!is_call(shape) || reply_.choice == Choice::kAuto))
        ways.push_back(lead(shape, grammar_.regexes.nothing()));
    grammar_.define(*more_, grammar_.any_of(ways));
  }
  return grammar_.rule(*more_);
}

ExprId ReplyWriter::whole_calls(std::string_view before, ExprId gap) {
  std::vector<ExprId> ways;
  for (const CallShape* shape : call_shapes())
    if (shape->whole || reply_.choice == Choice::kRequired || content_)
      ways.push_back(sequence({gap, calls_.calls(*shape, overlap(before, head_of(*shape))).expr}));
  return grammar_.any_of(ways);
}

// Text as the model likes, and calls in it.
ExprId ReplyWriter::free_text(std::string_view before) {
  std::vector<ExprId> begun;  // by the prompt
  for (const CallShape& shape : format_.triggers) {
    const size_t there = shape.whole ? 0 : overlap(before, head_of(shape));
    if (there == 0 || there < mark_end(shape) || (is_call(shape) && reply_.choice != Choice::kAuto)) continue;
    begun.push_back(behind_shape(shape, there));
  }
  if (!begun.empty()) return grammar_.any_of(begun);
  RegexSet& regexes = grammar_.regexes;
  const std::vector<std::string> names = names_of(reply_);
  const bool loose = format_.marked.loose && !names.empty();
  const RegexId begins_loosely = loose ? loose_beginnings(regexes, names) : regexes.nothing();
  const RegexId calls = regexes.any_of(std::array{bare_calls(regexes, format_, names), begins_loosely});
  std::vector<ExprId> ways{regex(regexes.both(free_.free(), regexes.complement(calls)))};
  if (reply_.choice == Choice::kAuto) ways.push_back(whole_calls(before, gap_));
  if (reply_.choice == Choice::kAuto && loose)
    ways.push_back(loose_calls(grammar_, markers_, tools_, kinds_, options_, free_.free()));
  for (const CallShape& shape : format_.triggers)
    if (!shape.whole && (!is_call(shape) || reply_.choice == Choice::kAuto)) ways.push_back(lead(shape, begins_loosely));
  return grammar_.any_of(ways);
}

// `gap`: the white space that readers drop.
ExprId ReplyWriter::wanted_content(std::string_view before, ExprId gap) {
  const ContentShape& around = format_.content;
  const ExprId content = grammar_.rule(*content_);
  if (around.open.empty()) return sequence({gap, content});
  const ExprId open = calls_.marker(around.open, overlap(before, around.open));
  const ExprId close = around.close.empty() ? empty() : grammar_.repeat(calls_.marker(around.close), 0, 1);
  const ExprId opened = sequence({gap, open, gap, content, close});
  return around.must_open ? opened : grammar_.any_of(std::array{opened, sequence({gap, content})});
}

// What comes when there is no reasoning, or no more of it.
ExprId ReplyWriter::after(std::string_view before, ExprId gap) {
  const bool may_call = !tools_.empty() && reply_.choice != Choice::kNone;
  if (may_call && reply_.choice == Choice::kRequired) return whole_calls(before, gap);
  if (!content_) return free_text(before);
  if (!may_call) return wanted_content(before, gap);
  return grammar_.any_of(std::array{whole_calls(before, gap), wanted_content(before, gap)});
}

// Reasoning after `begin`, up to its end, and what comes then.
ExprId ReplyWriter::reasoned(const ReasoningMarks& marks, ExprId begin) {
  RegexSet& regexes = grammar_.regexes;
  std::vector<RegexId> ends{in_any_tokens(regexes, marks.close)};
  if (marks.anywhere)
    for (const std::string_view silent : format_.marked.silent) ends.push_back(in_any_tokens(regexes, silent));
  for (const std::string_view never : format_.content.never) ends.push_back(in_any_tokens(regexes, never));
  FreeText text(regexes, regexes.any_of(ends));
  const size_t mark = text.first_mark(marks.close);
  const RegexId up_to = text.up_to(in_any_tokens(regexes, marks.close.substr(0, mark)));
  return sequence({begin, regex(up_to), calls_.marker(marks.close, mark), after(marks.close, gap_)});
}

ExprId ReplyWriter::reply() {
  const std::string before = std::string(format_.content.before) + reply_.prompt_end;
  const std::span<const ReasoningMarks> all = reasoning();
  const ReasoningMarks* open = open_reasoning(all, before);
  const bool over = !open && has_ended(all, reply_.prompt_end);
  const bool free = !content_ && (tools_.empty() || reply_.choice != Choice::kRequired);
  std::vector<ExprId> ways;
  if (!open || free) ways.push_back(after(before, empty()));
  if (open) ways.push_back(reasoned(*open, empty()));
  for (const ReasoningMarks& marks : open || over ? std::span<const ReasoningMarks>() : all) {
    const std::string_view rest = marks.open.substr(overlap(before, marks.open));
    ways.push_back(reasoned(marks, sequence({gap_, regex(in_any_tokens(grammar_.regexes, rest))})));
  }
  return grammar_.any_of(ways);
}

}  // namespace skald
