#include "tools/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "tools/report/xml.h"

namespace skald {
namespace {

// Pixels.
constexpr double kWidth = 860, kPlotHeight = 360;
constexpr double kLeft = 76, kRight = 24, kBottom = 62;
constexpr double kTitleSize = 18, kNoteSize = 12, kTextSize = 13, kNoteLine = 17, kLegendLine = 22;
constexpr double kLegendSample = 30, kLegendGap = 8;

// Okabe and Ito's colours, which the colour-blind tell apart too; yellow is too faint on white.
constexpr std::array<std::string_view, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#000000"};

// The fonts of the page's reader are unknown: a guess that is rather too wide.
double text_width(std::string_view text, double size) {
  const auto chars = std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return 0.6 * size * static_cast<double>(chars);
}

// Lines that are not wider than `width`, broken at spaces.
void wrap(std::string_view text, double size, double width, std::vector<std::string>& lines) {
  while (text_width(text, size) > width) {
    size_t end = std::string_view::npos;
    for (size_t space = text.find(' '); space != std::string_view::npos; space = text.find(' ', space + 1)) {
      if (end != std::string_view::npos && text_width(text.substr(0, space), size) > width) break;
      end = space;
    }
    if (end == std::string_view::npos) break;  // one long word
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  lines.emplace_back(text);
}

AxisRange range_of(const Plot& plot, Scale scale, double PlotSeries::Point::*coordinate) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const PlotSeries& s : plot.series)
    for (const PlotSeries::Point& p : s.points) {
      least = std::min(least, p.*coordinate);
      most = std::max(most, p.*coordinate);
      if (std::isnan(p.*coordinate)) fail(Errc::kBadInput, "a plot cannot show what is not a number");
    }
  if (least > most) fail(Errc::kBadInput, "nothing to plot");
  return axis_range(scale, least, most);
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot),
        x_(range_of(plot, plot.x.scale, &PlotSeries::Point::x)),
        y_(range_of(plot, plot.y.scale, &PlotSeries::Point::y)) {
    for (const std::string& note : plot.notes) wrap(note, kNoteSize, kWidth - kLeft - kRight, notes_);
    top_ = 44 + kNoteLine * static_cast<double>(notes_.size()) + 14;
    height_ = top_ + kPlotHeight + kBottom;
    double names = 0;
    for (const PlotSeries& s : plot.series) names = std::max(names, text_width(s.name, kTextSize));
    right_ = kWidth - kRight - std::min(kLegendSample + 2 * kLegendGap + names, kWidth / 2);
  }

  std::string svg() {
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif">)",
        kWidth, height_);
    add(R"(<title>{}</title>)", xml_escaped(plot_.title));
    add(R"(<rect width="{}" height="{}" fill="#ffffff"/>)", kWidth, height_);
    add_head();
    add_x_axis();
    add_y_axis();
    for (size_t i = 0; i < plot_.series.size(); ++i) add_curve(plot_.series[i], colour(i));
    for (size_t i = 0; i < plot_.series.size(); ++i) add_to_legend(i);
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  static std::string_view colour(size_t i) { return kColours[i % kColours.size()]; }
  static std::string_view dashes(const PlotSeries& s) { return s.dashed ? R"( stroke-dasharray="7 4")" : ""; }
  double bottom() const { return top_ + kPlotHeight; }
  double x_of(double value) const { return kLeft + (right_ - kLeft) * x_.place(value); }
  double y_of(double value) const { return bottom() - kPlotHeight * y_.place(value); }

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void add_line(double x1, double y1, double x2, double y2, std::string_view style) {
    add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)", x1, y1, x2, y2, style);
  }

  void add_text(double x, double y, double size, std::string_view style, std::string_view text) {
    add(R"(<text x="{:.1f}" y="{:.1f}" font-size="{}" {}>{}</text>)", x, y, size, style, xml_escaped(text));
  }

  void add_head() {
    add_text(kLeft, 32, kTitleSize, R"(font-weight="bold" fill="#111111")", plot_.title);
    double y = 32;
    for (const std::string& note : notes_) add_text(kLeft, y += kNoteLine, kNoteSize, R"(fill="#555555")", note);
  }

  static constexpr std::string_view kGrid = R"(stroke="#dddddd")", kAxis = R"(stroke="#333333")";

  void add_x_axis() {
    for (double tick : x_.ticks) {
      const double x = x_of(tick);
      add_line(x, top_, x, bottom(), kGrid);
      add_line(x, bottom(), x, bottom() + 5, kAxis);
      add_text(x, bottom() + 21, kTextSize, R"(text-anchor="middle" fill="#333333")", tick_label(x_.scale, tick));
    }
    add_line(kLeft, bottom(), right_, bottom(), kAxis);
    add_text((kLeft + right_) / 2, bottom() + 46, kTextSize, R"(text-anchor="middle" fill="#111111")", plot_.x.label);
  }

  void add_y_axis() {
    for (double tick : y_.ticks) {
      const double y = y_of(tick);
      add_line(kLeft, y, right_, y, kGrid);
      add_line(kLeft - 5, y, kLeft, y, kAxis);
      add_text(kLeft - 9, y + 4, kTextSize, R"(text-anchor="end" fill="#333333")", tick_label(y_.scale, tick));
    }
    add_line(kLeft, top_, kLeft, bottom(), kAxis);
    const double x = 20, y = (top_ + bottom()) / 2;
    add_text(x, y, kTextSize,
             fmt::format(R"svg(text-anchor="middle" fill="#111111" transform="rotate(-90 {:.1f} {:.1f})")svg", x, y),
             plot_.y.label);
  }

  void add_curve(const PlotSeries& s, std::string_view colour) {
    std::string points;
    for (const PlotSeries::Point& p : s.points) points += fmt::format(" {:.1f},{:.1f}", x_of(p.x), y_of(p.y));
    if (points.empty()) return;
    add(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="2"{}/>)", points.substr(1), colour, dashes(s));
    for (const PlotSeries::Point& p : s.points) add_dot(x_of(p.x), y_of(p.y), colour);
  }

  void add_dot(double x, double y, std::string_view colour) {
    add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"/>)", x, y, colour);
  }

  void add_to_legend(size_t i) {
    const PlotSeries& s = plot_.series[i];
    const double x = right_ + 2 * kLegendGap, y = top_ + 10 + kLegendLine * static_cast<double>(i);
    add_line(x, y, x + kLegendSample, y, fmt::format(R"(stroke="{}" stroke-width="2"{})", colour(i), dashes(s)));
    add_dot(x + kLegendSample / 2, y, colour(i));
    add_text(x + kLegendSample + kLegendGap, y + 4.5, kTextSize, R"(fill="#111111")", s.name);
  }

  const Plot& plot_;
  AxisRange x_, y_;
  std::vector<std::string> notes_;
  double top_ = 0, height_ = 0, right_ = 0;
  std::string out_;
};

}  // namespace

std::string Plot::svg() const { return Drawing(*this).svg(); }

}  // namespace skald
