// SourceReader: the characters of a grammar or regular expression, one after the other, with errors that say where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace skald {

class SourceReader {
 public:
  enum class Kind : uint8_t { kRegex, kGrammar };  // errors name the byte or the line
  /// Throws kBadInput for text that is not UTF-8.
  SourceReader(std::string_view text, Kind kind);

  bool done() const { return at_ >= text_.size(); }
  size_t at() const { return at_; }
  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  /// Steps over `what` if it comes next.
  bool take(std::string_view what);
  /// The next byte; 0 at the end.
  char peek() const { return done() ? '\0' : text_[at_]; }
  /// The next character. Throws at the end.
  uint32_t next();
  /// The digits that come next, saturated; none: nullopt.
  std::optional<int64_t> number();
  /// Exactly `digits` hexadecimal digits.
  uint32_t hex(int digits);
  /// Everything up to `end`, which is stepped over.
  std::string_view until(std::string_view end, std::string_view what);
  void back_to(size_t at) { at_ = at; }

  [[noreturn]] void wrong(std::string_view what) const { wrong_at(at_, what); }
  [[noreturn]] void wrong_at(size_t at, std::string_view what) const;
  [[noreturn]] void unsupported(size_t at, std::string_view what) const;

 private:
  std::string place(size_t at) const;

  std::string_view text_;
  Kind kind_;
  size_t at_ = 0;
};

}  // namespace skald
