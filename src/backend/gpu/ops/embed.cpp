#include "graph/ops/embed.h"

#include "backend/embedding_ids.h"
#include "backend/gpu/gpu_op.h"
#include "base/error.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels& kernels, const NoAttrs&, std::span<const ValueDesc> in) {
  return refuse_formats(kernels.embed, in.subspan(1, 1), "reads a table");
}

static void check(std::span<const TensorView> in) {
  if (!in[0].data) fail(Errc::kInternal, "embed: its ids are no input of the step");
  check_embedding_ids({in[0].as<int32_t>(), static_cast<size_t>(in[0].desc.shape[0])}, in[1].rows());
}

static void record(const GpuContext& cx, const NoAttrs&, const GpuOpArgs& io) {
  const EmbedArgs args{io.count, io.in[0].as<int32_t>(), weight_rows(io.in[1]), matrix(io.out)};
  cx.kernels.embed[io.in[1].desc.format->id](cx.stream, args, io.rows);
}

extern const GpuOp gpu_embed;
const GpuOp gpu_embed = with_check(implement_on_gpu<NoAttrs, record, refuse>(op_embed), check);

}  // namespace skald
