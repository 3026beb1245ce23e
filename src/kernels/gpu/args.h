// What kernels are given: plain structs of addresses of the device and numbers. The backend fills them, kernels read them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/index_view.h"
#include "kernels/api/key_sums.h"
#include "kernels/gpu/simt_types.h"
#include "tensor/activation.h"

namespace skald::gpu {

/// A matrix of floats in the device's memory.
struct Matrix {
  float* data = nullptr;
  int64_t step = 0;  // floats between rows
};

/// Rows of a value: their number stands in the device's memory, so that one recording of a launch serves all steps of a
/// bucket. Launches are as large as the bucket; blocks of rows that are not there return.
struct RowCount {
  const int32_t* at = nullptr;
};

/// Rows of a weight, as files have them.
struct WeightRows {
  const std::byte* data = nullptr;
  int64_t row_bytes = 0;
  int64_t rows = 0, columns = 0;
};

/// What KeyIndexView says of a sequence's key index of one layer.
struct SequenceIndex {
  const IndexRun* runs = nullptr;  // a table in the device's memory
  int64_t n_runs = 0;
  IndexPlace places[2] = {};  // by RunLength
  KeyIndex kind = KeyIndex::kNone;
};

/// What KvView says of a sequence's keys and values of one layer.
struct SequenceKv {
  std::byte* const* k_pages = nullptr;  // tables in the device's memory
  std::byte* const* v_pages = nullptr;
  int64_t k_offset = 0, v_offset = 0, k_head_stride = 0, v_head_stride = 0, k_stride = 0, v_stride = 0;  // bytes
  int64_t kept = 0, begin = 0, shift = 0, dropped = 0, prefix = 0;
  uint32_t k_format = 0, v_format = 0;
  bool k_by_dimensions = false;               // KeyOrder::kDims
  bool k_rotated = false, v_rotated = false;  // stored after a Hadamard transform
  bool generated = false;                     // KvView::decode
  SequenceIndex index = {};
  std::byte* key_sums = nullptr;  // KeySums of each KV head
};

/// The rows of a sequence in a step: neighbours.
struct SequenceRows {
  int32_t first = 0, n = 0;
};

/// Rows of a step and the sequences that they belong to.
struct StepRows {
  const int32_t* positions = nullptr;  // (tokens)
  const int32_t* sequences = nullptr;  // (tokens): indices into `kv` and `rows`
  const SequenceKv* kv = nullptr;      // of one layer
  const SequenceRows* rows = nullptr;
};

/// A generated row of a step that attends to few keys of a layer on some KV head.
struct SparseRow {
  int32_t row = 0;  // of the attention; -1: it has no such row
  int32_t position = 0, sequence = 0;
  int32_t keys = 0;                          // that it sees
  PageSet pages = {}, summed = {};           // those of its spread, and of its sequence's memo
  bool keeps = false;                        // it brings the memo to that
  bool by_spread = false, by_index = false;  // components are chosen by the keys' spread; full pages are scored by the index
  bool mean = false;                         // that of the values stands in for keys that are left out
  bool by_pages = false, by_scores = true;   // keys are chosen by the bounds of their pages, by scores, or by both
  bool measured = false;                     // it attends to all keys, and tells how far off few of them are
};
/// What it reads on a KV head: see SparqParams::Choice. k2 0: all keys.
struct SparseHead {
  int32_t k1 = 0, k2 = 0, local = 0;
  int32_t pages = 0, recent = 0;  // chosen pages, and the last ones that are among them
};
/// What it did there: errors are by tiles of a KV head's query heads, and add up to SparqPolicy::error.
struct SparseResult {
  int32_t keys = 0;  // that it attended to: of the first tile
  float error = 0;
};

/// The rows of a layer that attend to few keys, in a list.
struct SparseRows {
  RowCount count = {};
  const int32_t* numbers = nullptr;   // (tokens): in the list; -1: it attends to all keys of all layers
  const SparseRow* rows = nullptr;    // (count)
  const SparseHead* heads = nullptr;  // (count, KV heads)
  SparseResult* results = nullptr;    // (count, KV heads, tiles of their query heads)
};

/// The sequences of a step and their recurrent states.
struct StepStates {
  RowCount count = {};                 // of sequences
  const SequenceRows* rows = nullptr;  // (sequences)
  float* const* states = nullptr;      // (sequences): of one layer
};

/// See KeyWindow.
struct Window {
  int64_t size = 0, chunk = 0;
  bool around = false;
};

struct EmbedArgs {
  RowCount rows = {};
  const int32_t* ids = nullptr;
  WeightRows table = {};
  Matrix out = {};
};

/// Activations as codes of 8 bits, for weights that are integers: a scale and a sum for each 32, units of 128 columns. In a
/// unit, 16 bytes (half h, lane t) are the words that lane t brings of blocks 2 h and 2 h + 1.
struct CodedRows {
  int8_t* codes = nullptr;  // (rows, units, 128)
  float* scales = nullptr;  // (rows, units, 4)
  float* sums = nullptr;    // likewise: of the codes, times the scale
};

/// Rows in the forms that products with fragments want; null: those that nothing wants. Pairs of 16-bit floats, x = high +
/// low, lie in tiles of 4 rows and 32 columns: lane l's 16 bytes are of row l / 8, high or low by l / 4 % 2, columns 8 (l %
/// 4) on.
struct RowForms {
  CodedRows coded = {};
  std::byte *f16 = nullptr, *bf16 = nullptr;  // (rows / 4, tiles, 512)
  int64_t units = 0, tiles = 0;               // of a row: of 128 and of 32 columns
};

struct RowFormsArgs {
  RowCount rows;
  Matrix x = {};
  int64_t columns = 0;
  RowForms out = {};
  int64_t parts = 1;  // of a row of x, side by side: each is a row of what comes out
};

/// Some of the choices that go to an expert, neighbours in the list of choices. A row makes some choices: number row *
/// (choices of a row) + slot.
struct ExpertJob {
  int32_t expert = 0, first = 0, count = 0;
};

/// Products of choices with the matrices of their experts.
struct ExpertJobs {
  const ExpertJob* list = nullptr;   // (n); those that nothing is to be done for have no choices
  const int32_t* choices = nullptr;  // by experts
  int n = 0, most = 0;               // jobs; choices of a job at most
  int of_x = 1, of_out = 1;          // choices that share a row of activations; that lie side by side in a row of `out`
};

/// A weight in fragments, and where the products with it go.
struct ProductPart {
  const std::byte* weights = nullptr;  // (panels, steps), for each expert
  Matrix out = {};
  Matrix added = {};                                 // to what comes out, unless data is null; step 0: the same row to all
  const float *biases = nullptr, *scales = nullptr;  // as ExpertWeights has them
  int n = 0;                                         // outputs
  int first = 0;                                     // panel, among those of all parts
};

/// out = x W^T, for weights W of one format.
struct ProductArgs {
  static constexpr int kMaxParts = 4;
  RowCount rows;
  ProductPart parts[kMaxParts] = {};
  int n_parts = 0, panels = 0;       // of all parts
  CodedRows coded = {};              // of formats with codes
  const std::byte* split = nullptr;  // of formats of 16-bit floats
  int steps = 0;                     // of a panel
  int units = 0;                     // of coded rows
  ExpertJobs jobs = {};              // list null: all rows meet one matrix

