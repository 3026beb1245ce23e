#include "text/chat/replies/gemma_text.h"

#include <algorithm>

#include "text/chat/replies/argument_list.h"
#include "text/chat/replies/json_scanner.h"
#include "text/chat/replies/json_text.h"
#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

constexpr std::string_view kQuote = "<|\"|>";
constexpr size_t kMaxDepth = 64;

class GemmaReader {
 public:
  explicit GemmaReader(std::string_view text) : rest_(text) {}

  bool at_end() {
    skip_space();
    return rest_.empty();
  }
  std::optional<std::string> value(size_t depth = 0) {
    skip_space();
    if (depth == kMaxDepth) return std::nullopt;
    if (rest_.starts_with('{')) return members(depth);
    if (rest_.starts_with('[')) return items(depth);
    if (rest_.starts_with(kQuote) || rest_.starts_with('"')) {
      const std::optional<std::string> text = quoted();
      return text ? std::optional(quote_json(*text)) : std::nullopt;
    }
    const size_t end = rest_.find_first_of(",]}");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view word = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (word.empty()) return std::nullopt;
    return is_json(word) ? plain_json(word) : quote_json(word);
  }

 private:
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kWhiteSpace), rest_.size())); }
  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::string> quoted() {
    if (!rest_.starts_with(kQuote)) {  // JSON's quotes
      JsonScanner scanner;
      const size_t used = scanner.feed(rest_);
      if (!scanner.done()) return std::nullopt;
      std::string out = unquote_json(rest_.substr(0, used));
      rest_.remove_prefix(used);
      return out;
    }
    const size_t end = rest_.find(kQuote, kQuote.size());
    if (end == std::string_view::npos) return std::nullopt;
    std::string out(rest_.substr(kQuote.size(), end - kQuote.size()));
    rest_.remove_prefix(end + kQuote.size());
    return out;
  }

  std::optional<std::string> key() {
    skip_space();
    std::optional<std::string> out;
    if (rest_.starts_with(kQuote) || rest_.starts_with('"')) {
      out = quoted();
    } else if (const size_t end = rest_.find_first_of(":,{}[]"); end != std::string_view::npos) {
      out = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(end);
    }
    return out && !out->empty() && take(':') ? out : std::nullopt;
  }

  std::optional<std::string> members(size_t depth) {
    ArgumentList out;
    take('{');
    while (!take('}')) {
      std::optional<std::string> name = key();
      if (!name) return std::nullopt;
      std::optional<std::string> json = value(depth + 1);
      if (!json) return std::nullopt;
      out.add(std::move(*name), std::move(*json));
      if (!take(',') && !rest_.starts_with('}')) return std::nullopt;
    }
    return out.json();
  }

  std::optional<std::string> items(size_t depth) {
    std::string out = "[";
    take('[');
    while (!take(']')) {
      const std::optional<std::string> item = value(depth + 1);
      if (!item) return std::nullopt;
      out += (out.size() > 1 ? ", " : "") + *item;
      if (!take(',') && !rest_.starts_with(']')) return std::nullopt;
    }
    return out += ']';
  }

  std::string_view rest_;
};

/// Reads up to and with the quote.
Reading take_text(ReplyReader& r) {
  for (;;) {
    const bool more = co_await r.in.need(1);
    if (!more) co_return false;
    r.in.skip(std::min(r.in.rest().find(kQuote.front()), r.in.rest().size()));
    const bool ended = co_await take(r, kQuote);
    if (ended) co_return true;
    if (!r.in.rest().empty()) r.in.skip(1);
  }
}

}  // namespace

Reading take_gemma(ReplyReader& r, size_t& begin) {
  begin = r.in.at();
  size_t depth = 0;
  for (;;) {
    const bool more = co_await r.in.need(1);
    if (!more) co_return false;
    const char c = r.in.rest().front();
    if (c == kQuote.front()) {
      bool text = co_await take(r, kQuote);
      if (text) {
        text = co_await take_text(r);
        if (!text) co_return false;
        continue;
      }
    }
    if (depth == 0 && c != '{') co_return false;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    r.in.skip(1);
    if (depth == 0) co_return true;
    if (depth > kMaxDepth) co_return false;
  }
}

std::optional<std::string> gemma_json(std::string_view object) {
  GemmaReader reader(object);
  std::optional<std::string> out = reader.value();
  return out && reader.at_end() && out->starts_with('{') ? out : std::nullopt;
}

}  // namespace skald
