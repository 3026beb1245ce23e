#include "stepping/sparq_meter.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "kv/cache.h"
#include "sampling/softmax.h"
#include "stepping/residual_norms.h"
#include "stepping/sparq_layers.h"
#include "stepping/sparq_pilot.h"

namespace skald {
namespace {

// A copy of the sequence that lacks its last rows; none where it cannot go back.
std::optional<KvSequence> copy_before(const StepItem& item, int64_t rows) {
  std::optional<KvSequence> copy;
  if (std::ssize(item.before) >= rows) copy = item.kv->fork_before(item.kv->length() - rows);
  if (!copy) log(LogLevel::kDebug, "sparse decoding is not measured: the text cannot go back {} tokens", rows);
  return copy;
}

// Where the cache has no room for the copies, nothing is measured.
template <class Fn>
void where_there_is_room(Fn measure) {
  try {
    measure();
  } catch (const Error& e) {
    if (e.code() != Errc::kNoMemory) throw;
    log(LogLevel::kDebug, "sparse decoding is not measured: {}", e.what());
  }
}

// The rows of a trial. Where full pages hold codes, it begins at a page's border: what came from the disk
// or from another text has no keys as they came, and is to be measured as if it were computed here.
int64_t trial_rows(const KvSpec& spec, int64_t length) {
  constexpr int64_t rows = SparqPilot::kTrialRows;
  return spec.has_codes() ? rows + std::max<int64_t>(0, length - rows) % kPageKeys : rows;
}

// The bytes that a KV head reads of n keys when it is dense.
double head_bytes(const KvSpec& spec, const AttentionState& a, int64_t n_keys) {
  const auto keys = static_cast<double>(a.window ? std::min(a.window, n_keys) : n_keys);
  return keys * (static_cast<double>(a.d_k) * spec.key_number_bytes() +
                 static_cast<double>(a.d_v) * spec.v_format->bytes_per_number());
}

/// What each head lost in some steps.
class HeadErrors {
 public:
  explicit HeadErrors(const KvSpec& spec) : spec_(spec), norms_(spec.slots.size()) {
    for (const AttentionState& a : attention_states(spec.slots)) heads_ = std::max(heads_, a.n_kv_heads);
    sums_.resize(spec.slots.size() * static_cast<size_t>(heads_));
  }

  Probe probe(const SparqParams& params, int64_t rows) {
    errors_.assign(sums_.size() * static_cast<size_t>(rows), 0);
    return {.policy = {.params = &params, .heads = heads_, .errors = errors_.data(), .rows = rows}, .observer = &norms_};
  }
  // The step with the last probe is done.
  void add(int64_t rows) {
    for (size_t i = 0; i < sums_.size(); ++i)
      for (int64_t r = 0; r < rows; ++r) sums_[i] += static_cast<double>(errors_[i * static_cast<size_t>(rows) + r]);
  }

  int64_t heads() const { return heads_; }
  std::vector<HeadLoss> losses(int64_t n_keys) const {
    std::vector<HeadLoss> losses(sums_.size());
    for (size_t slot = 0; slot < spec_.slots.size(); ++slot) {
      if (!spec_.is_attention(static_cast<int64_t>(slot)) || norms_.squares()[slot] <= 0) continue;
      const AttentionState& a = spec_.attention(static_cast<int64_t>(slot));
      for (int64_t head = 0; head < a.n_kv_heads; ++head) {
        const size_t i = slot * static_cast<size_t>(heads_) + static_cast<size_t>(head);
        losses[i] = {sums_[i] / norms_.squares()[slot], head_bytes(spec_, a, n_keys)};
      }
    }
    return losses;
  }

