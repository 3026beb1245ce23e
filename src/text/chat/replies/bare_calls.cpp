#include "text/chat/replies/call_object.h"
#include "text/chat/replies/json_text.h"
#include "text/chat/replies/marked_reply.h"
#include "text/chat/replies/python_text.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

/// Reads an object that is a call of a tool that there is. It is given up at its first key if that is not a call's.
Reading take_call(ReplyReader& r, ReplyCall& call) {
  const size_t begin = r.in.at();
  const bool object = co_await take(r, "{");
  if (!object) co_return false;
  co_await skip_space(r);
  size_t key = 0;
  bool may_be = co_await is_next(r, "\"");
  if (may_be) may_be = co_await take_json(r, key);
  if (!may_be || !begins_call(unquote_json(r.in.text(key, r.in.at())))) co_return false;
  r.in.go(begin);
  size_t at = 0;
  const bool read = co_await take_json(r, at);
  if (!read) co_return false;
  std::optional<CallObject> found = call_object(r.in.text(begin, r.in.at()));
  if (!found || !found->has_arguments || !r.tools.has(found->call.name)) co_return false;
  call = std::move(found->call);
  co_return true;
}

/// Reads calls up to the reply's end: in a list, or with semicolons or white space between.
Reading take_calls(ReplyReader& r, const MarkedReply& m, std::vector<ReplyCall>& calls) {
  const bool list = co_await take(r, "[");
  for (;;) {
    ReplyCall call;
    co_await skip_space(r);
    const bool read = co_await take_call(r, call);
    if (!read) co_return false;
    calls.push_back(std::move(call));
    const bool ended = co_await take_end(r, m);
    if (ended) co_return !list || r.truncated;
    const bool separated = co_await take(r, list ? "," : ";");
    if (list && !separated) {
      const bool closed = co_await take(r, "]");
      bool ends = closed;
      if (ends) ends = co_await take_end(r, m);
      co_return ends;
    }
    if (!list && separated) {
      const bool last = co_await take_end(r, m);
      if (last) co_return true;
    }
  }
}

Reading take_python(ReplyReader& r, const MarkedReply& m, std::vector<ReplyCall>& calls) {
  const size_t begin = r.in.at();
  const bool may_be = co_await fits(r, PythonCalls{}, "");
  if (!may_be) co_return false;
  r.in.go(begin);
  size_t at = 0;
  const bool read = co_await take_brackets(r, at);
  if (!read) co_return false;
  const size_t end = r.in.at();
  const bool ended = co_await take_end(r, m);
  if (!ended) co_return false;
  std::optional<std::vector<ReplyCall>> found = python_calls(r.in.text(begin, end));
  if (found) calls = std::move(*found);
  for (const ReplyCall& call : calls) {
    if (!r.tools.has(call.name)) co_return false;
  }
  co_return found.has_value();
}

}  // namespace

Reading read_bare_calls(ReplyReader& r, const MarkedReply& m) {
  static constexpr std::string_view kBegins[] = {"{", "["};
  const size_t begin = r.in.at();
  size_t which = 0;
  const bool begins = co_await take_any(r, kBegins, which);
  if (!begins) co_return false;
  bool python = which == 1 && m.bare == MarkedReply::Bare::kJsonOrPython;
  if (python) {
    co_await skip_space(r);
    python = !co_await is_next(r, "{");
  }
  r.in.go(begin);
  std::vector<ReplyCall> calls;
  bool read = false;
  if (python) {
    read = co_await take_python(r, m, calls);
  } else {
    read = co_await take_calls(r, m, calls);
  }
  // Of a reply that was cut off, the calls before the cut count.
  if (!read && (calls.empty() || !r.in.at_end() || !r.truncated)) co_return false;
  for (ReplyCall& call : calls) r.add(std::move(call));
  co_return true;
}

}  // namespace skald
