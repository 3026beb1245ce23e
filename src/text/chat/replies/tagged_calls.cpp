#include <optional>

#include "text/chat/replies/argument_list.h"
#include "text/chat/replies/call_syntax.h"
#include "text/chat/replies/json_text.h"
#include "text/chat/replies/tag_head.h"
#include "text/chat/replies/tagged_value.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

bool is_quoted(std::string_view open) { return open.ends_with('"'); }

/// Reads a name up to white space or a "<", which stay.
Reading take_bare_name(ReplyReader& r, std::string& name) {
  co_await skip_space(r);
  while (name.size() <= kMaxName) {
    const bool more = co_await r.in.need(1);
    if (!more) co_return false;
    const char c = r.in.rest().front();
    if (c == '<' || is_white_space(c)) co_return true;
    name += c;
    r.in.skip(1);
  }
  co_return false;
}

/// Reads one argument after key_open.
Reading read_argument(ReplyReader& r, const TaggedCalls& s, const std::string& name, ArgumentList& arguments) {
  TagHead head;
  const bool keyed = co_await take_head(r, s.key_end, is_quoted(s.key_open), head);
  if (!keyed) co_return false;
  if (!s.value_open.empty()) {
    co_await skip_space(r);
    const bool opened = co_await take(r, s.value_open);
    if (!opened) co_return false;
  }
  size_t begin = r.in.at(), end = 0;
  const bool read = co_await take_value(r, s, {name, arguments}, end);
  if (!read) co_return false;
  std::string_view value = r.in.text(begin, end);
  if (s.line_values) value = without_line_feeds(value);
  const std::optional<uint8_t> told = told_kinds(head.attributes);
  arguments.add(std::move(head.name), argument_json(value, told ? *told : r.tools.kinds(name, head.name)));
  co_return true;
}

/// Reads a call after `open`, up to and with `close`.
Reading read_call(ReplyReader& r, const TaggedCalls& s, ReplyCall& call) {
  TagHead head;
  bool named = false;
  if (s.name_end.empty()) {
    named = co_await take_bare_name(r, head.name);
  } else {
    named = co_await take_head(r, s.name_end, is_quoted(s.open), head);
  }
  call.name = trimmed(head.name);
  if (!named || !is_name(call.name)) co_return false;
  ArgumentList arguments;
  for (bool more = !trimmed(head.attributes).ends_with('/'); more;) {
    co_await skip_space(r);
    more = co_await take(r, s.key_open);
    if (more) {
      const bool read = co_await read_argument(r, s, call.name, arguments);
      if (!read) co_return false;
      continue;
    }
    bool closed = co_await take(r, s.close);
    if (!closed && !s.outer_close.empty()) closed = co_await is_next(r, s.outer_close);
    if (!closed) co_return false;
  }
  call.arguments = arguments.json();
  co_return true;
}

}  // namespace

Openings openings(const TaggedCalls& s) { return s.outer_open.empty() ? Openings{s.open} : Openings{s.outer_open, s.open}; }

Reading fits(ReplyReader& r, const TaggedCalls& s, std::string_view opening) {
  if (opening != s.outer_open) {
    const bool more = co_await r.in.need(1);
    co_return more;
  }
  co_await skip_space(r);
  const bool begins = co_await is_next(r, s.open);
  if (begins) co_return true;
  const bool empty = co_await is_next(r, s.outer_close);
  co_return empty;
}

Reading read_calls(ReplyReader& r, const TaggedCalls& s, std::string_view opening) {
  const bool outer = !s.outer_open.empty();
  if (opening == s.outer_open) {
    co_await skip_space(r);
    const bool empty = co_await take(r, s.outer_close);
    if (empty) co_return true;
    const bool opened = co_await take(r, s.open);
    if (!opened) co_return false;
  }
  for (bool more = true; more;) {
    ReplyCall call;
    const bool read = co_await read_call(r, s, call);
    if (!read) co_return false;
    if (!outer) {
      r.add(std::move(call));
      co_return true;
    }
    const size_t after = r.in.at();
    co_await skip_space(r);
    const bool closed = co_await take(r, s.outer_close);
    more = !closed;
    if (more) more = co_await take(r, s.open);
    if (!closed && !more) {
      if (r.in.at_end() && r.truncated) co_return false;
      r.in.go(after);
    }
    r.add(std::move(call));
  }
  co_return true;
}

}  // namespace skald
