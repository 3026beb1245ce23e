#include "graph/ops/attention.h"

#include <algorithm>

#include "backend/gpu/gpu_op.h"
#include "backend/gpu/sparq.h"
#include "base/checked.h"
#include "base/error.h"
#include "kernels/gpu/attention.h"
#include "quant/f16/block.h"

namespace skald {

using namespace gpu;

static constexpr int64_t kMostPartBytes = 32 << 20;  // of the sums that are joined: more rows take more launches
static constexpr int64_t kFewRows = 8;               // a step of so few has no use for attention_tiles

static std::string refuse(const GpuKernels&, const Attention& a, std::span<const ValueDesc>) {
  if (a.sparse)
    if (std::string why = refuse_sparse_heads(a); !why.empty()) return why;
  if (a.d_k > kMaxKeyColumns || a.d_v > kMaxValueColumns)
    return fmt::format("no kernel has heads of {} and {}: at most {} and {}", a.d_k, a.d_v, kMaxKeyColumns,
                       kMaxValueColumns);
  return {};
}

// ALiBi's slopes.
static std::vector<std::byte> constants(const Attention& a) {
  std::vector<float> slopes(static_cast<size_t>(a.n_heads));
  if (!a.slopes(slopes.data())) return {};
  return bytes_of(slopes);
}

// Columns of a head in a cache of the widest blocks.
static int64_t most_columns(const Attention& a) { return round_up(a.d_v, 32); }
// The kept keys and the others may share a part, and begin within one.
static int64_t most_parts(const Attention& a) { return ceil_div(a.max_keys, int64_t{kPartKeys}) + 3; }
static int64_t part_bytes(const Attention& a) {
  return a.n_heads * most_parts(a) * (most_columns(a) + 2) * static_cast<int64_t>(sizeof(float));
}
static int64_t rows_at_once(const Attention& a, int64_t rows) {
  return std::clamp(kMostPartBytes / part_bytes(a), int64_t{1}, std::max(rows, int64_t{1}));
}

// Whether the kernels by pages have such heads.
static bool may_be_by_pages(const Attention& a) {
  return !a.chosen && !a.biases && a.d_k == a.d_v && a.d_k <= kAttentionWidths[std::size(kAttentionWidths) - 1];
}

static int64_t scratch(const Attention& a, std::span<const ValueDesc>, const ValueDesc& out) {
  if (!may_be_by_pages(a)) return 0;
  const int64_t rows = out.shape[0], dense = rows_at_once(a, rows) * part_bytes(a);
  return a.sparse ? std::max(dense, sparq_scratch(a, rows)) : dense;
}
static int64_t dense_counters(const Attention& a, int64_t rows) { return rows * a.n_heads; }
static int64_t counters(const Attention& a, const ValueDesc& out) {
  if (!may_be_by_pages(a)) return 0;
  return dense_counters(a, out.shape[0]) + (a.sparse ? sparq_counters(a, out.shape[0]) : 0);
}

// Whether they can read the cache, too: rows of one format, whose pieces of 16 bytes are aligned.
static bool is_by_pages(const GpuKernels& kernels, const Attention& a, const SequenceKv& kv) {
  if (!may_be_by_pages(a)) return false;
  if (kv.k_by_dimensions || kv.k_format != kv.v_format || (kv.k_format == BlockF16::kId && a.d_k % 8)) return false;
  return kernels.attention_parts[kv.k_format][width_index(a.d_k)] != nullptr;
}

static void launch_by_pages(const GpuContext& cx, const Attention& a, const GpuOpArgs& io, AttentionArgs& args) {
  const SequenceKv& kv = cx.block.cache(a.slot);
  args.tiled = io.rows > kFewRows;
  args.parts = reinterpret_cast<float*>(io.scratch);
  args.most_parts = most_parts(a);
  args.rows_at_once = rows_at_once(a, io.rows);
  args.counters = io.counters;
  const size_t width = width_index(a.d_k);
  cx.kernels.attention_parts[kv.k_format][width](cx.stream, args, io.rows);
  if (args.tiled) cx.kernels.attention_tiles[kv.k_format][width](cx.stream, args, io.rows);
}

static AttentionArgs args_of(const GpuContext& cx, const Attention& a, const GpuOpArgs& io) {
  AttentionArgs args{.rows = io.count, .step = cx.block.rows(a.slot)};
  args.q = matrix(io.in[0]);
  args.out = matrix(io.out);
  if (a.some_rows) args.numbers = io.in[Attention::rows_input(io.in.size())].as<int32_t>();
  if (a.kept_queries) args.q_kept = matrix(io.in[a.kept_input(io.in.size())]);
  if (a.sink_logits) args.sink_logits = io.in[2].as();
  if (a.alibi_max_bias > 0) args.slopes = reinterpret_cast<const float*>(io.constants);
  if (a.biases) {
    args.biases = io.in[a.biases_at()].as();
    args.reach = io.in[a.biases_at()].cols() / 2;
  }
  if (a.chosen) {
    const TensorView& places = io.in[a.chosen_input(io.in.size())];
    args.places = places.as<int32_t>();
    args.places_step = places.row_step<int32_t>();
    args.chosen = a.chosen;
  }
  args.heads = a.n_heads;
  args.group = a.n_heads / a.n_kv_heads;
  args.head_tiles = head_tiles(args.group);
  args.window_rows = window_rows(args.group);
  args.d_k = a.d_k;
  args.d_v = a.d_v;
  args.window = {a.window.size, a.window.chunk, a.window.around};
  args.scale = a.scale;
  args.softcap = a.softcap;
  return args;
}

static void record(const GpuContext& cx, const Attention& a, const GpuOpArgs& io) {
  AttentionArgs args = args_of(cx, a, io);
  const SequenceKv& kv = cx.block.cache(a.slot);
  const bool by_pages = is_by_pages(cx.kernels, a, kv), sparse = a.sparse && cx.block.sparse_rows();
  if (sparse && kv.k_by_dimensions)
    fail(Errc::kUnsupported, "--kv-layout dims: the device decodes sparsely over keys in rows");
  if (sparse) args.sparse = cx.block.sparse(a);
  if (by_pages)
    launch_by_pages(cx, a, io, args);
  else
    cx.kernels.attention(cx.stream, args, io.rows);
  if (!sparse) return;
  GpuOpArgs more = io;
  more.counters += dense_counters(a, io.rows);
  launch_sparq(cx, a, more, args, by_pages);
}

extern const GpuOp gpu_attention;
const GpuOp gpu_attention = implement_on_gpu<Attention, record, refuse, constants, scratch, counters>(op_attention);

}  // namespace skald
