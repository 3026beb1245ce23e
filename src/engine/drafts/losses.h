// What guesses of a model have cost a text, and when it is asked again.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skald {

/// When a model that guesses is asked again after it has lost: ever more seldom. Places are tokens of the text.
class Pauses {
 public:
  static constexpr int64_t kFirst = 256, kLongest = int64_t{1} << 13;

  bool over(int64_t at) const { return at >= until_; }
  void lost(int64_t at) {
    length_ = std::min(std::max(kFirst, 2 * length_), kLongest);
    until_ = at + length_;
  }

 private:
  int64_t length_ = 0, until_ = 0;
};

/// The seconds that guesses of a model have lost a text, beside steps without them. What they gained before counts as a few
/// steps at most, so that a text that changes is noticed soon. `plain`: seconds of a step without guesses.
class Losses {
 public:
  static constexpr double kMostGained = 4, kMostLost = 2;  // such steps

  /// Negative seconds are a gain.
  void add(double seconds, double plain) { seconds_ = std::max(seconds_ + seconds, -kMostGained * plain); }
  bool too_many(double plain) const { return seconds_ > kMostLost * plain; }
  void forget() { seconds_ = 0; }

 private:
  double seconds_ = 0;
};

}  // namespace skald
