// Any sequence of appends, forks, truncations, checkpoints, restores, pauses and adoptions gives the logits of a sequence
// computed from scratch, bit for bit, or is refused.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "backend/cpu/cpu_backend.h"
#include "kv/saved_sequence.h"
#include "stepping/runner.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/faulting_cpu.h"

namespace skald {
namespace {

using test::Golden;

enum class Sparse : uint8_t { kOff, kOn, kWithMean };

struct Token {
  TokenId id;
  bool generated;
};
using Past = std::vector<Token>;

struct Line {
  KvSequence kv;
  Past past;
  std::optional<std::pair<KvCheckpoint, Past>> checkpoint;
};

SparqParams params(Sparse sparse) {
  SparqParams p;
  if (sparse == Sparse::kOff) return p;
  p.k1 = 8;
  p.k2 = 16;
  p.local = 4;
  p.mean = sparse == Sparse::kWithMean;
  return p;
}

/// In two memories that the host does not see, layers take turns. On simt, the host as a GPU, rows have bits of their own:
/// sequences from scratch are there, too.
enum class Where : uint8_t { kCpu, kTwoMemories, kSimt, kSimtAndCpu };

struct Case {
  std::string model, type;
  Sparse sparse;
  int64_t rollback, sinks;
  int64_t scale = 1;  // of lengths: from 1024 keys on, sparse decoding scores by the index
  Where where = Where::kCpu;
};

/// What computes the sequences, and those from scratch.
struct Backends {
  std::unique_ptr<Backend> tried, plain;

  explicit Backends(Where where) {
    switch (where) {
      case Where::kCpu:
      case Where::kTwoMemories:
        plain = std::make_unique<CpuBackend>(2, "");
        if (where == Where::kTwoMemories) tried = test::two_memories();
        return;
      case Where::kSimt:
        plain = make_backend({.device = "simt"});
        return;
      case Where::kSimtAndCpu:
        plain = make_backend({.device = "simt", .gpu_layers = "2"});
        return;
    }
  }
  Backend& of_lines() const { return tried ? *tried : *plain; }
};

class Lines {
 public:
  Lines(const Case& c, uint64_t seed)
      : scale_(c.scale),
        golden_(test::data_dir() / "golden" / c.model),
        model_(golden_.load()),
        backends_(c.where),
        runner_(model_->step_model(), backends_.of_lines(), cache(c), kSchedule),
        from_scratch_(model_->step_model(), *backends_.plain, cache(c), kSchedule),
        random_(seed) {
    lines_.push_back({runner_.new_sequence(), {}, {}});
  }

  void run(int operations) {
    for (int i = 0; i < operations && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(testing::Message() << "operation " << i);
      Line& line = lines_[static_cast<size_t>(below(std::ssize(lines_)))];
      if (line.past.empty() || line.kv.length() > (kMaxKeys - 90) * scale_) restart(line);
      change(line, below(12));
    }
    for (Line& line : lines_) check(line);
    lines_.clear();
    const KvCache& kv = runner_.kv();
    for (size_t g = 0; g < kv.spec().groups.size(); ++g)
      EXPECT_EQ(kv.pool(g).taken() + kv.index_pool(g).taken() + kv.index_pool(g, RunLength::kShort).taken() +
                    kv.open_pool(g).taken(),
                0);
  }
  int checked() const { return checked_; }
  int adopted() const { return adopted_; }

 private:
  static constexpr int64_t kMaxKeys = 448;
  static inline const ScheduleOptions kSchedule{.n_parallel = 8, .n_batch = 1 << 16, .n_ubatch = 1 << 16};
  static CacheOptions cache(const Case& c) {
    return {.n_ctx = kMaxKeys * c.scale,
            .type_k = c.type,
            .type_v = c.type[0] == 'k' ? "q8_0" : c.type,
            .swa_sinks = c.sinks,
            .rollback = c.rollback,
            .sparq = params(c.sparse)};
  }

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  TokenId draw() { return golden_.long_ids[static_cast<size_t>(below(200))]; }

  std::vector<float> step(KvSequence& s, std::span<const TokenId> tokens, bool generated) {
    return step(runner_, s, tokens, generated);
  }
  static std::vector<float> step(Runner& runner, KvSequence& s, std::span<const TokenId> tokens, bool generated) {
    const StepItem item{&s, tokens, 1, generated};
    const Logits y = runner.run({&item, 1});
    return {y.row(0).begin(), y.row(0).end()};
  }
  void prompt(Line& line, int64_t n) {
    std::vector<TokenId> ids;
    for (int64_t i = 0; i < n; ++i) line.past.push_back({ids.emplace_back(draw()), false});
    step(line.kv, ids, false);
  }
  std::vector<float> decode(Line& line) {
    const TokenId id = draw();
    line.past.push_back({id, true});
    return step(line.kv, {&id, 1}, true);
  }
  void restart(Line& line) {
    line.kv.clear();
    line.past.clear();
    prompt(line, 1 + below(150) * scale_);
  }

