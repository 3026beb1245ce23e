#include "tools/measure/perplexity.h"

#include <memory>
#include <optional>

#include "tools/measure/reference_file.h"
#include "tools/measure/row_losses.h"

namespace skald {
namespace {

class PerplexityMeasurement {
 public:
  PerplexityMeasurement(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                        const PerplexityExtras& extras)
      : n_vocab_(model.n_vocab()), text_(text), extras_(extras), losses_(options, text, n_vocab_) {
    if (!extras.save_reference.empty()) writer_.emplace(extras.save_reference, text, n_vocab_);
  }

  void take(const WindowLogits& window) {
    if (writer_)
      save(window, *writer_);
    else
      add(losses_.of(window, [](const RowLoss&, int64_t) {}));
    if (window.first + window.rows == text_.n_ctx && extras_.on_window)
      extras_.on_window({window.chunk + 1, text_.count, std::exp(loss_.mean())});
  }

  MeanError finish() {
    if (writer_) writer_->commit();
    return loss_;
  }

 private:
  void add(std::span<const RowLoss> rows) {
    for (const RowLoss& row : rows) loss_.add(row.loss());
  }

  void save(const WindowLogits& window, ReferenceWriter& writer) {
    const auto length = static_cast<size_t>(ReferenceRow::length(n_vocab_));
    codes_.resize(static_cast<size_t>(losses_.count(window)) * length);
    add(losses_.of(window, [&](const RowLoss& row, int64_t i) {
      ReferenceRow::encode(row.logits, row.softmax, std::span(codes_).subspan(static_cast<size_t>(i) * length, length));
    }));
    writer.write(codes_);
  }

  int64_t n_vocab_;
  const TokenChunks& text_;
  const PerplexityExtras& extras_;
  RowLosses losses_;
  MeanError loss_;
  std::optional<ReferenceWriter> writer_;
  std::vector<uint16_t> codes_;  // of a step's rows
};

}  // namespace

PerplexityResult measure_perplexity(const LoadedModel& model, const EngineOptions& options, const TokenChunks& text,
                                    const PerplexityExtras& extras) {
  PerplexityMeasurement measurement(model, options, text, extras);
  const SparqReport sparq = compute_windows(model, options, text, extras.positions, extras.observer,
                                            [&](const WindowLogits& window) { measurement.take(window); });
  return {.model = model.name(),
          .type = model.main_format(),
          .n_ctx = text.n_ctx,
          .stride = text.step == text.n_ctx ? 0 : text.step,
          .chunks = text.count,
          .loss = measurement.finish(),
          .sparq = sparq};
}

}  // namespace skald
