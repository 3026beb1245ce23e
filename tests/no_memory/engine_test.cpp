// An engine for whose threads there is no memory: each request ends, nothing stays in use, and the next ones are as ever.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/engine/requests.h"
#include "tests/no_memory/failing_allocator.h"
#include "tests/support/temp_dir.h"

namespace skald::engine_without_memory_test {
namespace {

using test::FailingAllocations;
using test::Spared;

constexpr const char* kSchema = R"({"type": "object", "properties": {"a": {"type": "string", "maxLength": 6}},
                                    "required": ["a"], "additionalProperties": false})";

// Prompts of more than a page that begin alike, grammars, several texts, stop texts, and log probabilities of tokens.
std::vector<Request> mix() {
  const std::string shared =
      "Once upon a time there was a little girl named Lily who had a cat, a dog, and a big red ball. "
      "She liked to play with them in the garden all day long, and in the evening her mother told ";
  std::vector<Request> out;
  for (const char* end : {"her a story.", "the cat a story.", "nobody anything."})
    out.push_back(test::story(shared + shared + end, 10));
  out.push_back(test::story("The cat", 8));
  out.back().n = 3;
  out.back().sampling = {.temperature = 1, .seed = 11};
  out.push_back(test::story("A list:", 40));
  out.back().ignore_eos = false;
  out.back().grammar = {.kind = GrammarParams::Kind::kJsonSchema, .text = kSchema};
  out.push_back(test::story("Tom said", 12));
  out.back().stop = {"never to be found in a story at all"};
  out.back().log_prob = out.back().prompt_log_probs = true;
  out.back().top_log_probs = 2;
  out.push_back(test::story(shared + "them all a story", 6));
  out.back().conversation = 1;
  return out;
}

class EngineWithoutMemory : public testing::Test {
 protected:
  static EngineOptions options(std::shared_ptr<PrefixStore> store) {
    EngineOptions o{.device = {.n_threads = 2},
                    .cache = {.n_ctx = 512, .total_keys = 1024},
                    .schedule = {.n_parallel = 3, .n_batch = 128, .n_ubatch = 128}};
    o.cache.share_prefixes = o.cache.slot_files = true;
    o.prefix_store = std::move(store);
    return o;
  }

  // The results of those that the engine took.
  static std::vector<std::optional<Result>> run(Engine& engine) {
    std::vector<std::optional<Submission>> submissions;
    for (Request& r : mix()) {
      try {
        submissions.emplace_back(engine.submit(std::move(r)));
      } catch (const std::exception&) {
        submissions.emplace_back();
      }
    }
    if (submissions[1]) {
      engine.pause(submissions[1]->id);
      engine.resume(submissions[1]->id);
    }
    std::vector<std::optional<Result>> out;
    for (std::optional<Submission>& s : submissions) {
      out.emplace_back();
      if (!s) continue;
      EXPECT_EQ(s->result.wait_for(std::chrono::seconds(60)), std::future_status::ready);
      out.back() = s->result.get();
    }
    return out;
  }

  // A step tells of itself when it is over, which is after results.
  static EngineStatus status_at_rest(Engine& engine) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    EngineStatus s = engine.status();
    while (s.running + s.waiting + s.pages.active > 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      s = engine.status();
    }
    return s;
  }

  static void use_slots(Engine& engine, const std::string& folder) {
    for (const bool restores : {false, true}) try {
        restores ? engine.restore_slot(0, "", folder, "a") : engine.save_slot(0, "", folder, "a");
      } catch (const std::exception&) {  // as it may be
      }
  }

  test::TempDir dir_;
};

TEST_F(EngineWithoutMemory, EndsEachRequestAndGoesOn) {
  const Spared spared;
  Engine engine(test::story_model(), options(std::make_shared<PrefixStore>(dir_.path("pages"), int64_t{1} << 22)));
  std::vector<Choice> want;
  for (const std::optional<Result>& r : run(engine)) want.push_back(*r);
  int64_t failures = 0, kept = 0;
  test::for_failures(60, [&](int64_t first, int64_t count) {
    SCOPED_TRACE(testing::Message() << "failures from " << first << ", " << count);
    std::vector<std::optional<Result>> got;
    {
      const FailingAllocations failing(first, count);
      got = run(engine);
      use_slots(engine, dir_.path("slots"));
    }
    for (size_t i = 0; i < got.size(); ++i) {
      failures += !got[i] || got[i]->finish == FinishReason::kError;
      if (!got[i]) continue;
      ASSERT_NE(got[i]->finish, FinishReason::kNone);
      if (got[i]->finish == FinishReason::kError) {
        EXPECT_EQ(got[i]->code, Errc::kNoMemory) << got[i]->error;
        continue;
      }
      ++kept;
      EXPECT_EQ(got[i]->tokens, want[i].tokens) << i;
    }
    engine.forget(1);
    const EngineStatus status = status_at_rest(engine);
    EXPECT_EQ(status.pages.active, 0);
    EXPECT_EQ(status.running + status.waiting, 0);
  });
  const std::vector<std::optional<Result>> after = run(engine);
  for (size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i]->tokens, want[i].tokens) << i;
  EXPECT_GT(failures, 10);
  EXPECT_GT(kept, 10);
}

}  // namespace
}  // namespace skald::engine_without_memory_test
