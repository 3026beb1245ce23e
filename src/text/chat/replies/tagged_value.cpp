#include "text/chat/replies/tagged_value.h"

#include <algorithm>

#include "text/chat/replies/tag_head.h"

namespace skald {
namespace {

/// Whether, white space aside, a call goes on or ends here; so does a reply that is over. The position stays.
Reading goes_on(ReplyReader& r, const TaggedCalls& s) {
  const size_t begin = r.in.at();
  bool found = !co_await skip_space(r);
  for (std::string_view next : {s.key_open, s.close, s.outer_close}) {
    if (!found && !next.empty()) found = co_await is_next(r, next);
  }
  r.in.go(begin);
  co_return found;
}

/// Tells, after a call's close, whether the calls go on or end. The position stays.
Reading is_call_end(ReplyReader& r, const TaggedCalls& s) {
  const size_t begin = r.in.at();
  bool found = !co_await skip_space(r);
  if (!found) found = co_await is_next(r, s.open);
  if (!found && !s.outer_close.empty()) found = co_await is_next(r, s.outer_close);
  r.in.go(begin);
  co_return found;
}

/// At a key_open: whether it begins an argument that the call has not got. The position stays.
Reading is_other_argument(ReplyReader& r, const TaggedCalls& s, CallSoFar call) {
  const size_t begin = r.in.at();
  TagHead head;
  r.in.skip(s.key_open.size());
  bool other = co_await take_head(r, s.key_end, s.key_open.ends_with('"'), head);
  r.in.go(begin);
  other = other && is_name(head.name) && !call.arguments.has(head.name);
  co_return other&& r.tools.has_parameter(call.name, head.name);
}

}  // namespace

Reading take_value(ReplyReader& r, const TaggedCalls& s, CallSoFar call, size_t& end) {
  char before = 0;
  for (;;) {
    const bool more = co_await r.in.need(1);
    if (!more) co_return false;
    const size_t plain = std::min(r.in.rest().find('<'), r.in.rest().size());
    if (plain > 0) {
      before = r.in.rest()[plain - 1];
      r.in.skip(plain);
      continue;
    }
    end = r.in.at();
    bool ends = co_await take(r, s.value_close);
    if (ends) ends = co_await goes_on(r, s);
    if (ends) co_return true;
    r.in.go(end);
    if (before == '\n') {
      ends = co_await is_next(r, s.key_open);
      if (ends) ends = co_await is_other_argument(r, s, call);
    }
    if (ends) co_return true;
    ends = co_await take(r, s.close);
    if (ends) ends = co_await is_call_end(r, s);
    r.in.go(end);
    if (ends) co_return true;
    before = '<';
    r.in.skip(1);
  }
}

std::string_view without_line_feeds(std::string_view value) {
  if (value.starts_with("\r\n")) value.remove_prefix(1);
  if (value.starts_with('\n')) value.remove_prefix(1);
  if (value.ends_with('\n')) value.remove_suffix(1);
  if (value.ends_with('\r')) value.remove_suffix(1);
  return value;
}

}  // namespace skald
