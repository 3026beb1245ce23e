#include "graph/ops/embed.h"

#include "backend/embedding_ids.h"
#include "backend/gpu/gpu_op.h"
#include "base/error.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const NoAttrs&, std::span<const ValueDesc> in) {
  return refuse_formats(kernels.embed, in.subspan(1, 1), "reads a table");
}

static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  const auto* ids = reinterpret_cast<const int32_t*>(io.host[0]);
  if (!ids) fail(Errc::kInternal, "embed: its ids are no input of the step");
  check_embedding_ids({ids, static_cast<size_t>(io.there)}, io.in[1].rows());
  const EmbedArgs args{io.count, io.in[0].as<int32_t>(), weight_rows(io.in[1]), matrix(io.out)};
  cx.kernels.embed[io.in[1].desc.format->id](cx.stream, args, io.rows);
}

extern const GpuOp gpu_embed;
const GpuOp gpu_embed = implement_on_gpu<NoAttrs, record, refuse>(op_embed);

}  // namespace skald
