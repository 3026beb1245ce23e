#include "cli/chat/message_input.h"

#include <fmt/format.h>

#include <string_view>

namespace skald {
namespace {

constexpr std::string_view kBlock = "\"\"\"";

// The rest of a block; the line with its end is the last one.
InputLine read_block(const ReadLine& read_line, std::string first) {
  std::string text = first.substr(kBlock.size());
  while (!text.ends_with(kBlock)) {
    InputLine line = read_line(true);
    if (line.kind == InputLine::Kind::kInterrupted) return line;
    if (line.kind == InputLine::Kind::kEnd) return {.text = text};
    if (!text.empty()) text += '\n';
    text += line.text;
  }
  text.resize(text.size() - kBlock.size());
  if (text.ends_with('\n')) text.pop_back();
  return {.text = text};
}

}  // namespace

InputLine read_message(const ReadLine& read_line) {
  InputLine line = read_line(false);
  if (line.kind != InputLine::Kind::kText) return line;
  if (line.text.starts_with(kBlock)) return read_block(read_line, std::move(line.text));
  std::string text = std::move(line.text);
  while (text.ends_with('\\')) {
    text.back() = '\n';
    line = read_line(true);
    if (line.kind == InputLine::Kind::kInterrupted) return line;
    if (line.kind == InputLine::Kind::kEnd) break;
    text += line.text;
  }
  return {.text = text};
}

std::string as_typed(const std::string& message) {
  if (!message.starts_with(kBlock) && !message.ends_with('\\')) return message;
  return fmt::format("{0}{1}\n{0}", kBlock, message);
}

}  // namespace skald
