#include "text/chat/replies/reply_reader.h"

#include <algorithm>
#include <cctype>

#include "text/chat/replies/json_scanner.h"
#include "text/chat/replies/python_text.h"
#include "text/chat/replies/white_space.h"
#include "text/utf8.h"

namespace skald {
namespace {

std::string valid(std::string_view bytes) {
  std::string out;
  append_valid_utf8(out, bytes);
  return out;
}

template <class Scanner>
Reading take_scanned(ReplyReader& r, size_t& begin) {
  begin = r.in.at();
  Scanner scanner;
  while (!scanner.done() && !scanner.bad()) {
    const bool more = co_await r.in.need(1);
    if (!more) co_return false;
    r.in.skip(scanner.feed(r.in.rest()));
  }
  co_return scanner.done();
}

}  // namespace

void ReplyReader::add(ReplyCall call) {
  unread = in.at();
  call = {.name = valid(call.name), .arguments = valid(call.arguments), .id = valid(call.id)};
  if (held) {
    held->push_back(std::move(call));
  } else {
    out.call(std::move(call));
  }
}

Reading skip_space(ReplyReader& r) {
  for (;;) {
    const bool more = co_await r.in.need(1);
    if (!more) co_return false;
    const std::string_view rest = r.in.rest();
    const size_t space = std::min(rest.find_first_not_of(kWhiteSpace), rest.size());
    r.in.skip(space);
    if (space < rest.size()) co_return true;
  }
}

Reading is_next(ReplyReader& r, std::string_view literal) {
  for (;;) {
    const std::string_view rest = r.in.rest();
    if (rest.size() >= literal.size()) co_return rest.starts_with(literal);
    if (!literal.starts_with(rest)) co_return false;
    const bool more = co_await r.in.need(rest.size() + 1);
    if (!more) co_return false;
  }
}

Reading take(ReplyReader& r, std::string_view literal) {
  const bool next = co_await is_next(r, literal);
  if (next) r.in.skip(literal.size());
  co_return next;
}

Reading take_any(ReplyReader& r, std::span<const std::string_view> literals, size_t& which) {
  for (;;) {
    const std::string_view rest = r.in.rest();
    size_t longest = 0;
    bool open = false;  // a longer one may come
    for (size_t i = 0; i < literals.size(); ++i) {
      const std::string_view literal = literals[i];
      if (rest.starts_with(literal)) {
        if (literal.size() > longest) which = i;
        longest = std::max(longest, literal.size());
      } else {
        open = open || literal.starts_with(rest);
      }
    }
    bool more = open;
    if (open) more = co_await r.in.need(rest.size() + 1);
    if (more) continue;
    r.in.skip(longest);
    co_return longest > 0;
  }
}

bool is_cut_marker(const ReplyReader& r, std::span<const std::string_view> markers, bool begins_line) {
  const std::string_view rest = r.in.rest();
  if (!r.truncated || rest.empty()) return false;
  return std::ranges::any_of(markers, [&](std::string_view marker) {
    if (rest.size() >= marker.size() || !marker.starts_with(rest)) return false;
    const bool word = std::isalpha(static_cast<unsigned char>(marker.front())) != 0 || is_white_space(marker.front());
    return word ? 2 * rest.size() >= marker.size() : begins_line || rest.size() > 1;
  });
}

Reading take_until(ReplyReader& r, std::string_view literal, size_t limit, std::string& text) {
  const size_t begin = r.in.at();
  size_t searched = 0;
  for (;;) {
    const std::string_view rest = r.in.rest();
    const size_t found = rest.find(literal, searched);
    if (found != std::string_view::npos && found <= limit) {
      text = rest.substr(0, found);
      r.in.skip(found + literal.size());
      co_return true;
    }
    searched = rest.size() < literal.size() ? 0 : rest.size() - literal.size() + 1;
    bool more = searched <= limit;
    if (more) more = co_await r.in.need(rest.size() + 1);
    if (more) continue;
    r.in.go(begin + std::min(limit, r.in.rest().size()));
    co_return false;
  }
}

Reading take_json(ReplyReader& r, size_t& begin) { return take_scanned<JsonScanner>(r, begin); }

Reading take_brackets(ReplyReader& r, size_t& begin) { return take_scanned<PythonScanner>(r, begin); }

Reading skip_fence(ReplyReader& r) {
  static constexpr std::string_view kFences[] = {"```json", "```"};
  size_t which = 0;
  co_await skip_space(r);
  const bool fence = co_await take_any(r, kFences, which);
  if (fence) co_await skip_space(r);
  co_return fence;
}

bool is_name(std::string_view text) {
  constexpr std::string_view kNever = " \t\r\n<>{}[]()\"'`|=,;";
  return !text.empty() && text.size() <= kMaxName && text.find_first_of(kNever) == std::string_view::npos;
}

}  // namespace skald
