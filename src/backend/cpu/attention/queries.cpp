#include "backend/cpu/attention/queries.h"

namespace skald {

void load_queries(const AttentionJob& job, const KvView& kv, const HeadsView& from, int64_t row, int64_t kv_head, float* q) {
  const int64_t stride = job.q_stride(), columns = job.key_columns(kv);
  for (int64_t g = 0; g < job.group(); ++g, q += stride) {
    const float* x = from.at(row, kv_head * job.group() + g);
    job.kernels.scale(job.a.scale, x, q, job.a.d_k);
    std::fill(q + job.a.d_k, q + stride, 0.0f);
    if (kv.k_rotated) job.kernels.hadamard(q, columns, hadamard_block(columns));
  }
}

void load_plain_queries(const AttentionJob& job, const KvView& kv, const HeadsView& from, int64_t row, int64_t kv_head,
                        float* q) {
  KvView plain = kv;
  plain.k_rotated = false;
  load_queries(job, plain, from, row, kv_head, q);
}

int64_t query_codes_bytes(const AttentionJob& job) { return job.group() * act_q8_bytes(job.q_stride()); }

void quantize_queries(const AttentionJob& job, const KvView& kv, const float* q, std::byte* codes) {
  if (job.kernels.score_act[kv.k_format] != ActFormat::kQ8) return;
  const int64_t columns = job.key_columns(kv);
  for (int64_t g = 0; g < job.group(); ++g)
    job.kernels.quantize_q8(q + g * job.q_stride(), codes + g * act_q8_bytes(columns), columns);
}

void round_queries(const AttentionJob& job, const KvView& kv, float* q, std::byte* codes) {
  if (job.kernels.score_act[kv.k_format] != ActFormat::kQ8) return;
  quantize_queries(job, kv, q, codes);
  const int64_t columns = job.key_columns(kv);
  for (int64_t g = 0; g < job.group(); ++g) {
    const auto* row = reinterpret_cast<const int8_t*>(codes + g * act_q8_bytes(columns));
    const auto* scales = reinterpret_cast<const float*>(row + columns);
    for (int64_t c = 0; c < columns; ++c) q[g * job.q_stride() + c] = scales[c / kActQ8Block] * static_cast<float>(row[c]);
  }
}

}  // namespace skald
