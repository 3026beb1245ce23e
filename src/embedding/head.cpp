#include "embedding/head.h"

#include <algorithm>
#include <bit>

#include "stepping/logits.h"

namespace skald {

Head::Head(const LoadedModel& model, Backend& backend, bool scores) : model_(model), backend_(backend), scores_(scores) {
  const Graph graph = model.build_head(1, scores);
  weights_ = backend.load(graph, *model.step_model().weights);
  const Node& last = graph.node(graph.output(output_names::kHead));
  width_ = last.out.shape.back();
  empty_ = last.source == Source::kInput;
}

Program& Head::program(int64_t texts) {
  const auto most = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(texts)));
  std::unique_ptr<Program>& program = programs_[most];
  if (!program) program = backend_.compile(model_.build_head(most, scores_), *weights_);
  return *program;
}

std::vector<float> Head::run(std::span<const std::vector<float>> pooled) {
  std::vector<float> out;
  if (empty_ || pooled.empty()) {
    for (const std::vector<float>& states : pooled) out.insert(out.end(), states.begin(), states.end());
    return out;
  }
  const int64_t d = model_.d_states(), bytes = d * static_cast<int64_t>(sizeof(float)), texts = std::ssize(pooled);
  DeviceMemory& memory = backend_.memory();
  if (!rows_ || rows_->size() < texts * bytes) rows_ = memory.allocate(texts * bytes);
  for (int64_t i = 0; i < texts; ++i)
    memory.write(rows_->data() + i * bytes, reinterpret_cast<const std::byte*>(pooled[static_cast<size_t>(i)].data()),
                 bytes);
  const BoundValue bound{.data = rows_->data()};
  StepArgs args;
  args.bound = {&bound, 1};
  args.stats.n_tokens = args.stats.n_outputs = texts;
  const Logits rows(program(texts).run(args).at(output_names::kHead));
  for (int64_t i = 0; i < texts; ++i) out.insert(out.end(), rows.row(i).begin(), rows.row(i).end());
  return out;
}

}  // namespace skald
