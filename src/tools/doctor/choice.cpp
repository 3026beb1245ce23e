#include "tools/doctor/choice.h"

#include <algorithm>
#include <array>

#include "base/cpu_placement.h"
#include "kv/spec.h"
#include "loading/loaded_model.h"
#include "stepping/cache_options.h"
#include "tools/doctor/shape_need.h"
#include "tools/synth/model_shape.h"

namespace skald {
namespace {

constexpr int64_t kContext = 32768;  // a long chat, or a long text: docs/choose-a-model.md has the same

// As skald run computes: one text at a time.
EngineOptions run_options(int64_t n_ctx, bool small_cache) {
  EngineOptions out;
  out.schedule.n_parallel = 1;
  out.cache.n_ctx = n_ctx;
  if (small_cache) {
    out.cache.type_k = kSmallCache.k;
    out.cache.type_v = kSmallCache.v;
  }
  return out;
}

double most_per_s(const MemoryFacts& memory, double bytes) { return bytes > 0 ? memory.read_gb_per_s * 1e9 / bytes : 0; }

// In the best form that fits; nullopt: none does.
std::optional<FittingModel> fitting(const std::string& shape, const MemoryFacts& memory) {
  struct Form {
    const char* type;
    bool small_cache;
  };
  constexpr std::array kForms = {Form{"q8_0", false}, Form{"q4_k", false}, Form{"q4_k", true}};
  for (const auto& [type, small_cache] : kForms) {
    const ShapeNeed need = shape_need({.shape = shape, .type = type}, run_options(kContext, small_cache));
    if (need.memory.all() <= memory.usable())
      return FittingModel{.shape = shape,
                          .type = type,
                          .small_cache = small_cache,
                          .bytes = need.memory.all(),
                          .most_tokens_per_s = most_per_s(memory, need.token_bytes)};
  }
  return std::nullopt;
}

std::vector<FittingModel> fitting_models(const MemoryFacts& memory) {
  std::vector<FittingModel> out;
  for (const std::string& shape : shape_names())
    if (find_shape(shape).n_ctx >= kContext)
      if (auto model = fitting(shape, memory)) out.push_back(std::move(*model));
  std::ranges::sort(out, std::greater(), &FittingModel::bytes);
  return out;
}

ModelChoice choice_for(const LoadedModel& model, const MemoryFacts& memory) {
  const int64_t trained = model.n_ctx_scaled();
  const FittingContext fit = fitting_context(model, run_options(trained, false), memory.usable());
  const FittingContext small = fitting_context(model, run_options(trained, true), memory.usable());
  return {.name = model.name(),
          .type = model.main_format(),
          .weight_bytes = model.weight_bytes(),
          .cache_bytes = fit.need.cache,
          .work_bytes = fit.need.work,
          .trained = trained,
          .context = fit.n_ctx,
          .small_context = small.n_ctx,
          .streams = fit.streams,
          .most_tokens_per_s = most_per_s(memory, token_bytes(model.build_graph({})))};
}

}  // namespace

MachineChoice choose(const MachineFacts& facts, const LoadedModel* model) {
  const EngineOptions options;
  const CpuFacts& cpu = facts.cpu;
  const Machine machine{.present = cpu.present, .usable = cpu.usable, .nodes = {cpu.present}, .quota = cpu.quota};
  MachineChoice out{.device = options.device.device,
                    .threads = plan_threads(options.device, machine).threads,
                    .tier = cpu.tier,
                    .k_type = options.cache.type_k,
                    .v_type = options.cache.type_v,
                    .layout = std::string(key_layout(storage_of(options.cache)).name),
                    .context = kContext,
                    .models = fitting_models(facts.memory)};
  if (model) {
    out.mapped = model->file_bytes() > 0;
    out.model = choice_for(*model, facts.memory);
  }
  return out;
}

}  // namespace skald
