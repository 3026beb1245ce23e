#include "cli/chat/chat_screen.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/terminal_text.h"
#include "cli/terminal/cells.h"
#include "cli/terminal/tell.h"
#include "cli/terminal/window.h"

namespace skald {
namespace {

constexpr std::string_view kDim = "\x1b[2m", kCyan = "\x1b[36m", kReset = "\x1b[0m";

// Control characters are made visible, save line feeds and tabs.
std::string safe(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t tab = std::min(text.find('\t', at), text.size());
    out += terminal_text(text.substr(at, tab - at), /*lines=*/true);
    if (tab < text.size()) out += '\t';
    at = tab + 1;
  }
  return out;
}

std::string why(const Result& result) {
  switch (result.finish) {
    case FinishReason::kStop:
      return result.stop_text.empty() ? "" : fmt::format("; stopped before \"{}\"", terminal_text(result.stop_text));
    case FinishReason::kLength:
      return "; cut off: as many tokens as -n says";
    case FinishReason::kContext:
      return "; cut off: the context is full";
    case FinishReason::kCancelled:
      return "; stopped by Ctrl-C";
    default:
      return "";
  }
}

}  // namespace

ChatScreen::ChatScreen(ScreenOptions options) : o_(options) { use_utf8(); }

std::string ChatScreen::painted(std::string_view text, std::string_view color) const {
  return o_.colors && !color.empty() ? fmt::format("{}{}{}", color, text, kReset) : std::string(text);
}

std::string ChatScreen::prompt(bool goes_on) const { return goes_on ? ". " : "> "; }

void ChatScreen::begin_answer() {
  part_ = Part::kNone;
  reasoning_.clear();
  at_line_start_ = blank_ = true;
}

void ChatScreen::write(std::string_view text, std::string_view color) {
  if (text.empty()) return;
  if (o_.terminal)
    fences_.push(safe(text), [&](std::string_view piece, bool code) { put_piece(piece, code, color); });
  else
    put(painted(text, color));
  at_line_start_ = text.ends_with('\n');
  blank_ = false;
}

void ChatScreen::put(std::string_view shown) {
  std::fwrite(shown.data(), 1, shown.size(), stdout);
  std::fflush(stdout);
}

void ChatScreen::put_wrapped(std::string_view shown) { put(wrap_.push(shown, window_columns(STDOUT_FILENO))); }

// Thinking and calls have colours of their own.
void ChatScreen::put_piece(std::string_view piece, bool code, std::string_view color) {
  const bool renders = o_.render && color.empty();
  if (code) return put(wrap_.pass(renders ? rendered_code(piece) : painted(piece, color)));
  put_wrapped(renders ? markdown_.push(piece) : painted(piece, color));
}

// Shows the text that waited for more.
void ChatScreen::flush() {
  fences_.finish([&](std::string_view piece, bool code) { put_piece(piece, code, {}); });
  put_wrapped(markdown_.finish());
  put(wrap_.finish());
}

void ChatScreen::begin(Part part) {
  if (part_ == part) return;
  flush();
  if (part == Part::kReasoning && o_.reasoning) write(o_.fold ? "[thinking ...]" : "[thinking]\n", kDim);
  if (part_ == Part::kReasoning && o_.reasoning) {
    if (!at_line_start_) write("\n");
    write(o_.fold ? "" : "[/thinking]\n", kDim);
    write("\n");
  }
  part_ = part;
}

void ChatScreen::show(const ReplyDelta& delta) {
  switch (delta.kind) {
    case ReplyDelta::Kind::kReasoning:
      begin(Part::kReasoning);
      reasoning_ += delta.text;
      if (o_.reasoning && !o_.fold) write(delta.text, kDim);
      return;
    case ReplyDelta::Kind::kContent:
      begin(Part::kContent);
      return write(delta.text);
    case ReplyDelta::Kind::kCall:
      begin(Part::kContent);
      if (!at_line_start_) write("\n");
      write(fmt::format("{}({})\n", delta.call.name, delta.call.arguments), kCyan);
  }
}

void ChatScreen::end_answer() {
  begin(Part::kNone);
  if (!at_line_start_ || blank_) write("\n");
  if (o_.terminal) write("\n");
}

void ChatScreen::statistics(const ChatAnswer& answer, int64_t n_ctx) {
  const Timing& t = answer.result.timing;
  const auto rate = [](int64_t n, double seconds) { return seconds > 0 ? static_cast<double>(n) / seconds : 0; };
  // The first token comes of the prompt's last step: one alone has no speed.
  const std::string speed = t.n_generated > 1
                                ? fmt::format("s, {:.1f} tokens/s", rate(t.n_generated - 1, t.generate_seconds))
                            : t.n_generated ? ""
                                            : "s";
  note(fmt::format("{} token{}; prompt: {} new of {}, {:.1f} tokens/s; context: {} of {}{}", t.n_generated, speed,
                   t.n_prompt - t.n_cached, t.n_prompt, rate(t.n_prompt - t.n_cached, t.prompt_seconds), answer.n_context,
                   n_ctx, why(answer.result)));
}

void ChatScreen::note(std::string_view text, int hang) const {
  const int columns = window_columns(STDERR_FILENO);
  say("{}\n", painted(columns > 0 ? wrapped(safe(text), columns, hang) : std::string(text), kDim));
}

}  // namespace skald
