#include "backend/gpu/expert_products.h"

#include <algorithm>

#include "backend/gpu/experts.h"
#include "backend/scratch.h"
#include "base/checked.h"
#include "kernels/gpu/experts.h"

namespace skald::gpu {
namespace {

/// How choices are cut into jobs: as large as an expert's share of a full step, so that most experts have one.
struct Cut {
  Cut(int64_t choices, int64_t experts) {
    const int64_t share = ceil_div(choices, experts);
    most = share <= 8 ? 8 : share <= 16 ? 16 : 32;
    n = std::min(choices, experts) + choices / most;
  }
  int64_t most, n;  // choices of a job; jobs at most
};

/// Where jobs and sorted choices lie.
struct Lists {
  Lists(int64_t choices, int64_t experts, std::byte* base) : scratch(base) {
    jobs = scratch.take<ExpertJob>(Cut(choices, experts).n);
    sorted = scratch.take<int32_t>(choices);
  }
  Scratch scratch;
  ExpertJob* jobs;
  int32_t* sorted;
};

}  // namespace

int64_t expert_products_scratch(const ValueDesc& ids, int64_t experts) {
  return Lists(ids.shape[0] * ids.shape[1], experts, nullptr).scratch.used();
}

std::string refuse_expert_products(const GpuKernels& kernels, std::span<const ValueDesc> weights) {
  if (const int64_t experts = weights[0].shape[0]; experts > kMaxExperts)
    return fmt::format("no kernel sorts by {} experts: at most {}", experts, kMaxExperts);
  return refuse_products(kernels, kernels.expert_linear, weights, "multiplies by experts");
}

ExpertProducts::ExpertProducts(const GpuContext& cx, const GpuOpArgs& io, const TensorView& x, const TensorView& ids,
                               int64_t parts, int64_t experts, std::byte* scratch)
    : cx_(cx),
      io_(io),
      choice_(expert_choice(ids)),
      x_(matrix(x)),
      parts_(parts),
      experts_(experts),
      products_(cx, io, x, parts) {
  const Lists lists(io.rows * choice_.n, experts, scratch);
  list_ = lists.jobs;
  choices_ = lists.sorted;
}

const ExpertJobs& ExpertProducts::sorted() {
  if (jobs_.list) return jobs_;
  const Cut cut(io_.rows * choice_.n, experts_);
  jobs_ = {.list = list_, .choices = choices_, .n = static_cast<int>(cut.n), .most = static_cast<int>(cut.most)};
  jobs_.of_x = static_cast<int>(choice_.n / parts_);
  jobs_.of_out = static_cast<int>(choice_.n);
  SortExpertsArgs args{.rows = io_.count, .choice = choice_, .experts = static_cast<int>(experts_), .jobs = list_};
  args.n_jobs = jobs_.n;
  args.most = jobs_.most;
  args.choices = choices_;
  cx_.kernels.sort_experts(cx_.stream, args, io_.rows);
  return jobs_;
}

void ExpertProducts::multiply(std::span<const Product> all) {
  if (std::ranges::any_of(all, [](const Product& p) { return p.weight.packed; }))
    products_.multiply_fragments(all, sorted());
  for (const Product& p : all) {
    if (p.weight.packed) continue;
    ExpertLinearArgs args{.rows = io_.count, .x = x_, .x_part = parts_ == 1 ? 0 : p.weight.cols()};
    args.weights = {.rows = rows_of_one(p.weight), .biases = p.biases, .scales = p.scales};
    args.choice = choice_;
    args.out = p.out;
    cx_.kernels.expert_linear[p.weight.desc.format->id](cx_.stream, args, io_.rows);
  }
}

}  // namespace skald::gpu
