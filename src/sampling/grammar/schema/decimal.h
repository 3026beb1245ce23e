// Decimal: a number as JSON spells it, exactly.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skald {

/// (-1)^negative * digits * 10^exponent, in lowest terms: no zeros at either end of the digits; zero has none.
class Decimal {
 public:
  /// A number in JSON's spelling; nullopt if it is none, or its exponent has more than six digits.
  static std::optional<Decimal> parse(std::string_view text);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  bool is_integer() const { return exponent_ >= 0; }
  const std::string& digits() const { return digits_; }
  int64_t exponent() const { return exponent_; }
  Decimal negated() const;

  /// The digits before the point, at least "0", without a sign.
  std::string whole() const;
  /// The digits after the point, "" if there are none.
  std::string fraction() const;
  /// The number as an integer that fits; nullopt otherwise.
  std::optional<int64_t> integer() const;
  /// How many digits are written out by whole() and fraction() together.
  int64_t written_digits() const;

  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);

 private:
  bool negative_ = false;
  std::string digits_;
  int64_t exponent_ = 0;
};

}  // namespace skald
