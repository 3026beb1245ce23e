#include "text/chat/replies/call_syntax.h"
#include "text/chat/replies/python_text.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

/// Reads `name(`'s name; leaves the position after it.
Reading take_name(ReplyReader& r) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  co_await skip_space(r);
  const size_t begin = r.in.at();
  for (size_t n = 0; n < kMaxName; ++n) {
    const bool more = co_await r.in.need(1);
    if (!more) co_return false;
    const char c = r.in.rest().front();
    if (c == '(') co_return r.in.at() > begin;
    const bool letter = kLetters.find(c) != std::string_view::npos;
    const bool later = n > 0 && ((c >= '0' && c <= '9') || c == '.' || c == '-');
    if (!letter && !later) co_return false;
    r.in.skip(1);
  }
  co_return false;
}

}  // namespace

Openings openings(const PythonCalls& s) { return {s.open}; }

Reading fits(ReplyReader& r, const PythonCalls&, std::string_view) {
  co_await skip_space(r);
  co_await take(r, "[");
  const bool named = co_await take_name(r);
  co_return named;
}

Reading read_calls(ReplyReader& r, const PythonCalls& s, std::string_view) {
  co_await skip_space(r);
  const size_t begin = r.in.at();
  const bool list = co_await is_next(r, "[");
  if (!list) {
    const bool named = co_await take_name(r);
    if (!named) co_return false;
  }
  size_t brackets = 0;
  const bool read = co_await take_brackets(r, brackets);
  if (!read) co_return false;
  std::optional<std::vector<ReplyCall>> calls = python_calls(r.in.text(begin, r.in.at()));
  if (!calls) co_return false;
  if (!s.close.empty()) {
    const size_t after = r.in.at();
    co_await skip_space(r);
    const bool closed = co_await take(r, s.close);
    if (!closed && !r.complete()) {
      if (r.in.at_end()) co_return false;
      r.in.go(after);
    }
  }
  for (ReplyCall& call : *calls) {
    if (!s.method.empty() && call.name.ends_with(s.method)) call.name.resize(call.name.size() - s.method.size());
    r.add(std::move(call));
  }
  co_return true;
}

}  // namespace skald
