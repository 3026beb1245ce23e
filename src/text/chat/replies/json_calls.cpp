#include "text/chat/replies/call_object.h"
#include "text/chat/replies/call_syntax.h"

namespace skald {
namespace {

/// Reads one object that is a call.
Reading read_object(ReplyReader& r, const JsonCalls& s, ReplyCall& call) {
  co_await skip_space(r);
  size_t begin = 0;
  const bool object = co_await is_next(r, "{");
  bool read = object;
  if (object) read = co_await take_json(r, begin);
  if (!read) co_return false;
  const std::string_view text = r.in.text(begin, r.in.at());
  std::optional<CallObject> found = s.name_is_key ? call_by_key(text) : call_object(text);
  if (found) call = std::move(found->call);
  co_return found.has_value();
}

/// Reads items after "[", up to "]". Each is given out when the text after it shows that it is whole.
Reading read_list(ReplyReader& r, const JsonCalls& s) {
  co_await skip_space(r);
  bool more = !co_await take(r, "]");
  while (more) {
    ReplyCall call;
    const bool read = co_await read_object(r, s, call);
    if (!read) co_return false;
    co_await skip_space(r);
    more = co_await take(r, ",");
    bool closed = more;
    if (!more) closed = co_await take(r, "]");
    if (!closed && !r.complete()) co_return false;
    r.add(std::move(call));
  }
  co_return true;
}

/// Tells whether another object follows, without a separator or after one, which is read.
Reading goes_on(ReplyReader& r) {
  static constexpr std::string_view kSeparators[] = {";", ","};
  const size_t begin = r.in.at();
  size_t which = 0;
  co_await skip_space(r);
  const bool separated = co_await take_any(r, kSeparators, which);
  if (separated) co_await skip_space(r);
  const bool another = co_await is_next(r, "{");
  if (!another) r.in.go(begin);
  co_return another;
}

/// Reads objects one after another, the last with `close` after it.
Reading read_row(ReplyReader& r, const JsonCalls& s) {
  for (bool more = true; more;) {
    ReplyCall call;
    const bool read = co_await read_object(r, s, call);
    if (!read) co_return false;
    if (!s.close.empty()) {
      co_await skip_space(r);
      for (bool stray = true; stray;) {  // models slip in a brace too many
        stray = co_await take(r, "}");
        co_await skip_space(r);
      }
      co_await skip_fence(r);
      const bool closed = co_await take(r, s.close);
      bool ends = closed || r.complete();
      if (!ends) ends = co_await is_next(r, s.open);
      if (ends) {
        r.add(std::move(call));
        co_return true;
      }
    }
    more = co_await goes_on(r);
    if (!more && !s.close.empty()) co_return false;
    r.add(std::move(call));
  }
  co_return true;
}

}  // namespace

Openings openings(const JsonCalls& s) { return {s.open}; }

Reading fits(ReplyReader& r, const JsonCalls&, std::string_view) {
  static constexpr std::string_view kBegins[] = {"{", "[", "```"};
  size_t which = 0;
  co_await skip_space(r);
  const bool begins = co_await take_any(r, kBegins, which);
  co_return begins;
}

Reading read_calls(ReplyReader& r, const JsonCalls& s, std::string_view) {
  const bool fenced = co_await skip_fence(r);
  const bool list = co_await take(r, "[");
  if (!list) {
    const bool read = co_await read_row(r, s);
    co_return read;
  }
  const bool read = co_await read_list(r, s);
  if (!read) co_return false;
  const size_t after = r.in.at();
  bool closed = co_await skip_fence(r);
  closed = closed && fenced && s.close.empty();
  if (!s.close.empty()) closed = co_await take(r, s.close);
  if (!closed) r.in.go(after);
  co_return true;
}

}  // namespace skald
