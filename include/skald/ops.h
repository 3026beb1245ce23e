// Operations on plain memory, without a model: attention, dense or sparse, and the formats of weights.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skald/sparq_params.h"

#pragma GCC visibility push(default)
namespace skald {

/// Says where the keys or values of some heads lie: row i of a head begins at data + head * head_stride + i * row_stride.
struct HeadRows {
  std::string_view type = "f32";  // f32, f16 or bf16
  const void* data = nullptr;
  int64_t heads = 0, rows = 0, d = 0;       // d: numbers of a row
  int64_t head_stride = 0, row_stride = 0;  // bytes
};

struct AttendOptions {
  float scale = 0;         // of the scores; 0: 1 / sqrt(d of a key)
  SparqParams sparq = {};  // off: all keys are attended to. There is no index (`index` says nothing), and no mean
  int n_threads = 0;       // 0: one per usable CPU
};

/// Counts the bytes of keys and values that a call read, and those that dense attention reads.
struct AttendUse {
  int64_t read = 0, dense = 0;
};

/// Attends with one query for each head to keys and values where they lie, as the engine decodes. Computes
/// softmax(scale * q k^T) v. Takes q (n_heads, d of a key), and gives out (n_heads, d of a value). Query heads share KV
/// heads in order, n_heads / heads each. Throws Error: kBadInput naming what does not fit together.
AttendUse attend(const float* q, int64_t n_heads, const HeadRows& keys, const HeadRows& values, float* out,
                 const AttendOptions& options = {});

/// Describes a format of numbers: "q8_0" has 32 of them in 34 bytes.
struct NumberFormat {
  std::string name;
  int64_t block, block_bytes;
  bool can_encode;
};
std::vector<NumberFormat> number_formats();

/// Encodes rows of n numbers, whole blocks of the format, into n / block * block_bytes bytes. Throws Error: kBadInput for
/// an unknown format, part of a block, or a number that the format cannot hold; kUnsupported for one that is only read.
void quantize(std::string_view format, const float* x, int64_t n, void* out);
/// Decodes as many. Throws Error likewise.
void dequantize(std::string_view format, const void* blocks, int64_t n, float* out);

}  // namespace skald
#pragma GCC visibility pop
