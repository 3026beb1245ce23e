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

// Rows of a step: logits of each are as long as a vocabulary.
constexpr int64_t kStepRows = 32;

std::span<const float> row_of(const Logits& logits, int64_t i) {
  return {logits.row(i), static_cast<size_t>(logits.cols())};
}

// A copy of the sequence that lacks its last rows; none where it cannot go back.
std::optional<KvSequence> copy_before(const StepItem& item, int64_t rows) {
  std::optional<KvSequence> copy;
  if (std::ssize(item.before) >= rows) copy = item.kv->fork_before(item.kv->length() - rows);
  if (!copy) log(LogLevel::kDebug, "sparse decoding is not measured: the text cannot go back {} tokens", rows);
  return copy;
}

// The rows of a trial of `rows` or more. Where full pages hold codes, it begins at a page's border: what came from the disk
// or from another text has no keys as they came, and is to be measured as if it were computed here.
int64_t trial_rows(const KvSpec& spec, int64_t length, int64_t rows) {
  return spec.has_codes() ? rows + std::max<int64_t>(0, length - rows) % kPageKeys : rows;
}

// The bytes that a KV head reads of n keys when it is dense.
double head_bytes(const KvSpec& spec, const AttentionState& a, int64_t n_keys) {
  const auto keys = static_cast<double>(a.window ? std::min(a.window, n_keys) : n_keys);
  return keys * (static_cast<double>(a.d_k) * spec.key_number_bytes() +
                 static_cast<double>(a.d_v) * spec.v_format->bytes_per_number());
}

/// A way of reading few keys that a trial compares.
struct Way {
  SparqPolicy policy;
  KvSequence copy;
  double nats = 0;  // the sum of its rows
};

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

Logits SparqMeter::compute(KvSequence& kv, std::span<const TokenId> tokens, const Probe& probe, bool decode) const {
  return compute_({.kv = &kv, .tokens = tokens, .n_outputs = std::ssize(tokens), .decode = decode, .draft = true}, probe);
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

// Whether the item's first row reads few of its keys in some layer.
bool SparqMeter::reads_few(const StepItem& item) const {
  const std::vector<SparqLayers> layers = sparq_layers(item.pilot->params(), cache_.spec(), cache_.limits(), bases_);
  const int64_t n = item.kv->held() + 1;
  return std::ranges::any_of(layers, [n](const SparqLayers& l) { return l.from > 0 && l.from <= std::min(n, l.most_keys); });
}

// Where the cache has no room for the copies, nothing is measured.
void SparqMeter::try_out(const StepItem& item) {
  if (!reads_few(item)) return;
  item.pilot->end_trial();
  try {
    if (item.pilot->params().shares()) find_heads(item);
    find_nats(item);
  } catch (const Error& e) {
    if (e.code() != Errc::kNoMemory) throw;
    log(LogLevel::kDebug, "sparse decoding is not measured: {}", e.what());
  }
}

// fn(some tokens) for the last ones before the item's, in steps that are not too long.
template <class Fn>
void SparqMeter::in_steps(const StepItem& item, int64_t rows, Fn fn) const {
  const int64_t most = std::min(kStepRows, cache_.limits().max_rows);
  const auto last = item.before.last(static_cast<size_t>(rows));
  for (int64_t at = 0; at < rows; at += most)
    fn(last.subspan(static_cast<size_t>(at), static_cast<size_t>(std::min(most, rows - at))));
}

// The last rows before the item's, with the same bytes for all heads.
void SparqMeter::find_heads(const StepItem& item) {
  const int64_t rows = trial_rows(cache_.spec(), item.kv->length(), SparqPilot::kHeadRows);
  std::optional<KvSequence> copy = copy_before(item, rows);
  if (!copy) return;
  HeadErrors errors(cache_.spec());
  in_steps(item, rows, [&](std::span<const TokenId> some) {
    compute(*copy, some, errors.probe(item.pilot->params(), std::ssize(some)), /*decode=*/true);
    errors.add(std::ssize(some));
  });
  item.pilot->take_heads(errors.losses(copy->held()), errors.heads());
}

// Sparse rows see the keys of sparse ones, as those to come will. Shares stay where they lose less than none.
void SparqMeter::find_nats(const StepItem& item) {
  const int64_t rows = trial_rows(cache_.spec(), item.kv->length(), SparqPilot::trial_rows(item.kv->held()));
  std::optional<KvSequence> dense = copy_before(item, rows);
  if (!dense) return;
  std::vector<Way> ways;
  const auto add = [&](const SparqPolicy& policy) { ways.push_back({policy, dense->fork()}); };
  add(item.pilot->trial_policy());
  if (ways[0].policy.shares) add({.params = ways[0].policy.params});
  in_steps(item, rows, [&](std::span<const TokenId> some) {
    const Logits logits = compute(*dense, some, {}, /*decode=*/false);
    std::vector<float> kept;
    for (int64_t i = 0; i < logits.rows(); ++i) kept.insert(kept.end(), logits.row(i), logits.row(i) + logits.cols());
    for (Way& way : ways) way.nats += divergences(kept, compute(way.copy, some, {.policy = way.policy}, /*decode=*/true));
  });
  const Way& best = *std::ranges::min_element(ways, {}, &Way::nats);
  if (!best.policy.shares) item.pilot->drop_shares();
  item.pilot->take_trial(best.nats / static_cast<double>(rows), rows);
  rows_ += rows;
}

// Of the rows of `few`, beside as many dense ones; the sum.
double SparqMeter::divergences(std::span<const float> dense, const Logits& few) {
  const auto n = static_cast<size_t>(few.cols());
  double sum = 0;
  for (int64_t i = 0; i < few.rows(); ++i)
    sum += divergence(dense.subspan(static_cast<size_t>(i) * n, n), row_of(few, i), work_);
  return sum;
}

std::vector<float> SparqMeter::check(const StepItem& item) const {
  try {
    KvSequence copy = item.kv->fork();
    const std::span<const float> row = row_of(compute(copy, item.tokens.first(1), {}, /*decode=*/true), 0);
    return {row.begin(), row.end()};
  } catch (const Error& e) {
    if (e.code() != Errc::kNoMemory) throw;
    return {};
  }
}

void SparqMeter::after(std::span<const StepItem> items, const Logits& logits) {
  int64_t row = 0;
  for (size_t i = 0; i < items.size(); row += items[i++].n_outputs) {
    if (checks_[i].empty()) continue;
    const int64_t at = items[i].kv->length() - std::ssize(items[i].tokens);
    items[i].pilot->take_check(at, divergence(checks_[i], row_of(logits, row), work_));
    ++rows_;
  }
}

}  // namespace skald
