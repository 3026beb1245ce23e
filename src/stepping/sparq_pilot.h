// SparqPilot: how much of its keys one text reads. Its own measurements say so: of the heads that lose most, and of the
// nats that its tokens lose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "skald/sparq_params.h"

namespace skald {

/// What one KV head of an attention lost in some rows.
struct HeadLoss {
  double loss = 0;    // mean |sparse - dense|^2 of its results over |x|^2 of the residual stream; 0: it was dense
  double weight = 0;  // bytes that it reads when it is dense, over any unit
};

class SparqPilot {
 public:
  /// Rows that a trial computes, at the text's beginning.
  static constexpr int64_t kTrialRows = 32;
  /// The most that a copy goes back by: a trial may begin at the border of a page before its rows.
  static constexpr int64_t kMostBack = kTrialRows + kPageKeys - 1;

  /// For parameters that measure().
  explicit SparqPilot(const SparqParams& params) : params_(params) {}

  const SparqParams& params() const { return params_; }
  /// Returns how a row at the position attends: as rows of its page do. Its page has begun.
  SparqPolicy policy(int64_t position) const { return policy_at(page(position).scale); }
  /// Returns how rows of a trial attend: at a scale of 1.
  SparqPolicy trial_policy() const { return policy_at(1); }
  /// Returns how many nats a token of that page may lose, by the measurements before it; 0: not known.
  double nats(int64_t position) const { return page(position).nats; }

  /// Returns how many rows from the position on attend alike: those of its page.
  static int64_t rows_alike(int64_t position) { return kPageKeys - position % kPageKeys; }
  /// Returns whether rows of the position's page were computed before, or are about to be. They are computed again as they
  /// were, after a pause.
  bool has_begun(int64_t position) const { return index(position) >= 0 && index(position) < std::ssize(pages_); }
  /// All rows of the position's page attend as is known now.
  void begin_page(int64_t position);

  /// Returns whether a trial is still to be made, which a text does once: at its first row that chooses keys.
  bool wants_trial() const { return !tried_; }
  /// There is no other trial, whether this one measures anything or not. `sparse_layers`: the part of all layers with keys
  /// that read few of them.
  void end_trial(double sparse_layers);
  /// Sets the shares of heads (slots, heads) from what they lost when all read alike.
  void take_heads(std::span<const HeadLoss> losses, int64_t heads);
  /// The mean loss of a trial's rows, in nats, at a scale of 1.
  void take_trial(double nats, int64_t rows);

  /// Returns whether the page's first row is to be computed densely, too.
  bool wants_check(int64_t position) const;
  void take_check(int64_t position, double nats);

 private:
  struct Page {
    double scale = 1, nats = 0;
  };
  int64_t index(int64_t position) const { return position / kPageKeys - first_page_; }
  const Page& page(int64_t position) const { return pages_[static_cast<size_t>(index(position))]; }
  SparqPolicy policy_at(double scale) const;
  double scale() const;
  void add(double nats, double at_scale, double weight);

  SparqParams params_;
  bool tried_ = false;
  double sparse_layers_ = 1;
  std::vector<float> shares_;  // (slots, heads); empty: all are 1
  int64_t heads_ = 0;
  double sum_ = 0, weight_ = 0;  // of losses at a scale of 1
  int64_t first_page_ = 0;
  std::vector<Page> pages_;  // those that have begun
};

/// Returns each head's share of bytes, of a mean of 1 by weight: the larger, the more it loses.
/// Heads without a loss have 1. None has less than a third or more than four times the mean.
std::vector<float> shares_of(std::span<const HeadLoss> losses);

}  // namespace skald
