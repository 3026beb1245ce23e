#include <utility>

#include "text/chat/replies/call_object.h"
#include "text/chat/replies/marked_reply.h"

namespace skald {
namespace {

/// The calls that were read so far.
struct LooseCalls {
  std::vector<std::string> names;       // of the tools, in quotes
  std::vector<std::string_view> views;  // of these
  std::vector<ReplyCall> calls = {};
  bool begun = false;  // one of them, by its name
};

/// Reads white space, the literal, and white space.
Reading take_spaced(ReplyReader& r, std::string_view literal) {
  co_await skip_space(r);
  const bool there = co_await take(r, literal);
  if (there) co_await skip_space(r);
  co_return there;
}

/// Reads {"name": "f", "arguments": {...}}.
Reading take_call(ReplyReader& r, LooseCalls& loose) {
  static constexpr std::string_view kHead[] = {"{", "\"name\"", ":"}, kArguments[] = {"\"arguments\"", "\"parameters\""};
  for (const std::string_view literal : kHead) {
    const bool there = co_await take_spaced(r, literal);
    if (!there) co_return false;
  }
  size_t name = 0, key = 0, begin = 0;
  bool there = co_await take_any(r, loose.views, name);
  loose.begun = there;
  if (there) there = co_await take_spaced(r, ",");
  if (there) there = co_await take_any(r, kArguments, key);
  if (there) there = co_await take_spaced(r, ":");
  if (there) there = co_await is_next(r, "{");
  if (!there) co_return false;
  const bool read = co_await take_json(r, begin);
  if (!read) co_return false;
  std::optional<std::string> arguments = arguments_json(r.in.text(begin, r.in.at()));
  if (!arguments) co_return false;
  const bool closed = co_await take_spaced(r, "}");
  if (!closed) co_return false;
  loose.begun = false;
  const std::string_view quoted = loose.views[name];
  loose.calls.push_back({.name = std::string(quoted.substr(1, quoted.size() - 2)), .arguments = std::move(*arguments)});
  co_return true;
}

/// Reads calls in a list, or in a row.
Reading take_calls(ReplyReader& r, LooseCalls& loose) {
  static constexpr std::string_view kSeparators[] = {",", ";"};
  const bool list = co_await take_spaced(r, "[");
  for (;;) {
    const bool called = co_await take_call(r, loose);
    if (!called) co_return false;
    size_t which = 0;
    const bool separated = co_await take_any(r, kSeparators, which);
    if (separated) continue;
    if (list) {
      const bool closed = co_await take_spaced(r, "]");
      co_return closed;
    }
    const bool more = co_await is_next(r, "{");
    if (!more) co_return true;
  }
}

/// Reads blocks of calls up to the reply's end.
Reading take_blocks(ReplyReader& r, const MarkedReply& m, LooseCalls& loose) {
  for (;;) {
    const bool fenced = co_await skip_fence(r);
    const bool called = co_await take_calls(r, loose);
    bool closed = called && !fenced;
    if (called && fenced) closed = co_await take(r, "```");
    if (!closed) co_return called&& r.complete();
    const bool ended = co_await take_end(r, m);
    if (ended) co_return true;
  }
}

/// Returns whether the reply was cut off where more of such calls may come.
bool was_cut(const ReplyReader& r, const LooseCalls& loose) {
  if (!r.truncated || (!loose.begun && loose.calls.empty())) return false;
  std::vector<std::string_view> literals = loose.views;
  for (const std::string_view literal : {"\"name\"", "\"arguments\"", "\"parameters\"", "```json"})
    literals.push_back(literal);
  return r.in.at_end() || is_cut_marker(r, literals, /*begins_line=*/true);
}

}  // namespace

// Of a reply that was cut off, the calls before the cut count, and the begun one is none.
Reading read_loose_calls(ReplyReader& r, const MarkedReply& m) {
  LooseCalls loose;
  for (const std::string& name : r.tools.names()) loose.names.push_back('"' + name + '"');
  loose.views.assign(loose.names.begin(), loose.names.end());
  const bool read = co_await take_blocks(r, m, loose);
  if (!read && !was_cut(r, loose)) co_return false;
  if (loose.calls.empty()) r.out.reasoning({});  // nothing, but the white space before it is no content
  r.in.skip(r.in.rest().size());
  for (ReplyCall& call : loose.calls) r.add(std::move(call));
  co_return true;
}

}  // namespace skald
