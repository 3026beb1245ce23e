#include "tools/bench/bench_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/rng.h"
#include "tools/bench/known_text.h"
#include "tools/bench/median.h"
#include "tools/bench/random_tokens.h"

namespace skald {
namespace {

class SpecBench {
 public:
  SpecBench(const Model& model, const SpecBenchOptions& o, const std::function<void(const std::string&)>& progress)
      : model_(model), o_(o), progress_(progress) {}

  SpecBenchResult run() {
    SpecBenchResult out{.model = model_.name(), .kind = kind(), .most = o_.compute.draft.most, .rows = {}};
    for (const int64_t depth : o_.depths)
      for (const int64_t n : o_.decode) out.rows.push_back(measure(prompt_of(depth), n));
    return out;
  }

 private:
  std::string kind() const { return o_.right < 0 ? o_.compute.draft.kind : fmt::format("right with {:.2f}", o_.right); }

  std::vector<TokenId> prompt_of(int64_t depth) const {
    std::vector<TokenId> out = o_.text;
    Rng rng(1);
    if (out.empty()) draw_tokens(rng, model_.n_vocab(), depth, out);
    out.resize(static_cast<size_t>(std::clamp<int64_t>(depth, 1, std::ssize(out))));
    return out;
  }

  EngineOptions options(std::span<const TokenId> prompt, int64_t n) const {
    EngineOptions e = o_.compute;
    e.cache.n_ctx = std::ssize(prompt) + n + 1;
    e.schedule.n_parallel = 1;
    e.draft.kind = "none";
    e.draft.model.clear();
    return e;
  }

  // The prompt's keys are kept from turn to turn, and no guesses are made by the text of an earlier one.
  Result write(Engine& engine, const std::vector<TokenId>& prompt, int64_t n) const {
    Result out = engine.generate({.prompt = prompt,
                                  .max_tokens = static_cast<int>(n),
                                  .ignore_eos = true,
                                  .conversation = 1,
                                  .reuse_generated = false,
                                  .cache_prompt = false,
                                  .sampling = {.temperature = 0}});
    if (out.finish == FinishReason::kError) fail(out.code.value_or(Errc::kBadInput), "{}", out.error);
    return out;
  }

  SpecBenchRow measure(const std::vector<TokenId>& prompt, int64_t n) const {
    EngineOptions plain_options = options(prompt, n), options = plain_options;
    const auto known = std::make_shared<KnownText>(o_.right);
    if (o_.right < 0)
      options.draft = o_.compute.draft;
    else
      options.drafter = known;
    Engine plain(model_, plain_options), guessing(model_, options);
    known->know(write(plain, prompt, n).tokens);
    write(guessing, prompt, n);
    SpecBenchRow row{.depth = std::ssize(prompt), .n_tokens = n};
    std::vector<double> plain_rates, rates, ratios;
    int64_t steps = 0;
    for (int i = 0; i < o_.repetitions; ++i) {
      if (progress_) progress_(fmt::format("depth {}: turn {} of {}", row.depth, i + 1, o_.repetitions));
      plain_rates.push_back(rate(write(plain, prompt, n)));
      const Result got = write(guessing, prompt, n);
      rates.push_back(rate(got));
      ratios.push_back(rates.back() / plain_rates.back());
      row.drafts += got.timing.drafts;
      steps += n - 1 - got.timing.drafts.right;
    }
    row.plain_tokens_per_s = median(plain_rates);
    row.tokens_per_s = median(rates);
    row.speedup = median(ratios);
    row.tokens_per_step = static_cast<double>((n - 1) * o_.repetitions) / static_cast<double>(std::max<int64_t>(steps, 1));
    return row;
  }

  // The first token comes out of the prompt's last step.
  static double rate(const Result& r) {
    return static_cast<double>(std::ssize(r.tokens) - 1) / std::max(r.timing.generate_seconds, 1e-9);
  }

  const Model& model_;
  const SpecBenchOptions& o_;
  const std::function<void(const std::string&)>& progress_;
};

}  // namespace

SpecBenchResult run_spec_bench(const Model& model, const SpecBenchOptions& options,
                               const std::function<void(const std::string&)>& progress) {
  if (options.right > 1) fail(Errc::kBadInput, "a probability is 0 to 1, not {}", options.right);
  return SpecBench(model, options, progress).run();
}

}  // namespace skald