  void change(Line& line, int64_t what) {
    if (what < 2) return prompt(line, 1 + below(70) * scale_);
    if (what < 4) {
      for (int64_t n = 1 + below(20); n > 0; --n) decode(line);
      return;
    }
    switch (what) {
      case 4:
      case 5:
        return fork(line);
      case 6:
      case 7:
        return truncate(line);
      case 8:
        return static_cast<void>(line.checkpoint.emplace(line.kv.checkpoint(), line.past));
      case 9:
        return restore(line);
      case 10:
        return pause(line);
      default:
        return adopt(line);
    }
  }
  void fork(Line& line) {
    if (lines_.size() == 4) lines_.erase(lines_.begin() + (&line == &lines_[0] ? 1 : 0));
    Line& from = lines_[static_cast<size_t>(below(std::ssize(lines_)))];
    Line other{from.kv.fork(), from.past, {}};
    lines_.push_back(std::move(other));
    check(lines_.back());
  }
  void truncate(Line& line) {
    const int64_t n =
        below(3) ? line.kv.length() - std::min<int64_t>(1 + below(8), line.kv.length() - 1) : 1 + below(line.kv.length());
    const int64_t length = line.kv.length();
    if (!line.kv.truncate(n)) {
      EXPECT_EQ(line.kv.length(), length) << "refused, and yet changed";
      return;
    }
    line.past.resize(static_cast<size_t>(n));
    check(line);
  }
  void restore(Line& line) {
    if (!line.checkpoint) return;
    line.kv.restore(line.checkpoint->first);
    line.past = line.checkpoint->second;
    check(line);
  }
  void pause(Line& line) {
    const SavedSequence saved(line.kv);
    line.kv.clear();
    ASSERT_TRUE(saved.restore(line.kv));
    check(line);
  }
  // Shared in two parts, as by two nodes of a tree. Keys that become codes are taken over up to a page's border.
  void adopt(Line& line) {
    const bool coded = runner_.kv().spec().has_codes();
    if (const int64_t rest = line.kv.length() % kPageKeys; coded && rest) prompt(line, kPageKeys - rest);
    const int64_t length = line.kv.length(), cut = below(length / kPageKeys + 1) * kPageKeys;
    std::vector<SharedPages> path;
    if (cut) path.push_back(line.kv.share(0, cut));
    if (cut < length) path.push_back(line.kv.share(cut, length));
    const ReusePolicy reuse{below(2) ? ReusePolicy::Keys::kPrompt : ReusePolicy::Keys::kAll, 0};
    Line other{runner_.new_sequence(), {}, {}};
    const int64_t most = below(2) ? length : 1 + below(length);  // recurrent states are those at the end
    const int64_t n = other.kv.adopt(path, most, reuse);
    if (n == 0) return;
    other.past.assign(line.past.begin(), line.past.begin() + n);
    const bool generated = std::ranges::any_of(other.past, &Token::generated);
    EXPECT_FALSE(generated && reuse.keys == ReusePolicy::Keys::kPrompt);
    ++adopted_;
    check(other);
    line = std::move(other);
  }

  // The next token's logits, against those of a sequence that never did anything else.
  void check(Line& line) {
    const std::vector<float> got = decode(line);
    KvSequence fresh = from_scratch_.new_sequence();
    std::vector<float> want;
    const bool at_once = below(2) == 0;
    for (size_t i = 0; i < line.past.size();) {
      std::vector<TokenId> ids{line.past[i].id};
      const bool generated = line.past[i++].generated;
      // Generated rows give the same one by one and many in a step.
      while ((!generated || at_once) && i < line.past.size() && line.past[i].generated == generated)
        ids.push_back(line.past[i++].id);
      want = step(from_scratch_, fresh, ids, generated);
    }
    ++checked_;
    EXPECT_TRUE(test::same_bits(got, want)) << "after " << line.past.size() << " tokens";
  }

