#include "sampling/grammar/schema/decimal.h"

#include <algorithm>
#include <charconv>

namespace skald {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string take_digits(std::string_view& text) {
  const size_t n = static_cast<size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  std::string out(text.substr(0, n));
  text.remove_prefix(n);
  return out;
}

// How two magnitudes stand to each other: by the place of their first digits, then digit by digit.
std::strong_ordering compare_magnitudes(const Decimal& a, const Decimal& b) {
  if (a.is_zero() || b.is_zero()) return b.is_zero() <=> a.is_zero();
  const int64_t x = static_cast<int64_t>(a.digits().size()) + a.exponent();
  const int64_t y = static_cast<int64_t>(b.digits().size()) + b.exponent();
  if (x != y) return x <=> y;
  return a.digits().compare(b.digits()) <=> 0;  // no zeros at the end: the longer one is larger
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  Decimal out;
  if (text.starts_with('-')) out.negative_ = true, text.remove_prefix(1);
  out.digits_ = take_digits(text);
  if (out.digits_.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string after = take_digits(text);
    if (after.empty()) return std::nullopt;
    out.digits_ += after;
    out.exponent_ = -static_cast<int64_t>(after.size());
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    int64_t e = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), e);
    if (error != std::errc() || end != text.data() + text.size() || e > 999'999 || e < -999'999) return std::nullopt;
    out.exponent_ += e;
    text = {};
  }
  if (!text.empty()) return std::nullopt;
  const size_t last = out.digits_.find_last_not_of('0');
  if (last == std::string::npos) return Decimal();
  out.exponent_ += static_cast<int64_t>(out.digits_.size() - 1 - last);
  out.digits_.resize(last + 1);
  out.digits_.erase(0, out.digits_.find_first_not_of('0'));
  return out;
}

Decimal Decimal::negated() const {
  Decimal out = *this;
  out.negative_ = !negative_ && !is_zero();
  return out;
}

std::string Decimal::whole() const {
  if (is_zero()) return "0";
  if (exponent_ >= 0) return digits_ + std::string(static_cast<size_t>(exponent_), '0');
  const int64_t before = static_cast<int64_t>(digits_.size()) + exponent_;
  return before <= 0 ? "0" : digits_.substr(0, static_cast<size_t>(before));
}

std::string Decimal::fraction() const {
  if (exponent_ >= 0) return "";
  const int64_t before = static_cast<int64_t>(digits_.size()) + exponent_;
  return before >= 0 ? digits_.substr(static_cast<size_t>(before))
                     : std::string(static_cast<size_t>(-before), '0') + digits_;
}

int64_t Decimal::written_digits() const {
  const auto n = static_cast<int64_t>(digits_.size());
  return exponent_ >= 0 ? n + exponent_ : std::max(n, -exponent_ + 1);
}

std::optional<int64_t> Decimal::integer() const {
  if (!is_integer() || written_digits() > 19) return std::nullopt;
  std::string text = whole();
  if (negative_) text.insert(text.begin(), '-');
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() ? std::optional(out) : std::nullopt;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.negative_ != b.negative_) return b.negative_ <=> a.negative_;
  return a.negative_ ? compare_magnitudes(b, a) : compare_magnitudes(a, b);
}

}  // namespace skald
