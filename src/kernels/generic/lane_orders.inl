// How lanes that are chosen move together, in vectors of eight.
#pragma once

// For each set of eight lanes (bit i is lane i): its lanes in ascending order.
struct LaneOrders {
  uint8_t of[256][8] = {};
  constexpr LaneOrders() {
    for (int set = 0; set < 256; ++set)
      for (int lane = 0, n = 0; lane < 8; ++lane)
        if (set >> lane & 1) of[set][n++] = static_cast<uint8_t>(lane);
  }
};
constexpr LaneOrders kLaneOrders;
