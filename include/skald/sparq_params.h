// SparqParams: sparse decoding. All keys are scored with a few query components; only the best ones are attended to,
// exactly. SparQ attention, Ribar et al., arXiv 2312.04985.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace skald {

/// Chooses the query components that score all keys.
enum class SparqChoice : uint8_t {
  kSpread,     // |q| times the standard deviation of the key's component
  kMagnitude,  // |q|, as published
};

/// Chooses the keys that are attended to.
enum class KeySelection : uint8_t {
  kSparq,           // approximate scores of all keys
  kPages,           // whole pages of 64 keys, by the highest score that their keys can have (Quest, arXiv 2406.10774)
  kPagesThenSparq,  // approximate scores of the keys in those pages
};

/// Counts the numbers of a head's key and value, and the bytes that each number takes in the cache.
struct KeySize {
  int64_t d_k, d_v;
  double k_bytes = 2, v_bytes = 2;
  double component_bytes = 0.5 + 8.0 / 64;  // of a key, where it is read for scores: its code, and a share of scales
  bool basis = false;                       // components are those of a calibration, of which fewer tell as much

  double bytes() const { return static_cast<double>(d_k) * k_bytes + static_cast<double>(d_v) * v_bytes; }
};

/// Says how much one text, and one KV head of it, may read beside others with the same parameters.
struct SparqPart {
  double scale = 1;  // times the ratio that a loss allows
  double share = 1;  // the head's bytes over the mean of all heads
};

struct SparqParams {
  int64_t k1 = 0;    // query components that score all keys (r in the paper); 0 with a k2 of 0: dense
  int64_t k2 = 0;    // keys that are then attended to (k in the paper)
  double ratio = 0;  // > 0: dense attention's bytes over this one's, for which k1 and k2 are chosen at any length
  // If > 0, mean nats by which a token's probabilities may diverge from those of dense attention. Each text measures its own
  // loss and reads as little as that allows (docs/long-context.md).
  double loss = 0;
  int64_t local = -1;        // most recent keys that are always among them; -1: k2 / 4, with a ratio or a loss k2 / 8
  std::optional<bool> mean;  // the mean value stands in for the other keys; by default, but kMagnitude's only where each
                             // query head has its own KV head
  SparqChoice choice = SparqChoice::kSpread;
  KeySelection selector = KeySelection::kSparq;  // kPages: there is no k1, no mean and no index
  // With a ratio or a loss, all heads read as much. Otherwise those read more that would lose more, as each text measures.
  bool even = false;
  std::string index = "auto";  // dimension-major copy of the keys: int4, int8, f16, none (slow, no extra memory), or auto

  static constexpr double kUsualLoss = 0.01;
  /// Counts the keys below which the rows themselves are scored: no rounding has to be made good for them.
  static constexpr int64_t kIndexFrom = 1024;

  bool on() const { return ratio > 0 || loss > 0 || (k2 > 0 && (k1 > 0 || selector == KeySelection::kPages)); }
  struct Choice {
    int64_t k1, k2, local;
    int64_t pages = 0;   // of 64 keys, those that are scored; 0: all
    int64_t scored = 0;  // keys of which k1 components are read
    int64_t bounds = 0;  // numbers that are read as bounds of pages
  };
  /// Chooses the numbers to read for a row that sees `n_keys` keys; k2 >= n_keys means dense.
  Choice choose(int64_t n_keys, const KeySize& size, const SparqPart& part = {}) const;
  /// Returns the copy of the keys; auto: int4 for a ratio or a loss, which spend bytes, and int8 for a k1.
  std::string_view index_type() const;
  /// Returns the fewest keys of which a row does not read all; it reads all of no greater number either. None: rows are
  /// dense.
  std::optional<int64_t> sparse_from(const KeySize& size) const;
  /// Returns whether a text's own measurements say how much its heads read.
  bool measures() const { return selector == KeySelection::kSparq && (loss > 0 || (ratio > 0 && shares())); }
  /// Returns whether these are the shares of its heads. The published rule has none.
  bool shares() const { return !even && choice == SparqChoice::kSpread; }
  /// Returns whether the mean value is used, for `group` query heads per KV head.
  bool uses_mean(int64_t group) const {
    return selector != KeySelection::kPages && mean.value_or(choice == SparqChoice::kSpread || group == 1);
  }
  /// Throws Error (kBadInput) naming the parameter that is out of range.
  void check() const;
  bool operator==(const SparqParams&) const = default;

 private:
  Choice choose_for(double of_ratio, int64_t n_keys, const KeySize& size) const;
};

}  // namespace skald
#pragma GCC visibility pop
