// GuessRecord: what became of the guesses of a text, and what that says of the next ones.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skald {

class GuessRecord {
 public:
  /// `likely`: how probable a guess is before any is judged.
  explicit GuessRecord(double likely) : right_(likely * kFirstWeight) {}

  /// Of `guessed` (> 0) tokens in a row, the first `right` were those of the text.
  void note(int64_t right, int64_t guessed) {
    length_ = right == guessed ? std::max(length_, 2 * guessed) : right + 1;
    right_ += static_cast<double>(right);
    judged_ += static_cast<double>(right + (right < guessed));
    if (judged_ <= kMostWeight) return;
    right_ *= kMostWeight / judged_;
    judged_ = kMostWeight;
  }
  /// Returns how many guesses may be worth a step: more after right ones, fewer after wrong ones.
  int64_t length() const { return length_; }
  /// Returns how probable it is that a guess after right ones is right.
  double likely() const { return right_ / judged_; }

 private:
  static constexpr double kFirstWeight = 4, kMostWeight = 64;  // in guesses
  static constexpr int64_t kFirstLength = 4;
  int64_t length_ = kFirstLength;
  double right_, judged_ = kFirstWeight;
};

}  // namespace skald
