#include "sampling/grammar/schema/number_language.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"

namespace skald {
namespace {

constexpr int64_t kMaxDigits = 400;  // of a bound: doubles have 309 before the point
constexpr int64_t kMaxPlaces = 40;   // after the point, of a step
constexpr int64_t kMaxStepDigits = 9;
constexpr uint32_t kMaxModulus = 10'000;  // states of an automaton that divides

Share complement_of(Share s) { return s == Share::kAll ? Share::kNone : s == Share::kNone ? Share::kAll : Share::kSome; }

}  // namespace

NumberLanguage::NumberLanguage(RegexSet& regexes) : regexes_(regexes) {
  digit_ = regexes_.bytes(ByteSet::range('0', '9'));
  nonzero_ = regexes_.bytes(ByteSet::range('1', '9'));
  const RegexId zero = regexes_.literal("0"), point = regexes_.literal("."), empty = regexes_.empty();
  const auto optional = [&](RegexId a) { return regexes_.repeat(a, 0, 1); };
  const auto concat = [&](auto... parts) { return regexes_.concat(std::array{parts...}); };
  const RegexId positive = concat(nonzero_, digits(0, -1));
  const RegexId whole = regexes_.any_of(std::array{zero, positive});
  const RegexId minus = optional(regexes_.literal("-"));
  magnitudes_ = concat(whole, optional(concat(point, digits(1, -1))));
  all_ = concat(minus, magnitudes_);
  integers_ = concat(minus, whole, optional(concat(point, regexes_.repeat(zero, 1, -1))));
  integers_spelled_ = regexes_.any_of(std::array{zero, concat(minus, positive)});
  const RegexId fraction = concat(point, digits(0, -1), nonzero_);
  const RegexId below_one = concat(zero, fraction), from_one = concat(positive, optional(fraction));
  terse_ = regexes_.any_of(std::array{zero, concat(minus, regexes_.any_of(std::array{below_one, from_one, empty}))});
  terse_ = regexes_.both(terse_, all_);  // no bare sign
}

RegexId NumberLanguage::digits(int64_t min, int64_t max) { return regexes_.repeat(digit_, min, max); }

RegexId NumberLanguage::with_signs(RegexId positive, RegexId negative) {
  const std::array minus{regexes_.literal("-"), negative};
  const std::array parts{positive, regexes_.concat(minus)};
  return regexes_.any_of(parts);
}

// What may follow the whole digits of the bound: no fraction or one, so that the number is above (or at) 0.digits.
RegexId NumberLanguage::fractions_above(const std::string& below, bool or_equal) {
  const RegexId point = regexes_.literal("."), zeros = regexes_.repeat(regexes_.literal("0"), 0, -1);
  std::vector<RegexId> parts;
  for (size_t i = 0; i < below.size(); ++i) {
    if (below[i] == '9') continue;
    const RegexId larger = regexes_.bytes(ByteSet::range(static_cast<uint8_t>(below[i] + 1), '9'));
    parts.push_back(regexes_.concat(std::array{point, regexes_.literal(below.substr(0, i)), larger, digits(0, -1)}));
  }
  parts.push_back(regexes_.concat(std::array{point, regexes_.literal(below), zeros, nonzero_, digits(0, -1)}));
  if (or_equal) {
    const RegexId same = regexes_.concat(std::array{point, regexes_.literal(below), zeros});
    const RegexId same_zero =
        regexes_.repeat(regexes_.concat(std::array{point, regexes_.repeat(regexes_.literal("0"), 1, -1)}), 0, 1);
    parts.push_back(below.empty() ? same_zero : same);
  }
  return regexes_.any_of(parts);
}

// Spellings without a sign of numbers that are above (or at) the bound's magnitude.
RegexId NumberLanguage::magnitudes_above(const Decimal& bound, bool or_equal) {
  const std::string whole = bound.whole();
  const auto n = static_cast<int64_t>(whole.size());
  const RegexId fraction = regexes_.repeat(regexes_.concat(std::array{regexes_.literal("."), digits(1, -1)}), 0, 1);
  std::vector<RegexId> parts{regexes_.concat(std::array{nonzero_, digits(n, -1), fraction})};  // more digits
  for (int64_t i = 0; i < n; ++i) {
    const char c = whole[static_cast<size_t>(i)];
    if (c == '9') continue;
    const RegexId larger = regexes_.bytes(ByteSet::range(static_cast<uint8_t>(c + 1), '9'));
    const RegexId same = regexes_.literal(whole.substr(0, static_cast<size_t>(i)));
    parts.push_back(regexes_.concat(std::array{same, larger, digits(n - 1 - i, n - 1 - i), fraction}));
  }
  parts.push_back(regexes_.concat(std::array{regexes_.literal(whole), fractions_above(bound.fraction(), or_equal)}));
  return regexes_.any_of(parts);
}

NumberSet NumberLanguage::at_least(const Decimal& bound, bool or_equal) {
  if (bound.written_digits() > kMaxDigits) fail(Errc::kUnsupported, "a bound of more than {} digits", kMaxDigits);
  if (bound.is_zero() || !bound.is_negative()) {
    const RegexId above = magnitudes_above(bound, or_equal);
    const RegexId zero = regexes_.concat(std::array{
        regexes_.literal("0"),
        regexes_.repeat(regexes_.concat(std::array{regexes_.literal("."), regexes_.repeat(regexes_.literal("0"), 1, -1)}), 0,
                        1)});
    const bool with_zero = bound.is_zero() && or_equal;
    return {with_signs(above, with_zero ? zero : regexes_.nothing()), Share::kNone,
            bound.is_zero() ? Share::kAll : Share::kSome};
  }
  const RegexId below = regexes_.both(magnitudes_, regexes_.complement(magnitudes_above(bound, !or_equal)));
  return {with_signs(magnitudes_, below), Share::kSome, Share::kAll};
}

NumberSet NumberLanguage::at_most(const Decimal& bound, bool or_equal) { return complement(at_least(bound, !or_equal)); }

NumberSet NumberLanguage::only(const Decimal& value) {
  if (value.written_digits() > kMaxDigits) fail(Errc::kUnsupported, "a number of more than {} digits", kMaxDigits);
  const RegexId zero = regexes_.literal("0");
  const RegexId whole = regexes_.literal(value.whole()),
                fraction = regexes_.literal(std::string(".").append(value.fraction()));
  const RegexId after = value.is_integer()
                            ? regexes_.repeat(regexes_.concat(std::array{fraction, regexes_.repeat(zero, 1, -1)}), 0, 1)
                            : regexes_.concat(std::array{fraction, regexes_.repeat(zero, 0, -1)});
  const RegexId sign =
      regexes_.repeat(regexes_.literal("-"), value.is_negative() ? 1 : 0, value.is_negative() || value.is_zero() ? 1 : 0);
  const Share some = Share::kSome, none = Share::kNone;
  return {regexes_.concat(std::array{sign, whole, after}), value.is_negative() ? some : none,
          value.is_negative() || value.is_zero() ? none : some, true};
}

// value = k * 10^-places: with j digits after the point, the number's digits must be a multiple of k / gcd(k, 10^(places -
// j)).
NumberSet NumberLanguage::multiples_of(const Decimal& step) {
  const int64_t places = std::max<int64_t>(0, -step.exponent());
  const int64_t written = static_cast<int64_t>(step.digits().size()) + std::max<int64_t>(0, step.exponent());
  if (places > kMaxPlaces || written > kMaxStepDigits)
    fail(Errc::kUnsupported, "a step of more than {} digits, or {} places after the point", kMaxStepDigits, kMaxPlaces);
  const auto k = static_cast<uint32_t>(
      std::stoul(step.digits() + std::string(static_cast<size_t>(written) - step.digits().size(), '0')));
  if (k > kMaxModulus) fail(Errc::kUnsupported, "a step whose digits are more than {}", kMaxModulus);
  const RegexId zeros = regexes_.repeat(regexes_.literal("0"), 0, -1), minus = regexes_.repeat(regexes_.literal("-"), 0, 1);
  std::vector<RegexId> parts;
  for (int64_t j = 0; j <= places; ++j) {
    uint32_t left = k;
    for (int64_t i = j; i < places; ++i) left /= std::gcd(left, 10u);
    const RegexId places_used = regexes_.concat(
        std::array{minus, digits(1, -1), regexes_.repeat(regexes_.literal("."), j > 0, j > 0), digits(j, j)});
    const RegexId grid = regexes_.both(places_used, regexes_.multiples_of(left));
    const RegexId more =
        j > 0 ? zeros
              : regexes_.repeat(regexes_.concat(std::array{regexes_.literal("."), regexes_.literal("0"), zeros}), 0, 1);
    parts.push_back(regexes_.concat(std::array{grid, more}));
  }
  return {regexes_.both(all_, regexes_.any_of(parts)), Share::kSome, Share::kSome, true};
}

NumberSet NumberLanguage::both(const NumberSet& a, const NumberSet& b) {
  if (a == all() || b == all()) return a == all() ? b : a;
  const RegexId plain = regexes_.both(a.plain, b.plain);
  if (regexes_.is_nothing(plain)) return none();
  return {plain, std::min(a.negative, b.negative), std::min(a.positive, b.positive), a.terse || b.terse};
}

NumberSet NumberLanguage::either(const NumberSet& a, const NumberSet& b) {
  if (a.plain == RegexSet::kNothing || b.plain == RegexSet::kNothing) return a.plain == RegexSet::kNothing ? b : a;
  return {regexes_.any_of(std::array{a.plain, b.plain}), std::max(a.negative, b.negative), std::max(a.positive, b.positive),
          a.terse && b.terse};
}

NumberSet NumberLanguage::complement(const NumberSet& a) {
  if (a == all() || a.plain == RegexSet::kNothing) return a == all() ? none() : all();
  return {regexes_.both(all_, regexes_.complement(a.plain)), complement_of(a.negative), complement_of(a.positive)};
}

// Exponents of up to 299, which a double can hold; a mantissa that is not zero.
RegexId NumberLanguage::with_exponents(bool negative) {
  ByteSet e = ByteSet::one('e'), sign = ByteSet::one('+');
  e.add('E'), sign.add('-');
  const RegexId three = regexes_.concat(std::array{regexes_.bytes(ByteSet::range('0', '2')), digits(2, 2)});
  const RegexId exponent = regexes_.any_of(std::array{digits(1, 2), three});
  const RegexId positive = regexes_.both(magnitudes_, magnitudes_above(Decimal(), false));
  const RegexId number =
      regexes_.concat(std::array{positive, regexes_.bytes(e), regexes_.repeat(regexes_.bytes(sign), 0, 1), exponent});
  return negative ? regexes_.concat(std::array{regexes_.literal("-"), number}) : number;
}

RegexId NumberLanguage::spelled(const NumberSet& set) {
  if (set.plain == RegexSet::kNothing) return set.plain;
  if (set.plain == integers_) return integers_spelled_;
  if (regexes_.contains(integers_, set.plain)) return regexes_.both(set.plain, integers_spelled_);
  if (set.terse) return regexes_.both(set.plain, terse_);
  std::vector<RegexId> parts{set.plain};
  if (set.positive == Share::kAll) parts.push_back(with_exponents(false));
  if (set.negative == Share::kAll) parts.push_back(with_exponents(true));
  return regexes_.any_of(parts);
}

}  // namespace skald