  /// `part.first` is set here.
  void add(ProductPart part) {
    part.first = panels;
    panels += (part.n + 15) / 16;
    parts[n_parts++] = part;
  }
};

/// out = x W^T.
struct LinearArgs {
  RowCount rows = {};
  Matrix x = {};
  WeightRows weight = {};
  Matrix out = {};
  Matrix added = {};  // as ProductPart has it
};

/// Each of x's heads by a matrix of its own; the weight's rows are those of one.
struct HeadLinearArgs {
  RowCount rows = {};
  Matrix x = {};
  WeightRows weight = {};
  int64_t heads = 0;
  Matrix out = {};
};

/// The n experts of each row.
struct ExpertChoice {
  const int32_t* ids = nullptr;
  int64_t step = 0;  // between rows
  int64_t n = 0;
};

/// A matrix of each expert; `rows` are those of one.
struct ExpertWeights {
  WeightRows rows = {};
  const float *biases = nullptr, *scales = nullptr;  // (experts, rows), (experts): of products, before biases; or null
};

/// Sorts the choices of rows by experts, those of an expert in order, and cuts them into jobs.
struct SortExpertsArgs {
  RowCount rows = {};
  ExpertChoice choice = {};
  int experts = 0;
  ExpertJob* jobs = nullptr;
  int n_jobs = 0, most = 0;  // choices of a job
  int32_t* choices = nullptr;
};

/// Each choice's activations by its expert, side by side.
struct ExpertLinearArgs {
  RowCount rows = {};
  Matrix x = {};
  int64_t x_part = 0;  // numbers between the activations of a row's choices; 0: they share them
  ExpertWeights weights = {};
  ExpertChoice choice = {};
  Matrix out = {};
};

/// The products of a row's choices, n numbers each, added up by their shares.
struct MixExpertsArgs {
  RowCount rows = {};
  Matrix x = {};
  ExpertChoice choice = {};
  Matrix shares = {}, out = {};
  int64_t n = 0;
};

/// See ChooseExperts.
struct ChooseExpertsArgs {
  RowCount rows = {};
  Matrix scores = {};
  const float* added = nullptr;  // (experts), or null
  int32_t* ids = nullptr;
  int64_t ids_step = 0;
  int64_t experts = 0, k = 0, groups = 1, groups_used = 1, group_best = 1;
};

/// See WeighExperts.
struct WeighExpertsArgs {
  RowCount rows = {};
  Matrix scores = {};
  ExpertChoice choice = {};
  Matrix out = {};
  float scale = 1;
  bool softmax = false, normalise = false;
};

struct RmsNormArgs {
  RowCount rows = {};
  Matrix x = {}, out = {};
  const float* weight = nullptr;
  int64_t parts = 1, n = 0;  // of a row; numbers of a part
  int64_t weight_step = 0;   // between the parts' weights
  float eps = 0;
  RowForms forms = {};  // of what comes out, of rows of one part
};

struct LayerNormArgs {
  RowCount rows = {};
  Matrix x = {}, out = {};
  const float *weight = nullptr, *bias = nullptr;  // bias may be null
  int64_t parts = 1, n = 0;                        // of a row; numbers of a part
  int64_t weight_step = 0, bias_step = 0;          // between the parts' weights and biases
  float eps = 0;
  RowForms forms = {};  // as RmsNormArgs has them
};

/// Mean and softmax of the parts of rows.
struct PartsArgs {
  RowCount rows = {};
  Matrix x = {}, out = {};
  const float* sinks = nullptr;  // (parts): logits that take weight and are left out, or null
  int64_t parts = 1, n = 0;      // of a row; numbers of a part
};

struct RopeTableArgs {
  RowCount rows = {};
  const int32_t* positions = nullptr;
  const double* frequencies = nullptr;  // (pairs)
  const float* divisors = nullptr;      // (pairs), or null
  int64_t pairs = 0;
  float magnitude = 1;
  Matrix out = {};  // (rows, 2 pairs): cosines, then sines
};

struct RopeArgs {
  static constexpr int kMaxTables = 4;
  RowCount rows = {};
  Matrix x = {}, out = {};
  Matrix tables[kMaxTables] = {};  // heads take them in turn
  int64_t n_tables = 0, heads = 0, d_head = 0, first = 0, dims = 0;
  bool halves = false;  // RopePairs::kHalves
};

/// Element-wise operations of a and b: b is as a, or repeats after `period` numbers of a row, or has a number for each
/// `run` numbers of it.
struct BinaryArgs {
  RowCount rows = {};
  Matrix a = {}, b = {}, out = {};  // b.step 0: the same row for all
  int64_t n = 0, period = 0, run = 1;
};

/// Functions of one number, and of constants that they name.
struct UnaryArgs {
  RowCount rows = {};
  Matrix x = {}, out = {};
  int64_t n = 0;
  float numbers[4] = {};
  RowForms forms = {};  // of what comes out
};

struct GluArgs {
  RowCount rows = {};
  Matrix gate = {}, up = {}, out = {};
  int64_t n = 0;
  RowForms forms = {};  // of what comes out
};

/// Numbers of 4 bytes, of any type.
struct HeadColumnsArgs {
  RowCount rows = {};
  Matrix x = {}, out = {};
  int64_t heads = 0, d_head = 0, first = 0, n = 0;
};

struct JoinHeadsArgs {
  RowCount rows = {};
  Matrix a = {}, b = {}, out = {};
  int64_t heads = 0, n = 0, m = 0;  // numbers of a head of a, of b
  int64_t b_step = 0;               // between b's heads: 0 where they share one
};

struct LogTemperatureArgs {
  RowCount rows = {};
  const int32_t* positions = nullptr;
  Matrix out = {};
  int64_t first = 0, length = 1;
  float scale = 0;
};

/// out[head][distance] = table[buckets[distance]][head], of distances from the least one on.
struct DistanceBiasArgs {
  Matrix table = {}, out = {};
  const int32_t* buckets = nullptr;  // (distances)
  int64_t heads = 0, distances = 0;
};

struct CausalConvArgs {
  StepStates step = {};  // states (taps - 1, n): the last rows of x, the oldest first
  Matrix x = {}, out = {};
  const float *weight = nullptr, *bias = nullptr;  // (n, taps), (n) or null
  int64_t n = 0, taps = 0;
  bool silu = false;
};

/// See DeltaNet.
struct DeltaNetArgs {
  StepStates step = {};  // states (heads, d_k, d_v)
  Matrix q = {}, k = {}, v = {}, decays = {}, betas = {}, out = {};
  const float* rates = nullptr;  // (heads)
  int64_t heads = 0, key_heads = 0, d_k = 0, d_v = 0;
  bool tiled = false, decay_by_row = false;  // a decay for each row of a state
  float eps = 0;
};

/// See StateSpace.
struct StateSpaceArgs {
  StepStates step = {};  // states (heads, n, d)
  Matrix x = {}, b = {}, c = {}, dt = {}, out = {};
  const float *rates = nullptr, *skips = nullptr;  // (heads)
  int64_t heads = 0, groups = 0, d = 0, n = 0;
};

struct PickRowsArgs {
  RowCount rows = {};
  Matrix x = {}, out = {};
  const int32_t* numbers = nullptr;
  int64_t n = 0;  // words of 4 bytes in a row
};

struct KvAppendArgs {
  RowCount rows = {};
  StepRows step = {};
  Matrix k = {}, v = {};  // v.data null: values are parts of keys
  int64_t d_k = 0, d_v = 0, heads = 0;
};

/// Rotates queries, if there are heads of them, and keys before these are stored: all by one table.
struct RopeAppendArgs {
  KvAppendArgs append = {};  // its keys are not rotated yet
  RopeArgs rope = {};        // of queries
};

/// Copies pages of keys that are full into the index, and sums up values.
struct IndexAppendArgs {
  RowCount rows = {};
  StepRows step = {};
  int64_t d_k = 0, d_v = 0, heads = 0;
  const float* basis = nullptr;  // (heads, d_k, d_k): a component of the index in each row; null: it has those of the keys
};

struct AttentionArgs {
  RowCount rows = {};
  StepRows step = {};
  SparseRows sparse = {};                // count.at null: all rows attend to all keys
  const int32_t* numbers = nullptr;      // of the rows in the step; null: all of the step's
  Matrix q = {}, q_kept = {}, out = {};  // q_kept.data null: kept keys meet q
  const float* sink_logits = nullptr;    // (heads), or null
  const float* slopes = nullptr;         // (heads): ALiBi's, or null
  const float* biases = nullptr;         // (heads, 2 reach + 1), or null
  int64_t reach = 0;
  const int32_t* places = nullptr;      // (rows, chosen): of the keys that rows attend to, as ChooseKeysArgs has them
  int64_t places_step = 0, chosen = 0;  // places null: rows attend to all that they see
  int64_t heads = 0, group = 1, d_k = 0, d_v = 0;
  Window window = {};
  float scale = 0, softcap = 0;
  // Of the kernels by pages:
  int head_tiles = 1, window_rows = 1;  // parts of a group that blocks have, and neighbouring rows
  bool tiled = false;                   // attention_tiles is launched, too, for neighbouring rows of a sequence
  float* parts = nullptr;               // (rows at once, heads, most parts, columns + 2): sums, top and total
  int64_t most_parts = 0;
  int64_t rows_at_once = 1, first_row = 0;
  int* counters = nullptr;  // (rows, heads): zeros, before and after
};

/// Attention to few keys (SparQ, arXiv 2312.04985): all are scored by the index, the best are attended to. The list's rows
/// from `first` on have memory, `rows_at_once` of them.
struct SparqArgs {
  AttentionArgs attention = {};
  float* scores = nullptr;       // (rows at once, heads, chunks, kChunkKeys): in powers of 2
  simt::Float2* tops = nullptr;  // (rows at once, heads, chunks): the largest, and the sum of 2^(score - largest)
  float* totals = nullptr;       // (rows at once, heads): log2 of the sum of 2^score over all
  uint16_t* ranks = nullptr;     // (rows at once, KV heads, chunks, kChunkKeys); 0: no candidate
  int32_t* least = nullptr;      // (rows at once, KV heads): the rank from which on keys are attended to
  int* bins = nullptr;           // (rows at once, KV heads, kRanks): zeros, before and after
  int* counters = nullptr;       // (rows at once, heads): likewise
  int64_t chunks = 0, rows_at_once = 1, first = 0;
  bool pages = false;                                        // pages are chosen rather than keys
  const float *key_basis = nullptr, *query_basis = nullptr;  // of the index, (KV heads, d_k, d_k): see IndexBasis; or null
};

/// See ChooseKeys.
struct ChooseKeysArgs {
  RowCount rows = {};
  StepRows step = {};
  const int32_t* numbers = nullptr;          // as AttentionArgs has them
  Matrix q = {}, q_kept = {}, weights = {};  // q_kept.data null: kept keys meet q
  int32_t* places = nullptr;
  int64_t places_step = 0;
  int64_t heads = 0, d = 0, most = 0;
  int32_t* ranks = nullptr;  // (blocks, ranks_step): each block's memory
  int64_t ranks_step = 0;
  float* queries = nullptr;  // (blocks, queries_step): likewise, of transformed queries
  int64_t queries_step = 0;
};

}  // namespace skald::gpu