  int64_t scale_;
  Golden golden_;
  std::shared_ptr<const LoadedModel> model_;
  Backends backends_;
  Runner runner_, from_scratch_;
  std::mt19937_64 random_;
  std::vector<Line> lines_;
  int checked_ = 0, adopted_ = 0;
};

class AnyHistory : public testing::TestWithParam<std::tuple<std::string, std::string, Sparse>> {};

TEST_P(AnyHistory, GivesTheLogitsOfASequenceFromScratch) {
  const auto& [model, type, sparse] = GetParam();
  int adopted = 0;
  for (const auto& [rollback, sinks] : {std::pair<int64_t, int64_t>{0, 0}, {8, 3}}) {
    SCOPED_TRACE(testing::Message() << "rollback " << rollback << ", sinks " << sinks);
    Lines lines({model, type, sparse, rollback, sinks}, 7);
    lines.run(60);
    EXPECT_GT(lines.checked(), 15);
    adopted += lines.adopted();
  }
  EXPECT_GT(adopted, 0);
}

class AnyHistoryApart : public AnyHistory {};

TEST_P(AnyHistoryApart, GivesTheLogitsOfASequenceOnOneDevice) {
  const auto& [model, type, sparse] = GetParam();
  Lines lines({model, type, sparse, 8, 3, 1, Where::kTwoMemories}, 7);
  lines.run(60);
  EXPECT_GT(lines.checked(), 15);
}

class AnyHistoryOnSimt : public AnyHistory {};

TEST_P(AnyHistoryOnSimt, GivesTheLogitsOfASequenceFromScratch) {
  const auto& [model, type, sparse] = GetParam();
  for (const Where where : {Where::kSimt, Where::kSimtAndCpu}) {
    SCOPED_TRACE(static_cast<int>(where));
    Lines lines({model, type, sparse, 8, 3, 1, where}, 7);
    lines.run(30);
    EXPECT_GT(lines.checked(), 7);
  }
}

class AnyLongHistoryOnSimt : public AnyHistory {};

TEST_P(AnyLongHistoryOnSimt, GivesThemWhereTheIndexIsRead) {
  const auto& [model, type, sparse] = GetParam();
  Lines lines({model, type, sparse, 8, 3, 4, Where::kSimt}, 3);
  lines.run(10);
  EXPECT_GT(lines.checked(), 2);
}

class AnyLongHistory : public AnyHistory {};

TEST_P(AnyLongHistory, GivesThemWhereTheIndexIsRead) {
  const auto& [model, type, sparse] = GetParam();
  for (const uint64_t seed : {1, 2}) {
    Lines lines({model, type, sparse, 8, 3, 12}, seed);
    lines.run(15);
    EXPECT_GT(lines.checked(), 4);
  }
}

std::string name_of(const testing::TestParamInfo<AnyHistory::ParamType>& info) {
  const auto& [model, type, sparse] = info.param;
  const char* const names[] = {"dense", "sparq", "mean"};
  return model + "_" + type + "_" + names[static_cast<int>(sparse)];
}

INSTANTIATE_TEST_SUITE_P(Models, AnyHistory,
                         testing::Combine(testing::Values("llama_gqa", "mistral", "gemma3", "gptoss"),
                                          testing::Values("f32", "f16", "q8_0", "q4_0", "kc8", "kc4"),
                                          testing::Values(Sparse::kOff, Sparse::kOn, Sparse::kWithMean)),
                         name_of);

// Recurrent states, caches that layers share, heads of several sizes, an indexer's keys.
INSTANTIATE_TEST_SUITE_P(States, AnyHistory,
                         testing::Combine(testing::Values("lfm2", "qwen35", "kimilinear", "granitehybrid", "nemotron_h_moe",
                                                          "falcon_h1", "mamba2", "gemma4", "gemma3n", "deepseek32"),
                                          testing::Values("f32", "f16", "q8_0", "kc8"), testing::Values(Sparse::kOff)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Apart, AnyHistoryApart,
                         testing::Combine(testing::Values("llama_gqa", "gemma3"), testing::Values("f16", "q8_0", "kc4"),
                                          testing::Values(Sparse::kOff, Sparse::kOn, Sparse::kWithMean)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(ApartStates, AnyHistoryApart,
                         testing::Combine(testing::Values("qwen35", "mamba2", "gemma3n", "deepseek32"),
                                          testing::Values("f16"), testing::Values(Sparse::kOff)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Models, AnyHistoryOnSimt,
                         testing::Combine(testing::Values("llama_mha", "mistral"), testing::Values("f16", "q8_0"),
                                          testing::Values(Sparse::kOff, Sparse::kWithMean)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Models, AnyLongHistoryOnSimt, testing::Values(std::tuple("llama_gqa", "f16", Sparse::kWithMean)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Deep, AnyLongHistoryOnSimt,
                         testing::Combine(testing::Values("llama_gqa", "mistral"), testing::Values("f16", "q4_0"),
                                          testing::Values(Sparse::kOff, Sparse::kWithMean)),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Models, AnyLongHistory,
                         testing::Combine(testing::Values("llama_gqa", "mistral", "gemma3", "gptoss"),
                                          testing::Values("f16", "q8_0", "kc8", "kc4"),
                                          testing::Values(Sparse::kOn, Sparse::kWithMean)),
                         name_of);

}  // namespace
}  // namespace skald
