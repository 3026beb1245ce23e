#include "text/chat/replies/call_object.h"
#include "text/chat/replies/call_syntax.h"
#include "text/chat/replies/gemma_text.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

/// Reads arguments, which are a whole object.
Reading read_arguments(ReplyReader& r, const NamedCalls& s, ReplyCall& call) {
  size_t begin = 0;
  co_await skip_fence(r);
  if (s.values == NamedCalls::Values::kGemma) {
    const bool read = co_await take_gemma(r, begin);
    if (!read) co_return false;
    std::optional<std::string> json = gemma_json(r.in.text(begin, r.in.at()));
    if (json) call.arguments = std::move(*json);
    co_return json.has_value();
  }
  bool none = !s.close.empty();
  if (none) none = co_await is_next(r, s.close);
  if (none) co_return true;
  const bool read = co_await take_json(r, begin);
  if (!read) co_return false;
  std::optional<std::string> json = arguments_json(r.in.text(begin, r.in.at()));
  if (json) call.arguments = std::move(*json);
  co_return json.has_value();
}

}  // namespace

Openings openings(const NamedCalls& s) { return {s.open}; }

Reading fits(ReplyReader& r, const NamedCalls& s, std::string_view) {
  const size_t begin = r.in.at();
  std::string head;
  const bool named = co_await take_until(r, s.name_end, kMaxName, head);
  if (!named) head = r.in.text(begin, r.in.at());
  co_return (named || r.in.at_end()) && head.find('{') == std::string::npos;  // at the end: a call that is unfinished
}

Reading read_calls(ReplyReader& r, const NamedCalls& s, std::string_view) {
  std::string head;
  const bool named = co_await take_until(r, s.name_end, kMaxName, head);
  if (!named) co_return false;
  if (s.keeps_name_end) r.in.go(r.in.at() - s.name_end.size());
  ReplyCall call;
  if (s.read_name) {
    s.read_name(trimmed(head), call);
  } else {
    call.name = trimmed(head);
  }
  if (!is_name(call.name)) co_return false;
  const bool read = co_await read_arguments(r, s, call);
  if (!read) co_return false;
  if (!s.close.empty()) {
    co_await skip_fence(r);
    bool closed = co_await take(r, s.close);
    closed = closed || r.complete();
    if (!closed) closed = co_await is_next(r, s.open);
    if (!closed) co_return false;
  }
  r.add(std::move(call));
  co_return true;
}

}  // namespace skald
