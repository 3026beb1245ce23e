#include "tools/eval/examinee.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "stepping/sparq_pilot.h"
#include "tools/measure/row_divergence.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;

// Bytes that a token's decoding reads when it attends to all of its `keys`.
double dense_bytes(const LoadedModel& model, const KvSpec& spec, int64_t keys) {
  double bytes = 0;
  for (const AttentionState& a : attention_states(model.states())) {
    const int64_t seen = a.window ? std::min(a.window, keys) : keys;
    const double key = spec.key_number_bytes() * static_cast<double>(kv_columns(*spec.k_format, a.d_k));
    const auto value = static_cast<double>(spec.v_format->bytes(kv_columns(*spec.v_format, a.d_v)));
    bytes += static_cast<double>(seen * a.n_kv_heads) * (key + value);
  }
  return bytes;
}

/// Decodes tokens after a prompt by one method, and counts the bytes and seconds.
class Decoding {
 public:
  /// `prompt`: the tokens of the sequence `after`.
  Decoding(const LoadedModel& model, Runner& runner, KvSequence after, std::span<const TokenId> prompt,
           const EvalMethod& method)
      : model_(model),
        runner_(runner),
        sequence_(std::move(after)),
        text_(prompt.begin(), prompt.begin() + sequence_.length()),
        before_(runner.sparq_use()) {
    runner.set_sparq(method.sparq);
    if (method.sparq.measures()) pilot_.emplace(method.sparq);
  }

  /// Returns the model's prediction after `token`.
  Logits next(TokenId token) {
    dense_bytes_ += dense_bytes(model_, runner_.kv().spec(), sequence_.length() + 1);
    const StepItem item{.kv = &sequence_,
                        .tokens = {&token, 1},
                        .n_outputs = 1,
                        .decode = true,
                        .pilot = pilot_ ? &*pilot_ : nullptr,
                        .before = text_};
    const Clock::time_point start = Clock::now();
    Logits logits = runner_.run({&item, 1});
    seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
    ++tokens_;
    text_.push_back(token);
    return logits;
  }

  EvalAnswer cost() const {
    const SparqUse after = runner_.sparq_use();
    const auto saved = static_cast<double>((after.dense - before_.dense) - (after.read - before_.read));
    return {.seconds = seconds_, .tokens = tokens_, .bytes = dense_bytes_ - saved};
  }

 private:
  const LoadedModel& model_;
  Runner& runner_;
  KvSequence sequence_;
  std::vector<TokenId> text_;
  std::optional<SparqPilot> pilot_;
  SparqUse before_;
  double seconds_ = 0, dense_bytes_ = 0;
  int64_t tokens_ = 0;
};

/// Logits (following tokens, n_vocab) that predict the continuation.
std::vector<float> follow(const EvalCase& task, Decoding& decoding) {
  std::vector<float> out;
  TokenId before = task.prompt.back();
  for (const TokenId token : task.follows) {
    const Logits logits = decoding.next(before);
    out.insert(out.end(), logits.row(0).begin(), logits.row(0).end());
    before = token;
  }
  return out;
}

/// Both (tokens, n_vocab), predicting `tokens`.
EvalPrediction compare(std::span<const float> logits, std::span<const float> dense, const EvalText::Tokens& tokens) {
  MeanError loss, divergence;
  const size_t n_vocab = logits.size() / tokens.size();
  for (size_t i = 0; i < tokens.size(); ++i) {
    RowLoss row{static_cast<int64_t>(i), logits.subspan(i * n_vocab, n_vocab), tokens[i]};
    RowLoss reference{row.position, dense.subspan(i * n_vocab, n_vocab), tokens[i]};
    row.softmax = LogSoftmax(row.logits);
    reference.softmax = LogSoftmax(reference.logits);
    loss.add(row.loss());
    divergence.add(row_divergence(row, [&](int64_t token) { return reference.log_p(token); }));
  }
  return {loss.mean(), std::max(divergence.mean(), 0.0)};  // rounding may take a divergence below 0
}

}  // namespace

Examinee::Examinee(const LoadedModel& model, const EngineOptions& options)
    : model_(model),
      chunk_(options.schedule.step_rows()),
      compute_(model, options),
      prompt_(compute_.runner().new_sequence()) {}

void Examinee::forget() {
  prompt_.clear();
  dense_.clear();
}

void Examinee::read(const EvalCase& task) {
  forget();
  prompt_ = compute_.runner().new_sequence();
  prompt_.set_prefix(model_.prefix_length(task.prompt));
  const std::span<const TokenId> all(task.prompt);
  const auto n = std::ssize(all) - 1;
  for (int64_t done = 0, some; done < n; done += some) {
    some = std::min(chunk_, n - done);
    const StepItem item{&prompt_, all.subspan(static_cast<size_t>(done), static_cast<size_t>(some)), 0};
    compute_.runner().run({&item, 1});
  }
}

EvalAnswer Examinee::answer(const EvalCase& task, const EvalMethod& method, const ReadAnswer& read) {
  return task.follows.empty() ? say(task, method, read) : predict(task, method);
}

EvalAnswer Examinee::say(const EvalCase& task, const EvalMethod& method, const ReadAnswer& read) {
  Decoding decoding(model_, compute_.runner(), prompt_.fork(), task.prompt, method);
  EvalText::Tokens said;
  TokenId next = task.prompt.back();
  bool ended = false;
  while (!ended && std::ssize(said) < task.n_generate) {
    next = decoding.next(next).argmax(0);
    ended = model_.tokenizer().vocab().is_end(next);
    if (!ended) said.push_back(next);
  }
  EvalAnswer out = decoding.cost();
  out.score = task.score(read(said, !ended));
  return out;
}

EvalAnswer Examinee::predict(const EvalCase& task, const EvalMethod& method) {
  const auto decoding = [&](const EvalMethod& how) {
    return Decoding(model_, compute_.runner(), prompt_.fork(), task.prompt, how);
  };
  if (dense_.empty() && method.sparq.on()) {
    Decoding dense = decoding(EvalMethod::named("dense"));
    dense_ = follow(task, dense);
  }
  Decoding by_method = decoding(method);
  const std::vector<float> logits = follow(task, by_method);
  if (dense_.empty()) dense_ = logits;
  EvalAnswer out = by_method.cost();
  out.prediction = compare(logits, dense_, task.follows);
  return out;
}

}  // namespace skald
