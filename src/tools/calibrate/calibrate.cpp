#include "tools/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>

#include "base/cpu_placement.h"
#include "base/error.h"
#include "loading/calibration.h"
#include "skald/sparq_params.h"
#include "tools/calibrate/moment_collector.h"

namespace skald {
namespace {

bool has_basis(const MomentCollector::Layer& layer) {
  const int64_t most = layer.window.size && layer.window.chunk ? std::min(layer.window.size, layer.window.chunk)
                                                               : std::max(layer.window.size, layer.window.chunk);
  return most == 0 || most >= SparqParams::kIndexFrom;
}

void want_finite_sums(const MomentCollector::Layer& layer) {
  for (const auto* moments : {&layer.keys, &layer.queries})
    for (const Moments& m : *moments)
      if (!std::ranges::all_of(m.products, [](double x) { return std::isfinite(x); }))
        fail(Errc::kBadInput, "{}attention: keys or queries that are not finite", layer.name);
}

LayerBasis basis_of(const MomentCollector::Layer& layer, ThreadPool& pool) {
  want_finite_sums(layer);
  const int64_t heads = std::ssize(layer.keys), d = layer.keys.front().d;
  const auto numbers = static_cast<size_t>(heads * d * d);
  LayerBasis out{layer.name, heads, d, std::vector<float>(numbers), std::vector<float>(numbers)};
  pool.dynamic(heads, [&](int64_t head, int) {
    const auto i = static_cast<size_t>(head);
    const BalancedBasis basis = balanced_basis(layer.keys[i], layer.queries[i]);
    std::ranges::copy(basis.keys, out.keys.begin() + head * d * d);
    std::ranges::copy(basis.queries, out.queries.begin() + head * d * d);
  });
  return out;
}

}  // namespace

CalibratedModel calibrate(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                          const std::string& out, const CalibrateOptions& more) {
  ThreadPool pool(plan_threads(options.device, this_machine()).threads_batch);
  MomentCollector collector(pool);
  CalibratedModel made;
  made.perplexity = measure_perplexity(model, options, text, {.observer = &collector, .on_window = more.on_window});
  std::vector<LayerBasis> layers;
  for (const auto& [slot, layer] : collector.layers()) {
    if (has_basis(layer))
      layers.push_back(basis_of(layer, pool));
    else
      ++made.windows;
  }
  if (layers.empty()) fail(Errc::kBadInput, "model {}: no layer attends to more keys than a short window's", model.name());
  made.layers = std::ssize(layers);
  write_calibration(out, ModelMark(model.weights()),
                    {.model = model.name(), .dataset = more.dataset, .tokens = text.count * text.n_ctx}, layers);
  return made;
}

}  // namespace skald
