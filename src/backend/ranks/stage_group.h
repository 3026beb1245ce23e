// StageGroup: the ranks of one stage, as a group of their own: they share its matrices.
#pragma once

#include <string>
#include <vector>

#include "comm/group.h"

namespace skald {

class StageGroup : public Group {
 public:
  /// Ranks [first, first + size) of `all`, which must outlive it.
  StageGroup(Group& all, int first, int size) : all_(all), first_(first), size_(size) {}

  int rank() const override { return all_.rank() - first_; }
  int size() const override { return size_; }
  std::string name_of(int rank) const override { return all_.name_of(first_ + rank); }
  void exchange(std::span<const Send> sends, std::span<const Receive> receives, Pace pace) override {
    sends_.assign(sends.begin(), sends.end());
    receives_.assign(receives.begin(), receives.end());
    for (Send& s : sends_) s.to += first_;
    for (Receive& r : receives_) r.from += first_;
    all_.exchange(sends_, receives_, pace);
  }
  void give_up(const std::string& why) override { all_.give_up(why); }
  void hurry() override { all_.hurry(); }
  double patience() const override { return all_.patience(); }

 private:
  Group& all_;
  int first_, size_;
  std::vector<Send> sends_;
  std::vector<Receive> receives_;
};

}  // namespace skald
