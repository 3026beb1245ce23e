#include "sampling/grammar/source_reader.h"

#include <algorithm>

#include "text/utf8.h"

namespace skald {

SourceReader::SourceReader(std::string_view text, Kind kind) : text_(text), kind_(kind) {
  size_t at = 0;
  for_each_utf8_run(text, [&](std::string_view run, bool valid) {
    if (!valid) wrong_at(at, "is not UTF-8");
    at += run.size();
  });
}

bool SourceReader::take(std::string_view what) {
  const bool there = looking_at(what);
  if (there) at_ += what.size();
  return there;
}

uint32_t SourceReader::next() {
  if (done()) wrong("ends too early");
  const int length = utf8_step(text_, at_).length;
  const uint32_t code = utf8_code(text_, at_, length);
  at_ += static_cast<size_t>(length);
  return code;
}

std::optional<int64_t> SourceReader::number() {
  constexpr int64_t kMost = 1'000'000'000'000;
  if (done() || text_[at_] < '0' || text_[at_] > '9') return std::nullopt;
  int64_t value = 0;
  for (; !done() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) value = std::min(kMost, value * 10 + (text_[at_] - '0'));
  return value;
}

uint32_t SourceReader::hex(int digits) {
  uint32_t value = 0;
  for (int i = 0; i < digits; ++i) {
    const char c = peek();
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) wrong(fmt::format("wants {} hexadecimal digits", digits));
    value = value * 16 + static_cast<uint32_t>(digit);
    ++at_;
  }
  return value;
}

std::string_view SourceReader::until(std::string_view end, std::string_view what) {
  const size_t found = text_.find(end, at_);
  if (found == std::string_view::npos) wrong(fmt::format("{} is not closed by \"{}\"", what, end));
  const std::string_view out = text_.substr(at_, found - at_);
  at_ = found + end.size();
  return out;
}

std::string SourceReader::place(size_t at) const {
  if (kind_ == Kind::kRegex) return fmt::format("regular expression, byte {}", at);
  const auto before = text_.substr(0, std::min(at, text_.size()));
  return fmt::format("grammar, line {}", 1 + std::ranges::count(before, '\n'));
}

void SourceReader::wrong_at(size_t at, std::string_view what) const { fail(Errc::kBadInput, "{}: {}", place(at), what); }

void SourceReader::unsupported(size_t at, std::string_view what) const {
  fail(Errc::kUnsupported, "{}: {} is not supported", place(at), what);
}

}  // namespace skald
