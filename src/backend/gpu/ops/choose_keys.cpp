#include "graph/ops/choose_keys.h"

#include <algorithm>

#include "backend/gpu/gpu_op.h"
#include "base/checked.h"
#include "kernels/api/kv_page.h"
#include "kernels/gpu/choose_keys.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels&, const ChooseKeys& a, std::span<const ValueDesc>) {
  if (a.d <= kMaxIndexColumns) return {};
  return fmt::format("no kernel has an indexer's heads of {}: at most {}", a.d, kMaxIndexColumns);
}

// Numbers of 4 bytes in the memory of a block: ranks of keys, then queries of both kinds, filled up to whole blocks of the
// cache.
static int64_t ranks_of(const ChooseKeys& a) { return round_up(a.max_keys, kPageKeys); }
static int64_t queries_of(const ChooseKeys& a) { return 2 * a.heads * round_up(a.d, kPageKeys); }

static int64_t blocks_of(int64_t rows) { return std::min(rows, kMostChoosingBlocks); }

static int64_t scratch(const ChooseKeys& a, std::span<const ValueDesc>, const ValueDesc& out) {
  return blocks_of(out.shape[0]) * (ranks_of(a) + queries_of(a)) * static_cast<int64_t>(sizeof(float));
}

static void record(const GpuContext& cx, const ChooseKeys& a, const GpuOpArgs& io) {
  ChooseKeysArgs args{.rows = io.count, .step = cx.block.rows(a.slot)};
  if (a.some_rows) args.numbers = io.in.back().as<int32_t>();
  args.q = matrix(io.in[0]);
  if (a.kept_queries) args.q_kept = matrix(io.in[3]);
  args.weights = matrix(io.in[1]);
  args.places = io.out.as<int32_t>();
  args.places_step = io.out.row_step<int32_t>();
  args.heads = a.heads;
  args.d = a.d;
  args.most = a.most;
  args.ranks = reinterpret_cast<int32_t*>(io.scratch);
  args.ranks_step = ranks_of(a);
  args.queries = reinterpret_cast<float*>(io.scratch) + blocks_of(io.rows) * args.ranks_step;
  args.queries_step = queries_of(a);
  cx.kernels.choose_keys(cx.stream, args, io.rows);
}

extern const GpuOp gpu_choose_keys;
const GpuOp gpu_choose_keys = implement_on_gpu<ChooseKeys, record, refuse, nullptr, scratch>(op_choose_keys);

}  // namespace skald
