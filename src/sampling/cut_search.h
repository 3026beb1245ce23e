// CutSearch: where an order of many tokens is to be cut. Only tokens next to the cut are sorted: a sample tells a band of
// distances in which the cut should be, a pass adds up what is nearer and lists what is in the band, and the same goes on
// with the list. A cut that is outside the band is searched for on its side of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sampling/passes.h"

namespace skald {

class CutSearch {
 public:
  struct Tokens {
    const float* x;  // (n) logits, padded as for the passes
    const float* w;  // (n) weights, exp((x - best) * scale); null: each token counts 1
    size_t n;
    double mass;  // of all
  };
  /// The order by distance from a logit, ties to the larger logit, then to the lower index, is cut after the shortest
  /// beginning whose mass comes to `limit`.
  struct Aim {
    float from, best;
    double scale;  // logits times this are in nats; 0 without weights
    double limit;
    bool above;  // the mass must exceed the limit
  };
  struct Member {
    float distance, logit, weight;
    int32_t at;
    bool operator<(const Member& other) const;
  };
  struct Cut {
    float distance;                      // of the last token of the beginning
    std::span<const Member> in, beyond;  // tokens at this distance, valid until the next search
  };
  /// nullopt: all tokens together do not come to the limit.
  std::optional<Cut> find(const Tokens& tokens, const Aim& aim);

 private:
  /// Tokens between two distances, both within, their mass and that of the nearer ones.
  struct Part {
    float near, far;
    double before, mass;
  };
  struct Row {
    std::vector<float> x, w;
    std::vector<int32_t> at;  // indices among all tokens
    double mass = 0;
  };

  Part narrow(const Tokens& tokens, const Aim& aim, const Part& whole);
  /// `doubt`: standard deviations of the sample's sums that the band allows for.
  Band guess(const Tokens& tokens, const Aim& aim, const Part& part, double doubt);
  void list_heavy(const Tokens& tokens, const Aim& aim);
  size_t take_sample(const Tokens& tokens, size_t step);
  void add_heavy(const Tokens& tokens, const Part& part, const Buckets& buckets, size_t step);
  Band band_of_sums(const Aim& aim, const Part& part, const Buckets& buckets, size_t step, double doubt) const;
  void gather(const Tokens& tokens, size_t n);
  Cut cut_members(const Aim& aim, double before, bool weighed);

  Row list_, next_;  // tokens of the band so far, none for all of them, and of the next one
  std::vector<float> sample_x_, sample_w_;
  std::vector<double> sums_, squares_;  // by bucket, of the sample's weights
  std::vector<int32_t> places_;
  std::vector<int32_t> heavy_;  // indices of tokens from this logit on, which are not left to the sample
  size_t n_heavy_ = 0;
  float heavy_from_ = 0;
  std::vector<Member> members_;
};

}  // namespace skald
