// CandidateSet: the tokens that may come next with their logits, while samplers cut and change them. A whole vocabulary is
// cut by passes (sampling/passes.h, sampling/cut_search.h), a few tokens by sorting; nothing sorts many.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "sampling/cut_search.h"
#include "sampling/passes.h"
#include "skald/types.h"

namespace skald {

/// Tokens that may come next: bit i % 32 of word i / 32 is token i's; those beyond the words may not.
using TokenMask = std::span<const uint32_t>;

struct Candidate {
  TokenId id;
  double logit;
};

/// Tokens are ordered from the most to the least likely, ties by the lower id. Logits are those of the row that it was made
/// of, times what scale() was told, as last set. Sums over more than kFew tokens are of weights in single precision.
class CandidateSet {
 public:
  static constexpr size_t kFew = 512;

  CandidateSet() = default;
  // Copies of samplers need no copies of what was left for the last token.
  CandidateSet(const CandidateSet&) {}
  CandidateSet& operator=(const CandidateSet&) { return *this; }

  /// All tokens of a row of logits but those at -infinity. The row must stay as it is until the last use. Throws kBadInput
  /// naming a token whose logit is NaN or +infinity.
  void reset(std::span<const float> logits);
  /// The most likely tokens of a row of n_vocab logits alone, by falling logit, ties by the lower id, all finite. Until
  /// has_best() says so for a number, those that are missing may count.
  void reset_to_best(std::span<const TokenId> ids, std::span<const float> logits, size_t n_vocab);
  /// Whether the k most likely ones are those of the whole row, all of whose other logits fell or stayed as they are.
  bool has_best(size_t k) const;
  /// Drops the tokens that are not allowed.
  void allow(TokenMask allowed);
  /// Throws kBadInput when no token is left.
  void check() const;

  int64_t n_vocab() const { return static_cast<int64_t>(n_vocab_); }
  size_t size() const { return size_; }
  /// nullopt for a token that is no longer there.
  std::optional<double> logit(TokenId id) const;
  double best() const { return scale_ * static_cast<double>(best_stored()); }

  /// Another logit for a token that is there; what is below the least float is the least float. Throws kBadInput naming the
  /// token and `what` for NaN and +infinity; -infinity drops it.
  void set(TokenId id, double logit, const char* what);
  void drop(TokenId id);
  /// All logits times `factor` > 0; many factors together stay from 1e-200 to 1e200.
  void scale(double factor);

  /// ln of the sum of exp(logit).
  double log_total();
  /// Of the probabilities, in nats.
  double entropy();
  /// Standard deviation of the logits.
  double deviation();
  /// Probabilities by rising id, as weights and their sum, and the ids; no ids: all tokens.
  struct Shares {
    std::vector<TokenId> ids;
    std::vector<float> weights;
    double total = 1;
    bool empty() const { return weights.empty(); }
    /// 0 for a token that is not among them.
    double of(TokenId id) const;
  };
  Shares shares();

  /// Drops tokens whose logit is below `least` <= best().
  void keep_at_least(double least);
  /// The k > 0 most likely ones.
  void keep_best(size_t k);
  /// Drops the k < size() most likely ones.
  void drop_best(size_t k);
  /// The most likely ones up to that whose probability makes their sum reach `share`, and no fewer than `least`.
  void keep_mass(double share, size_t least = 0);
  /// In the order of |-ln p - entropy|, up to the one that makes the sum of probabilities exceed `share`, and no fewer than
  /// `least`.
  void keep_typical(double share, size_t least = 0);
  /// How many tokens have logits of at least `least`.
  size_t count_at_least(double least);
  /// Logits 5 - 10 d^2 / (1 + d) with d = |p - goal| / 0.3 for probabilities p, which `before` takes over.
  void favour(double goal, Shares& before);

  /// The most likely ones with their logits, at most n.
  std::vector<Candidate> best_of(size_t n) const;
  /// The token that a number `left` of [0, 1) falls to.
  TokenId draw(double left);

 private:
  enum class Mass : uint8_t { kTokens, kWeights };
  enum class Reach : uint8_t { kAtLeast, kAbove };
  enum class Keep : uint8_t { kBeginning, kRest };
  /// Of the order by distance from a stored logit, the best one's or another, the shortest beginning whose mass (of tokens,
  /// or of weights as a share of all) comes to `target`; the whole order where none does.
  struct Beginning {
    std::optional<double> center = {};
    Mass mass = Mass::kTokens;
    Reach reach = Reach::kAtLeast;
    double target = 0;
    size_t least = 0;  // tokens, whatever their mass
    Keep keep = Keep::kBeginning;
  };

  void cut(const Beginning& what);
  void cut_few(const Beginning& what);
  void cut_many(const Beginning& what);
  size_t count_within(float from, float distance) const;
  template <class Pass>
  void drop_but(std::span<const CutSearch::Member> ties, Pass pass);

  bool few() const { return size_ <= kFew; }
  const float* stored() const { return owned_ ? x_.data() : source_.data(); }
  TokenId id_at(size_t i) const { return numbered_ ? static_cast<TokenId>(i) : ids_[i]; }
  std::optional<size_t> find(TokenId id) const;
  float best_stored() const;
  float stored_bound(double least) const;
  float* room();
  void own();
  void pad();
  void changed(size_t size);
  void changed(const Kept& left);
  void drop_at(size_t at);
  void reweigh(size_t at);  // its logit is another
  void shrink();
  float weight_scale() const;
  /// Weights are made anew where all that are left have become small.
  void weigh_all();
  /// exp((x - best) * scale) of few tokens, by rising id, and their sum.
  double weights_of_few(std::vector<double>& out) const;
  std::optional<TokenId> draw_by_trial(Rng& rng) const;

  std::span<const float> source_;
  size_t n_vocab_ = 0, length_ = 0, size_ = 0;  // tokens; logits that are stored, gone ones too; those that are not gone
  bool owned_ = false, numbered_ = true;        // x_ holds the logits, else source_; ids are 0 to length_ - 1, else in ids_
  double scale_ = 1;
  mutable std::optional<float> best_ = {};
  float missing_ = 0;     // no token that is missing has a larger stored logit: after reset_to_best()
  bool changed_ = false;  // set() was called since
  bool weighed_ = false;
  double total_ = 0;  // of w_
  float from_ = 0;    // where the weights are 1
  std::vector<float> x_, w_;
  std::vector<int32_t> ids_;
  std::vector<TokenId> places_;
  CutSearch search_;
};

}  // namespace skald
