// Queries as the cache's keys want them: scaled, filled up to blocks, transformed and quantised as the keys are.
#pragma once

#include "backend/cpu/attention/job.h"

namespace skald {

/// The group's queries of one KV head and row: q (group, q_stride).
void load_queries(const AttentionJob& job, const KvView& kv, const HeadsView& from, int64_t row, int64_t kv_head, float* q);

/// The same as keys were before the cache's transform.
void load_plain_queries(const AttentionJob& job, const KvView& kv, const HeadsView& from, int64_t row, int64_t kv_head,
                        float* q);

/// Returns the bytes of a group of quantised queries.
int64_t query_codes_bytes(const AttentionJob& job);

/// For keys of integers: q (group, q_stride) as act_q8 rows, act_q8_bytes(key_columns) apart. For others nothing.
void quantize_queries(const AttentionJob& job, const KvView& kv, const float* q, std::byte* codes);

/// For keys of integers: q becomes the values of its codes, so that prefill on floats gives the same as decode.
void round_queries(const AttentionJob& job, const KvView& kv, float* q, std::byte* codes);

}  // namespace skald