 private:
  const KvSpec& spec_;
  ResidualNorms norms_;
  int64_t heads_ = 0;
  std::vector<double> sums_;   // (slots, heads)
  std::vector<float> errors_;  // (slots, heads, rows of a step)
};

}  // namespace

// All rows have outputs: the last layer leaves out others.
Logits SparqMeter::compute(KvSequence& kv, std::span<const TokenId> tokens, const Probe& probe) const {
  return compute_({.kv = &kv, .tokens = tokens, .n_outputs = std::ssize(tokens), .decode = true, .draft = true}, probe);
}

void SparqMeter::before(std::span<const StepItem> items) {
  checks_.assign(items.size(), {});
  for (size_t i = 0; i < items.size(); ++i) {
    const StepItem& item = items[i];
    if (!item.pilot) continue;
    const int64_t at = item.kv->length();
    if (item.pilot->has_begun(at)) continue;
    if (item.pilot->wants_trial()) try_out(item);
    item.pilot->begin_page(at);
    if (item.pilot->wants_check(at) && item.n_outputs == std::ssize(item.tokens)) checks_[i] = check(item);
  }
}

// The part of all layers with keys in which the item's first row reads few of them.
double SparqMeter::sparse_layers(const StepItem& item) const {
  const int64_t n = item.kv->held() + 1;
  int64_t few = 0, all = 0;
  for (const SparqLayers& l : sparq_layers(item.pilot->params(), cache_.spec(), cache_.limits(), bases_)) {
    all += l.layers;
    if (l.from > 0 && l.from <= std::min(n, l.most_keys)) few += l.layers;
  }
  return all ? static_cast<double>(few) / static_cast<double>(all) : 0;
}

void SparqMeter::try_out(const StepItem& item) {
  const double sparse = sparse_layers(item);
  if (sparse == 0) return;
  item.pilot->end_trial(sparse);
  where_there_is_room([&] { measure(item); });
}

// fn(some tokens) for the last ones before the item's, in steps that are not too long.
template <class Fn>
void SparqMeter::in_steps(const StepItem& item, int64_t rows, Fn fn) const {
  const int64_t most = std::min(rows, cache_.limits().max_rows);
  const auto last = item.before.last(static_cast<size_t>(rows));
  for (int64_t at = 0; at < rows; at += most)
    fn(last.subspan(static_cast<size_t>(at), static_cast<size_t>(std::min(most, rows - at))));
}

// The last rows before the item's are computed densely again, and say what each head would lose if all read as much.
void SparqMeter::measure(const StepItem& item) {
  SparqPilot& pilot = *item.pilot;
  const int64_t rows = trial_rows(cache_.spec(), item.kv->length());
  std::optional<KvSequence> dense = copy_before(item, rows);
  if (!dense) return;
  std::optional<KvSequence> few;
  if (pilot.params().loss > 0) few = dense->fork();
  std::optional<HeadErrors> errors;
  if (pilot.params().shares()) errors.emplace(cache_.spec());
  std::vector<float> logits;
  in_steps(item, rows, [&](std::span<const TokenId> some) {
    const int64_t n = std::ssize(some);
    const Logits of_some = compute(*dense, some, errors ? errors->probe(pilot.params(), n) : Probe{});
    if (errors) errors->add(n);
    const std::span<const float> seen = few ? of_some.rows(0, n) : std::span<const float>();
    logits.insert(logits.end(), seen.begin(), seen.end());
  });
  if (errors) pilot.take_heads(errors->losses(dense->held()), errors->heads());
  if (few) pilot.take_trial(nats_of(item, rows, *few, logits) / static_cast<double>(rows), rows);
}

// The sum of the rows' losses. Sparse rows see the keys of sparse ones, as those to come will.
double SparqMeter::nats_of(const StepItem& item, int64_t rows, KvSequence& few, std::span<const float> dense) {
  const int64_t columns = std::ssize(dense) / rows;
  double nats = 0;
  in_steps(item, rows, [&](std::span<const TokenId> some) {
    const int64_t n = std::ssize(some);
    nats += divergences(dense.first(static_cast<size_t>(n * columns)),
                        compute(few, some, {.policy = item.pilot->trial_policy()}));
    dense = dense.subspan(static_cast<size_t>(n * columns));
  });
  rows_ += rows;
  return nats;
}

// Of the rows of `few`, beside as many dense ones; the sum.
double SparqMeter::divergences(std::span<const float> dense, const Logits& few) {
  const auto n = static_cast<size_t>(few.cols());
  double sum = 0;
  for (int64_t i = 0; i < few.rows(); ++i)
    sum += divergence(dense.subspan(static_cast<size_t>(i) * n, n), few.row(i), work_);
  return sum;
}

std::vector<float> SparqMeter::check(const StepItem& item) const {
  std::vector<float> row;
  where_there_is_room([&] {
    std::optional<KvSequence> copy = copy_before(item, 0);
    if (!copy) return;
    const Logits logits = compute(*copy, item.tokens.first(1), {});
    row.assign(logits.row(0).begin(), logits.row(0).end());
  });
  return row;
}

void SparqMeter::after(std::span<const StepItem> items, const Logits& logits) {
  int64_t row = 0;
  for (size_t i = 0; i < items.size(); row += items[i++].n_outputs) {
    if (checks_[i].empty()) continue;
    const int64_t at = items[i].kv->length() - std::ssize(items[i].tokens);
    items[i].pilot->take_check(at, divergence(checks_[i], logits.row(row), work_));
    ++rows_;
  }
}

}  // namespace skald
