// JsonScanner: finds the end of a JSON value in bytes as they come, and whether it is one (RFC 8259).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skald {

/// The one leniency: control characters within texts are taken, since models write line feeds there; plain_json() escapes
/// them.
class JsonScanner {
 public:
  static constexpr size_t kMaxDepth = 256;  // of arrays and objects in each other

  /// Reads on, and gives how many bytes of `text` belong to the value. They are all of them unless the value is done or bad.
  size_t feed(std::string_view text);
  /// Ends values whose end only the next bytes can tell: numbers and words. Nothing follows.
  void end();
  bool done() const { return state_ == State::kDone; }
  bool bad() const { return state_ == State::kBad; }

 private:
  enum class State : uint8_t {
    kValue,
    kFirstItem,
    kFirstKey,
    kKey,
    kColon,
    kAfterValue,  // between tokens
    kString,
    kEscape,
    kHex,  // within texts
    kMinus,
    kZero,
    kDigits,
    kPoint,
    kFraction,
    kExponent,
    kExponentSign,
    kExponentDigits,
    kWord,
    kDone,
    kBad
  };
  /// Returns whether `c` belongs to the value; false: look at it again (after a number or word) or it is beyond the end.
  bool step(char c);
  State begin_value(char c);
  State between(char c);
  State in_text(char c);
  State in_number(char c);
  State after_value() const { return open_.empty() ? State::kDone : State::kAfterValue; }

  State state_ = State::kValue;
  std::string open_;       // of '[' and '{'
  bool key_ = false;       // the text that is read is a key
  int hex_ = 0;            // digits of \u that are still to come
  std::string_view word_;  // bytes still to come of true, false or null
};

/// Returns whether the text is one JSON value, white space around it aside.
bool is_json(std::string_view text);

}  // namespace skald
