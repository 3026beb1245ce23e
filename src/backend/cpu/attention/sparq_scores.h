// SparqScores: step one of SparQ (arXiv 2312.04985): approximate scores of all keys of a row on one KV head by the largest
// components of its queries. Bound: read bandwidth of the chosen dimensions.
#pragma once

#include "backend/cpu/attention/gather.h"
#include "skald/sparq_params.h"

namespace skald {

struct SparqScoresScratch {
  SparqScoresScratch(const AttentionJob& job, int64_t capacity, Scratch& scratch);
  int64_t capacity;        // most keys of a row, and the slots that aligning them takes
  float *plain, *weights;  // (group, q_stride): queries by the components of the index; (d_k): weights of the components
  float* warmth;           // (group): factor of scores' temperatures over those of whole queries
  std::byte* own_sums;     // KeySums of the row
  float* panels;           // KeySpread::panel_floats
  int32_t *dims, *select;  // (d_k), select_top's own
  struct Masked {
    float* q;  // (group, q_stride): with the chosen dimensions only
    std::byte* codes;
    float* chosen;  // (group, d_k): these alone
  };
  Masked masked, masked_kept;  // of the row's queries, and of those that meet kept keys
  float* scores;               // (group, capacity)
};

class SparqScores {
 public:
  SparqScores(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const Candidates& candidates,
              int64_t k1, const SparqParams& params, const SparqScoresScratch& s);

  /// Chooses the components; to be called before anything else.
  void choose_components() const;
  /// Scores the part-th of `parts` shares of the candidates. They do not depend on how many there are. `skip` (pages, from
  /// that on in which the candidates after the kept ones begin): pages whose keys have kSkipped; null: none.
  void find(int64_t part, int64_t parts, const uint8_t* skip) const;
  static constexpr float kSkipped = -1e30f;

  /// Scores of head g of the group, from candidate 0 on; heads are stride() apart.
  float* of(int64_t g) const { return s_.scores + g * s_.capacity + first_; }
  int64_t stride() const { return s_.capacity; }

 private:
  int64_t group() const { return job_.group(); }
  GroupQueries group_queries(const SparqScoresScratch::Masked& masked) const;
  float* first_page() const;
  void load(const HeadsView& from, const SparqScoresScratch::Masked& masked) const;
  const float* spread() const;
  float weight_of(int64_t g, const float* spread) const;
  void find_warmth(const float* spread) const;
  void mask_queries(const SparqScoresScratch::Masked& masked) const;
  void score_others(int64_t from, int64_t to, const uint8_t* skip) const;
  void score_pages(int64_t from, int64_t to) const;
  void skip_pages(int64_t from, int64_t to) const;
  void score_kept() const;
  void adjust(int64_t first, int64_t n, int64_t shift) const;
  void score_span(int64_t from, int64_t to, int64_t shift, const SparqScoresScratch::Masked& masked, float* out) const;
  int64_t score_run(int64_t slot, int64_t end, int64_t position, const float* q, float* out) const;

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t row_, head_;
  Candidates candidates_;
  int64_t k1_;
  SparqChoice choice_;
  SparqScoresScratch s_;
  bool by_index_;
  int64_t first_;  // where the scores of head 0 begin
};

}  // namespace skald
