// functionary-v3.2: >>>f and JSON on the next line; >>>all and a text for the reader.
#include "text/chat/replies/call_object.h"
#include "text/chat/replies/reply_format.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

constexpr std::string_view kMark = ">>>", kAll = "all";

/// Reads "f" and the line's end after ">>>". The position stays where it is none.
Reading take_recipient(ReplyReader& r, std::string& name) {
  const size_t begin = r.in.at();
  const bool line = co_await take_until(r, "\n", kMaxName, name);
  name = trimmed(name);
  const bool known = line && is_name(name) && (name == kAll || r.tools.has(name));
  if (!known) r.in.go(begin);
  co_return known;
}

Reading read_call(ReplyReader& r, std::string name) {
  size_t begin = 0;
  co_await skip_space(r);
  const bool read = co_await take_json(r, begin);
  if (!read) co_return false;
  std::optional<std::string> json = arguments_json(r.in.text(begin, r.in.at()));
  if (!json) co_return false;
  r.add({.name = std::move(name), .arguments = std::move(*json)});
  co_return true;
}

Reading read_recipients(ReplyReader& r, const MarkedReply&) {
  static constexpr std::string_view kMarks[] = {kMark};
  bool marked = r.generation_prompt.ends_with(kMark), written = false;
  r.unread = r.in.at();
  for (;;) {
    std::string name;
    if (marked) marked = co_await take_recipient(r, name);
    // A name that was cut off.
    if (!marked && written && r.truncated && (r.in.rest().empty() || is_name(r.in.rest()))) {
      r.out.reasoning({});
      co_return true;
    }
    if (marked && name != kAll) {
      const bool called = co_await read_call(r, name);
      const bool cut = r.in.at_end() && r.truncated;
      if (!called && cut) r.out.reasoning({});
      if (!called && !cut) r.out.content(r.in.text(r.unread, r.in.at()));
    } else if (!marked) {
      r.out.content(r.in.text(r.unread, r.in.at()));
    }
    marked = false;
    bool line = true;  // begins here
    while (!marked) {
      r.in.forget();
      const bool more = co_await r.in.need(1);
      if (!more) co_return true;
      const std::string_view rest = r.in.rest();
      const size_t plain = std::min(rest.find(kMark.front()), rest.size());
      r.out.content(rest.substr(0, plain));
      if (plain > 0) line = rest[plain - 1] == '\n';
      r.in.skip(plain);
      if (plain > 0) continue;
      r.unread = r.in.at();
      marked = co_await take(r, kMark);
      written = marked;
      if (marked) continue;
      if (is_cut_marker(r, kMarks, line)) {
        r.out.reasoning({});
        co_return true;
      }
      r.in.skip(1);
      r.out.content(r.in.text(r.unread, r.in.at()));
    }
  }
}

constexpr CallShape kShapes[] = {{.trigger = ">>>", .call = "$NAME\n$ARGUMENTS", .between = ">>>"},
                                 {.trigger = ">>>", .call = "all\n"}};

}  // namespace

extern const ReplyFormat reply_format_functionary_v3_2;
const ReplyFormat reply_format_functionary_v3_2{
    .name = "functionary-v3.2",
    .is_of = [](std::string_view s) { return has(s, ">>>") && has(s, "recipient"); },
    .triggers = kShapes,
    .content = {.open = ">>>all\n", .must_open = true},
    .read = read_recipients};

}  // namespace skald
