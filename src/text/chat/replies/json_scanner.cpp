#include "text/chat/replies/json_scanner.h"

#include "text/chat/replies/white_space.h"

namespace skald {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

JsonScanner::State JsonScanner::begin_value(char c) {
  if (c == '{' || c == '[') {
    if (open_.size() == kMaxDepth) return State::kBad;
    open_ += c;
    return c == '{' ? State::kFirstKey : State::kFirstItem;
  }
  if (c == '"') {
    key_ = false;
    return State::kString;
  }
  if (c == '-') return State::kMinus;
  if (c == '0') return State::kZero;
  if (is_digit(c)) return State::kDigits;
  for (std::string_view word : {"true", "false", "null"}) {
    if (c != word.front()) continue;
    word_ = word.substr(1);
    return State::kWord;
  }
  return State::kBad;
}

JsonScanner::State JsonScanner::between(char c) {
  const bool object = !open_.empty() && open_.back() == '{';
  const bool closes = !open_.empty() && c == (object ? '}' : ']');
  switch (state_) {
    case State::kValue:
      return begin_value(c);
    case State::kColon:
      return c == ':' ? State::kValue : State::kBad;
    case State::kAfterValue:
      if (c == ',') return object ? State::kKey : State::kValue;
      break;
    case State::kFirstItem:
      if (!closes) return begin_value(c);
      break;
    default:  // a key, or the end of an object without one
      if (c == '"') {
        key_ = true;
        return State::kString;
      }
      if (state_ == State::kKey) return State::kBad;
  }
  if (!closes) return State::kBad;
  open_.pop_back();
  return after_value();
}

JsonScanner::State JsonScanner::in_text(char c) {
  if (state_ == State::kHex) {
    if (!is_hex(c)) return State::kBad;
    return --hex_ > 0 ? State::kHex : State::kString;
  }
  if (state_ == State::kEscape) {
    if (c == 'u') {
      hex_ = 4;
      return State::kHex;
    }
    return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos ? State::kString : State::kBad;
  }
  if (c == '\\') return State::kEscape;
  if (c != '"') return State::kString;
  return key_ ? State::kColon : after_value();
}

JsonScanner::State JsonScanner::in_number(char c) {
  const bool exponent = c == 'e' || c == 'E';
  switch (state_) {
    case State::kMinus:
      return c == '0' ? State::kZero : is_digit(c) ? State::kDigits : State::kBad;
    case State::kPoint:
    case State::kFraction:
      if (is_digit(c)) return State::kFraction;
      return state_ == State::kFraction && exponent ? State::kExponent
             : state_ == State::kFraction           ? State::kAfterValue
                                                    : State::kBad;
    case State::kExponent:
      if (c == '+' || c == '-') return State::kExponentSign;
      return is_digit(c) ? State::kExponentDigits : State::kBad;
    case State::kExponentSign:
      return is_digit(c) ? State::kExponentDigits : State::kBad;
    case State::kExponentDigits:
      return is_digit(c) ? State::kExponentDigits : State::kAfterValue;
    default:  // kZero, kDigits
      if (c == '.') return State::kPoint;
      if (exponent) return State::kExponent;
      return state_ == State::kDigits && is_digit(c) ? State::kDigits : State::kAfterValue;
  }
}

bool JsonScanner::step(char c) {
  if (state_ <= State::kAfterValue) {
    if (!is_white_space(c)) state_ = between(c);
    return state_ != State::kBad;
  }
  if (state_ <= State::kHex) {
    state_ = in_text(c);
    return state_ != State::kBad;
  }
  if (state_ == State::kWord) {
    state_ = c != word_.front() ? State::kBad : word_.size() > 1 ? State::kWord : after_value();
    word_.remove_prefix(1);
    return state_ != State::kBad;
  }
  const State next = in_number(c);
  state_ = next == State::kAfterValue ? after_value() : next;
  return next != State::kAfterValue && next != State::kBad;
}

size_t JsonScanner::feed(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && !done() && !bad()) {
    if (step(text[at])) ++at;
  }
  return at;
}

void JsonScanner::end() {
  if (done() || bad()) return;
  const bool number =
      state_ == State::kZero || state_ == State::kDigits || state_ == State::kFraction || state_ == State::kExponentDigits;
  state_ = number && open_.empty() ? State::kDone : State::kBad;
}

bool is_json(std::string_view text) {
  JsonScanner scanner;
  const size_t used = scanner.feed(text);
  scanner.end();
  return scanner.done() && trimmed(text.substr(used)).empty();
}

}  // namespace skald
