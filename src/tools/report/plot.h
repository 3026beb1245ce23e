// Line plots as SVG: a title, two axes with ticks, a grid, curves and a legend; no scripts, nothing from outside.
#pragma once

#include <string>
#include <vector>

#include "tools/report/plot_axis.h"

namespace skald {

struct PlotAxis {
  std::string label;
  Scale scale = Scale::kLinear;
};

struct PlotSeries {
  struct Point {
    double x, y;
  };
  std::string name;
  std::vector<Point> points = {};  // in the order in which lines join them
  bool dashed = false;             // computed rather than measured
};

struct Plot {
  std::string title;
  std::vector<std::string> notes = {};  // small lines under the title; long ones are wrapped
  PlotAxis x = {}, y = {};
  std::vector<PlotSeries> series = {};

  /// Returns a whole SVG file. Texts may hold any bytes. Throws kBadInput without points, and for points that an axis cannot
  /// show.
  std::string svg() const;
};

}  // namespace skald
