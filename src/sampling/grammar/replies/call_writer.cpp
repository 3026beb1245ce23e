#include "sampling/grammar/replies/call_writer.h"

#include <algorithm>
#include <array>

#include "base/document_error.h"
#include "sampling/grammar/replies/call_arguments.h"
#include "sampling/grammar/replies/call_template.h"

namespace skald {
namespace {

using Values = CallShape::Values;

bool can_be_written(const CallShape& shape, std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  const bool plain =
      std::ranges::none_of(name, [](char c) { return static_cast<uint8_t>(c) < 0x20 || c == '\\' || c == '&'; });
  if (!plain || !is_name(name)) return false;
  if (shape.values != Values::kPython) return true;
  constexpr std::string_view kLater = "0123456789.-";
  const auto fits = [&](char c) {
    return kLetters.find(c) != std::string_view::npos || kLater.find(c) != std::string_view::npos;
  };
  return kLetters.find(name.front()) != std::string_view::npos && std::ranges::all_of(name, fits);
}

RegexId variable(RegexSet& regexes, std::string_view name) {
  const auto range = [&](char first, char last) {
    return ByteSet::range(static_cast<uint8_t>(first), static_cast<uint8_t>(last));
  };
  const RegexId digit = regexes.bytes(range('0', '9'));
  if (name == "ID") return regexes.repeat(regexes.bytes(range('0', '9') | range('a', 'z') | range('A', 'Z')), 10, 10);
  const RegexId longer = regexes.concat(std::array{regexes.bytes(range('1', '9')), regexes.repeat(digit, 0, 3)});
  return regexes.any_of(std::array{regexes.literal("0"), longer});
}

}  // namespace

CallWriter::CallWriter(Grammar& grammar, const MarkerSpelling& markers, std::span<const ToolSchema> tools,
                       const ReplyTools& kinds, const CallOptions& options)
    : grammar_(grammar), markers_(markers), tools_(tools), kinds_(kinds), options_(options) {}

ExprId CallWriter::marker(std::string_view text, size_t there) {
  const std::string spelled = markers_.spelled(text).text;
  size_t at = 0;
  for (size_t shown = 0; at < spelled.size() && shown < there; ++at) shown += spelled[at] != kControlByte;
  return grammar_.terminal(grammar_.regexes.literal(std::string_view(spelled).substr(at)));
}

ExprId CallWriter::arguments(const CallShape& shape, const ToolSchema& tool) {
  const auto [it, added] = arguments_.try_emplace({&shape, &tool});
  if (!added) return it->second;
  return it->second = about_tool(tool.name, [&] {
           return grammar_.rule(add_call_arguments(grammar_, markers_, shape, tool, kinds_, options_));
         });
}

// A text of the shape with its variables filled in, from the first one on.
ExprId CallWriter::filled(const CallShape& shape, std::string_view text, const ToolSchema& tool, bool& ends) {
  if (!can_be_written(shape, tool.name))
    throw DocumentError::of_name(
        Errc::kUnsupported, fmt::format("tool \"{}\": the format of calls cannot write this name", tool.name), tool.name);
  std::vector<ExprId> parts;
  bool begun = false;
  for (const TemplatePart& part : template_parts(text)) {
    begun = begun || part.variable;
    if (!begun) continue;
    if (!part.variable) {
      parts.push_back(marker(part.text));
      ends = markers_.spelled(part.text).ends;
      if (ends) break;
    } else if (part.text == "NAME") {
      parts.push_back(grammar_.terminal(grammar_.regexes.literal(tool.name)));
    } else if (part.text == "ARGUMENTS") {
      parts.push_back(arguments(shape, tool));
    } else {
      parts.push_back(grammar_.terminal(variable(grammar_.regexes, part.text)));
    }
  }
  return grammar_.sequence(parts);
}

ExprId CallWriter::one_of_tools(const CallShape& shape, std::string_view text, bool& ends) {
  std::vector<ExprId> ways;
  for (const ToolSchema& tool : tools_) ways.push_back(filled(shape, text, tool, ends));
  return grammar_.any_of(ways);
}

CallWriter::Calls CallWriter::calls(const CallShape& shape, size_t there) {
  bool ends = false;
  const RuleId call = grammar_.add_rule("call");
  grammar_.define(call, one_of_tools(shape, shape.call, ends));
  const std::string head(template_head(shape.call));
  std::vector<ExprId> parts{marker(std::string(shape.trigger) + head, there), grammar_.rule(call)};
  if (options_.parallel && !shape.alone && !ends) {
    const std::array more{marker(std::string(shape.between) + head), grammar_.rule(call)};
    parts.push_back(grammar_.repeat(grammar_.sequence(more), 0, -1));
  }
  if (!ends) parts.push_back(marker(shape.end));
  return {grammar_.sequence(parts), ends || markers_.spelled(shape.end).ends};
}

}  // namespace skald
