#include "tools/measure/divergence.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "tools/measure/row_divergence.h"

namespace skald {
namespace {

// Less likely tokens all have the least code of their row, which says nothing about them.
constexpr double kLeastLog = -16;

/// One predicted position beside the reference.
struct Comparison {
  double divergence = 0, reference_loss = 0;
  bool same_top = false;
};

Comparison compare(const RowLoss& row, const ReferenceRow& reference) {
  double largest = -HUGE_VAL;
  int64_t best = 0;
  const double divergence = row_divergence(row, [&](int64_t i) {
    const double log_p = reference.log_p(i);
    if (log_p > largest) {
      largest = log_p;
      best = i;
    }
    return log_p > kLeastLog ? log_p : -HUGE_VAL;
  });
  return {divergence, -reference.log_p(row.target), best == row.softmax.best};
}

class DivergenceMeasurement {
 public:
  DivergenceMeasurement(const ReferenceFile& reference, const TokenChunks& text, const EngineOptions& options,
                        DivergenceResult& out)
      : reference_(reference), text_(text), losses_(options, text, reference.n_vocab()), out_(out) {}

  void take(const WindowLogits& window, const OnWindow& on_window) {
    read(window);
    std::vector<Comparison> compared(rows_.size());
    const std::span<const RowLoss> rows = losses_.of(window, [&](const RowLoss& row, int64_t i) {
      compared[static_cast<size_t>(i)] = compare(row, rows_[static_cast<size_t>(i)]);
    });
    for (size_t i = 0; i < rows.size(); ++i) add(rows[i].loss(), compared[i]);
    if (window.first + window.rows == text_.n_ctx && on_window)
      on_window({window.chunk + 1, text_.count, out_.perplexity()});
  }

 private:
  void read(const WindowLogits& window) {
    rows_.clear();
    const int64_t from = std::max(window.first, text_.first) - reference_.first();
    for (int64_t i = 0; i < losses_.count(window); ++i) rows_.push_back(reference_.row(window.chunk, from + i));
  }

  void add(double loss, const Comparison& c) {
    const double delta = std::exp(-loss) - std::exp(-c.reference_loss);
    out_.loss.add(loss, c.reference_loss);
    out_.divergence.add(c.divergence);
    out_.delta_p.add(delta);
    out_.delta_p_squared.add(delta * delta);
    out_.same_top.add(c.same_top ? 1 : 0);
    out_.divergences.push_back(static_cast<float>(c.divergence));
    out_.deltas.push_back(static_cast<float>(delta));
  }

  const ReferenceFile& reference_;
  const TokenChunks& text_;
  RowLosses losses_;
  DivergenceResult& out_;
  std::vector<ReferenceRow> rows_;
};

// The reference's windows, of whose predictions the `last` ones are wanted.
TokenChunks windows_of(const ReferenceFile& reference, std::optional<TokenId> bos, int64_t last) {
  TokenChunks out =
      cut_tokens(reference.tokens(), bos, {.n_ctx = reference.n_ctx(), .stride = 0, .most = reference.chunks()});
  if (last < 0 || last > out.predicted())
    fail(Errc::kBadInput, "want at most the {} predictions that a window of the reference has, not {}", out.predicted(),
         last);
  if (last > 0) out.first = out.n_ctx - 1 - last;
  return out;
}

}  // namespace

double DivergenceResult::delta_p_rms_error() const {
  return delta_p_rms() > 0 ? delta_p_squared.error() / (2 * delta_p_rms()) : 0;
}

DivergenceResult measure_divergence(const LoadedModel& model, const EngineOptions& options, const ReferenceFile& reference,
                                    std::optional<TokenId> bos, const OnWindow& on_window, int64_t last) {
  if (reference.n_vocab() != model.n_vocab())
    fail(Errc::kBadInput, "the reference is of a vocabulary of {} tokens, the model has {}", reference.n_vocab(),
         model.n_vocab());
  const TokenChunks text = windows_of(reference, bos, last);
  DivergenceResult out{
      .model = model.name(), .type = model.main_format(), .n_ctx = reference.n_ctx(), .chunks = reference.chunks()};
  DivergenceMeasurement measurement(reference, text, options, out);
  out.sparq = compute_windows(model, options, text, Positions::kPredicting, nullptr,
                              [&](const WindowLogits& window) { measurement.take(window, on_window); });
  std::ranges::sort(out.divergences);
  std::ranges::sort(out.deltas);
  return out;
}

void check_same_text(const TokenChunks& text, const ReferenceFile& reference) {
  if (text.n_ctx != reference.n_ctx())
    fail(Errc::kBadInput, "the reference is of windows of {} tokens, not {}", reference.n_ctx(), text.n_ctx);
  const std::vector<TokenId>& want = reference.tokens();
  if (text.tokens.size() < want.size())
    fail(Errc::kBadInput, "the reference is of {} tokens, the text has {}", want.size(), text.tokens.size());
  const auto at = std::ranges::mismatch(want, text.tokens).in1 - want.begin();
  if (at < static_cast<int64_t>(want.size()))
    fail(Errc::kBadInput,
         "the reference is of another text, or another tokenizer made its tokens: they differ from token {}", at);
}

double quantile(std::span<const float> values, double share) {
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at), above = std::min(below + 1, values.size() - 1);
  const double part = at - static_cast<double>(below);
  return (1 - part) * static_cast<double>(values[below]) + part * static_cast<double>(values[above]);
}

}  // namespace skald
