#include "tools/report/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "tools/report/table.h"

namespace skald {
namespace {

constexpr int kMostSteps = 8;

// 1, 2 or 5 times a power of ten: the least that covers `span` in few steps.
double nice_step(double span) {
  const double least = span / kMostSteps;
  const double ten = std::pow(10, std::floor(std::log10(least)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * ten >= least * (1 - 1e-9)) return factor * ten;
  return 10 * ten;
}

AxisRange linear_range(double least, double most) {
  const double low = std::min(least, 0.0), high = most > low ? most : low + 1;
  const double step = nice_step(high - low);
  AxisRange range{.scale = Scale::kLinear};
  const auto first = std::llround(std::floor(low / step + 1e-9)), last = std::llround(std::ceil(high / step - 1e-9));
  for (auto i = first; i <= last; ++i) range.ticks.push_back(static_cast<double>(i) * step);
  return range;
}

AxisRange log2_range(double least, double most) {
  int first = static_cast<int>(std::floor(std::log2(least) + 1e-9));
  int last = static_cast<int>(std::ceil(std::log2(most) - 1e-9));
  if (first >= last) {  // a single length is drawn in the middle
    first = last - 1;
    last = last + 1;
  }
  const int step = (last - first + kMostSteps) / (kMostSteps + 1);
  AxisRange range{.scale = Scale::kLog2};
  for (int i = first; i < last + step; i += step) range.ticks.push_back(std::exp2(i));
  return range;
}

// Some decades have a tick each.
AxisRange decades(int first, int last) {
  const int step = (last - first + kMostSteps) / (kMostSteps + 1);
  AxisRange range{.scale = Scale::kLog10};
  for (int i = first; i < last + step; i += step) range.ticks.push_back(std::pow(10, i));
  return range;
}

AxisRange log10_range(double least, double most) {
  constexpr std::array<double, 3> kFactors = {1, 2, 5};
  const auto value = [&](int i) { return kFactors[static_cast<size_t>(i % 3 + 3) % 3] * std::pow(10, std::floor(i / 3.0)); };
  int first = 3 * static_cast<int>(std::floor(std::log10(least))), last = first;
  while (value(first + 1) <= least * (1 + 1e-9)) ++first;
  while (value(last) < most * (1 - 1e-9)) ++last;
  if (first >= last) last = first + 1;
  if (last - first > kMostSteps)
    return decades(static_cast<int>(std::floor(std::log10(least))), static_cast<int>(std::ceil(std::log10(most))));
  AxisRange range{.scale = Scale::kLog10};
  for (int i = first; i <= last; ++i) range.ticks.push_back(value(i));
  return range;
}

}  // namespace

double AxisRange::place(double value) const {
  if (scale == Scale::kLinear) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

AxisRange axis_range(Scale scale, double least, double most) {
  if (!std::isfinite(least) || !std::isfinite(most) || least > most)
    fail(Errc::kBadInput, "an axis cannot show values from {} to {}", least, most);
  if (scale != Scale::kLinear && least <= 0)
    fail(Errc::kBadInput, "a logarithmic axis cannot show {}: want values above zero", least);
  AxisRange range = scale == Scale::kLinear ? linear_range(least, most)
                    : scale == Scale::kLog2 ? log2_range(least, most)
                                            : log10_range(least, most);
  range.low = range.ticks.front();
  range.high = range.ticks.back();
  return range;
}

std::string tick_label(Scale scale, double value) {
  constexpr double kKilo = 1024, kMega = kKilo * kKilo;
  if (scale == Scale::kLog2 && value >= kMega) return fmt::format("{:.6g}M", value / kMega);
  if (scale == Scale::kLog2 && value >= kKilo) return fmt::format("{:.6g}k", value / kKilo);
  if (std::abs(value) >= 1000 && std::abs(value) < 1e15) return in_thousands(std::llround(value));
  return fmt::format("{:.6g}", value);
}

}  // namespace skald
