#include "tools/measure/window_logits.h"

#include <algorithm>
#include <optional>

#include "base/log.h"
#include "stepping/sparq_pilot.h"

namespace skald {
namespace {

class Windows {
 public:
  Windows(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text, Positions positions,
          StepObserver* observer)
      : model_(model),
        text_(text),
        ubatch_(options.schedule.step_rows()),
        together_(std::clamp<int64_t>(ubatch_ / text.n_ctx, 1, text.count)),
        wanted_(positions == Positions::kAll ? 0 : text.first),
        sparq_(options.cache.sparq),
        compute_(model, with_room(options)) {
    compute_.runner().observe(observer);
  }

  SparqReport run(const std::function<void(const WindowLogits&)>& take) {
    for (int64_t chunk = 0; chunk < text_.count; chunk += together_) {
      begin(chunk, std::min(together_, text_.count - chunk));
      for (int64_t done = 0; done < text_.n_ctx;) done = step(chunk, done, take);
    }
    return {compute_.runner().sparq_use(), compute_.runner().sparq_layers()};
  }

 private:
  struct Window {
    std::vector<TokenId> tokens;
    KvSequence sequence;
    std::optional<SparqPilot> pilot = {};

    std::span<const TokenId> part(int64_t from, int64_t n) const {
      return std::span(tokens).subspan(static_cast<size_t>(from), static_cast<size_t>(n));
    }
  };

  EngineOptions with_room(EngineOptions options) const {
    options.cache.n_ctx = text_.n_ctx;
    options.schedule.n_parallel = together_;
    return options;
  }

  void begin(int64_t chunk, int64_t n) {
    windows_.clear();
    for (int64_t i = 0; i < n; ++i) {
      windows_.push_back({text_.window(chunk + i), compute_.runner().new_sequence()});
      windows_.back().sequence.set_prefix(model_.prefix_length(windows_.back().tokens));
      if (sparq_.measures()) windows_.back().pilot.emplace(sparq_);
    }
  }

  bool is_sparse(int64_t done) const { return sparq_.on() && done >= text_.first; }

  // The tokens that the next step takes of each window. Sparse ones are a step of their own, and those that are measured
  // are of one page.
  int64_t step_size(int64_t done) const {
    const int64_t most = std::max<int64_t>(ubatch_ / static_cast<int64_t>(windows_.size()), 1);
    const int64_t left = (sparq_.on() && done < text_.first ? text_.first : text_.n_ctx) - done;
    const int64_t of_page = is_sparse(done) && sparq_.measures() ? SparqPilot::rows_alike(done) : left;
    return std::min({most, left, of_page});
  }

  int64_t step(int64_t chunk, int64_t done, const std::function<void(const WindowLogits&)>& take) {
    const int64_t n = step_size(done), end = done + n, outputs = std::max<int64_t>(end - std::max(done, wanted_), 0);
    std::vector<StepItem> items;
    items.reserve(windows_.size());
    for (Window& w : windows_)
      items.push_back({.kv = &w.sequence,
                       .tokens = w.part(done, n),
                       .n_outputs = outputs,
                       .decode = is_sparse(done),
                       .pilot = w.pilot && is_sparse(done) ? &*w.pilot : nullptr,
                       .before = w.part(0, done)});
    const Logits logits = compute_.runner().run(items);
    for (int64_t i = 0; outputs > 0 && i < static_cast<int64_t>(items.size()); ++i)
      take({chunk + i, end - outputs, logits.rows(i * outputs, outputs).data(), outputs});
    return end;
  }

  const LoadedModel& model_;
  const TokenChunks& text_;
  int64_t ubatch_, together_, wanted_;
  SparqParams sparq_;
  Compute compute_;
  std::vector<Window> windows_;
};

}  // namespace

void warn_beyond_training(const LoadedModel& model, int64_t n_ctx) {
  if (n_ctx > model.n_ctx_scaled())
    log(LogLevel::kWarn, "a context of {} tokens is more than the {} that the model was made for", n_ctx,
        model.n_ctx_train());
}

SparqReport compute_windows(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                            Positions positions, StepObserver* observer,
                            const std::function<void(const WindowLogits&)>& take) {
  warn_beyond_training(model, text.n_ctx);
  return Windows(model, options, text, positions, observer).run(take);
}

}  // namespace skald
