// gpt-oss: Harmony's messages on channels. A call is a message to functions.f.
#include "text/chat/replies/call_object.h"
#include "text/chat/replies/reply_format.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

constexpr std::string_view kStart = "<|start|>", kChannel = "<|channel|>", kMessage = "<|message|>";
constexpr std::string_view kEnds[] = {"<|end|>", "<|return|>", "<|call|>", kStart};
constexpr size_t kStartAt = 3;
constexpr size_t kMaxHeader = 1024;

struct Header {
  std::string text;  // between <|start|> and <|message|>

  /// After "to=", in the role or on the channel.
  std::string_view recipient() const {
    const std::string_view all = text;
    const size_t at = all.rfind("to=");
    if (at == std::string_view::npos) return {};
    const std::string_view name = all.substr(at + 3);
    return name.substr(0, name.find_first_of(" \t\r\n<"));
  }
  bool is_analysis() const {
    const size_t at = text.rfind(kChannel);
    return at != std::string::npos && std::string_view(text).substr(at + kChannel.size()).starts_with("analysis");
  }
};

enum class To : uint8_t { kReader, kFunction, kBuiltin };

/// Whom the message is for; `name`: the function.
To addressee(const ReplyReader& r, const Header& header, std::string& name) {
  constexpr std::string_view kFunctions = "functions.";
  std::string_view to = header.recipient();
  if (to.empty() || to == "assistant" || to == "user") return To::kReader;
  if (to.starts_with(kFunctions)) {
    to.remove_prefix(kFunctions.size());
  } else if (to == "python" || to.starts_with("browser") || to.starts_with("container") || !r.tools.has(to)) {
    return To::kBuiltin;
  }
  name = to;
  return is_name(to) ? To::kFunction : To::kBuiltin;
}

/// At an end marker that was read: whether the message ends, and not a text that speaks of markers.
Reading is_end(ReplyReader& r, size_t which) {
  const size_t after = r.in.at();
  bool ends = false;
  if (which == kStartAt) {
    ends = co_await is_next(r, "assistant");
  } else {
    ends = !co_await skip_space(r);
    if (!ends) ends = co_await is_next(r, kStart);
    if (!ends) ends = co_await is_next(r, kChannel);
  }
  r.in.go(after);
  co_return ends;
}

/// Reads a message up to and with its end marker, but not <|start|>; its text goes to `say`.
Reading read_message(ReplyReader& r, void (*say)(ReplyReader&, std::string_view)) {
  for (;;) {
    r.in.forget();
    const bool more = co_await r.in.need(1);
    if (!more) co_return true;
    const std::string_view rest = r.in.rest();
    const size_t plain = std::min(rest.find('<'), rest.size());
    say(r, rest.substr(0, plain));
    r.in.skip(plain);
    if (plain > 0) continue;
    const size_t begin = r.in.at();
    size_t which = 0;
    const bool marked = co_await take_any(r, kEnds, which);
    bool ends = marked;
    if (marked) ends = co_await is_end(r, which);
    if (ends && which == kStartAt) r.in.go(begin);
    if (ends) co_return true;
    if (!marked && is_cut_marker(r, kEnds, false)) {
      r.in.skip(r.in.rest().size());
      co_return true;
    }
    if (!marked) r.in.skip(1);
    say(r, r.in.text(begin, r.in.at()));
  }
}

void say_content(ReplyReader& r, std::string_view text) { r.out.content(text); }
void say_reasoning(ReplyReader& r, std::string_view text) { r.out.reasoning(text); }
void say_nothing(ReplyReader&, std::string_view) {}

/// Reads a call's arguments and the message's end.
Reading read_arguments(ReplyReader& r, ReplyCall call) {
  size_t begin = 0, which = 0;
  const bool more = co_await skip_space(r);
  if (!more) co_return false;
  const bool read = co_await take_json(r, begin);
  if (!read) co_return false;
  std::optional<std::string> json = arguments_json(r.in.text(begin, r.in.at()));
  if (!json) co_return false;
  call.arguments = std::move(*json);
  co_await skip_space(r);
  const size_t end = r.in.at();
  bool ended = co_await take_any(r, kEnds, which);
  if (ended && which == kStartAt) r.in.go(end);
  ended = ended || r.complete();
  if (!ended) co_return false;
  r.add(std::move(call));
  co_return true;
}

/// Reads a message after its header.
Reading read_body(ReplyReader& r, const Header& header) {
  ReplyCall call;
  const To to = addressee(r, header, call.name);
  r.unread = r.in.at();
  if (to == To::kFunction) {
    const bool called = co_await read_arguments(r, std::move(call));
    if (called || (r.in.at_end() && r.truncated)) co_return true;
    r.out.content(r.in.text(r.unread, r.in.at()));
    co_await read_message(r, say_content);
  } else if (to == To::kBuiltin) {
    co_await read_message(r, say_nothing);
  } else if (header.is_analysis()) {
    if (r.out.has_reasoning()) r.out.reasoning("\n");
    co_await read_message(r, say_reasoning);
  } else {
    if (r.out.has_content()) r.out.content("\n");
    co_await read_message(r, say_content);
  }
  co_return true;
}

/// Reads a header up to and with <|message|>. False: it is none.
Reading read_header(ReplyReader& r, Header& header) {
  static constexpr std::string_view kMarkers[] = {kMessage, "<|end|>", "<|return|>", "<|call|>", kStart};
  while (header.text.size() < kMaxHeader) {
    const bool more = co_await r.in.need(1);
    if (!more) co_return false;
    const size_t begin = r.in.at();
    size_t which = 0;
    const bool marked = co_await take_any(r, kMarkers, which);
    if (marked && which == std::size(kMarkers) - 1) r.in.go(begin);
    if (marked) co_return which == 0;
    header.text += r.in.rest().front();
    r.in.skip(1);
  }
  co_return false;
}

/// Tells whether a header comes where the prompt ends, or the beginning of one that was cut off, or a text without one.
Reading begins_with_header(ReplyReader& r) {
  static constexpr std::string_view kBegins[] = {kStart,          kChannel, kMessage,
                                                 "<|constrain|>", " to=",   "assistant<|channel|>"};
  const size_t begin = r.in.at();
  size_t which = 0;
  const bool found = co_await take_any(r, kBegins, which);
  r.in.go(begin);
  co_return found || is_cut_marker(r, kBegins, true);
}

Reading read_harmony(ReplyReader& r, const MarkedReply&) {
  // The prompt's end is the beginning of a header, or all of it.
  Header header;
  const size_t start = r.generation_prompt.rfind(kStart);
  if (start != std::string::npos) header.text = r.generation_prompt.substr(start + kStart.size());
  const size_t message = header.text.find(kMessage);
  if (message != std::string::npos) {
    header.text.resize(message);
    co_await read_body(r, header);
  } else {
    const bool headed = co_await begins_with_header(r);
    if (!headed) co_await read_message(r, say_content);
  }
  for (;;) {
    r.in.forget();
    const bool more = co_await skip_space(r);
    if (!more) co_return true;
    const size_t begin = r.in.at();
    const bool started = co_await take(r, kStart);
    if (started || begin > 0) header.text.clear();
    const bool headed = co_await read_header(r, header);
    if (headed) {
      co_await read_body(r, header);
    } else if (!(r.in.at_end() && r.truncated)) {
      r.out.content(r.in.text(begin, r.in.at()));
    }
  }
}

// A message ends in front of each of these; the prompt ends with the beginning of the first one.
constexpr CallShape kShapes[] = {
    {.trigger = "<|end|>",
     .call = "<|start|>assistant<|channel|>commentary to=functions.$NAME <|constrain|>json<|message|>$ARGUMENTS<|call|>",
     .alone = true},
    {.trigger = "<|end|>",
     .call = "<|start|>assistant to=functions.$NAME<|channel|>commentary json<|message|>$ARGUMENTS<|call|>",
     .alone = true},
    {.trigger = "<|end|>", .call = "<|start|>assistant<|channel|>analysis<|message|>"},
    {.trigger = "<|end|>", .call = "<|start|>assistant<|channel|>commentary<|message|>"},
    {.trigger = "<|end|>", .call = "<|start|>assistant<|channel|>final<|message|>"},
};
constexpr ReasoningMarks kAnalysis[] = {{"<|start|>assistant<|channel|>analysis<|message|>", "<|end|>", true}};

}  // namespace

extern const ReplyFormat reply_format_gpt_oss;
const ReplyFormat reply_format_gpt_oss{
    .name = "gpt-oss",
    .is_of = [](std::string_view s) { return has(s, "<|channel|>") && has(s, "<|message|>"); },
    .triggers = kShapes,
    .content = {.reasoning = kAnalysis,
                .open = "<|start|>assistant<|channel|>final<|message|>",
                .must_open = true,
                .before = "<|end|>",
                .never = kEnds},
    .read = read_harmony,
    .single_calls = true};

}  // namespace skald
