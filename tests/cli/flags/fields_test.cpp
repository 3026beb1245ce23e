// Errors of the library name fields; the command line shows the flags that set them.
#include "cli/flags/fields.h"

#include <gmock/gmock.h>

#include <functional>

#include "skald/engine.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

TEST(InFlags, PutsFlagsInPlaceOfFields) {
  EXPECT_EQ(in_flags("cache.type_k: 'q9' is none"), "--cache-type-k (-ctk): 'q9' is none");
  EXPECT_EQ(in_flags("raise schedule.n_ubatch and schedule.n_batch."), "raise --ubatch-size (-ub) and --batch-size (-b).");
}

TEST(InFlags, TakesTheLongestField) {
  EXPECT_EQ(in_flags("cache.sparq does not go with device.fused = false"), "--sparq does not go with --no-fused");
  EXPECT_EQ(in_flags("cache.sparq.k1: want 0"), "--k1: want 0");
  EXPECT_EQ(in_flags("cache.static_shapes.bits"), "--kv-bits");
}

TEST(InFlags, LeavesWhatOnlyLooksLikeAField) {
  for (const char* text : {"", "cache.type_kind", "my/cache.layout: not found", "'cache.layout' is no type",
                           "a.cache.layout", "cache.layout.gguf", "threads"})
    EXPECT_EQ(in_flags(text), text);
}

// Values that the options' own checks reject.
TEST(InFlags, KnowsTheFieldsThatChecksName) {
  const std::pair<const char*, std::function<void(EngineOptions&)>> cases[] = {
      {"--threads (-t): ", [](EngineOptions& o) { o.device.n_threads = -1; }},
      {"--threads-batch (-tb): ", [](EngineOptions& o) { o.device.n_threads_batch = -1; }},
      {"--cpu-range (-Cr): ", [](EngineOptions& o) { o.device.cpu_range = "x"; }},
      {"--numa: ", [](EngineOptions& o) { o.device.numa = "x"; }},
      {"--ctx-size (-c): ", [](EngineOptions& o) { o.cache.n_ctx = -1; }},
      {"--cache-type-k (-ctk): ", [](EngineOptions& o) { o.cache.type_k = "x"; }},
      {"--cache-type-v (-ctv): ", [](EngineOptions& o) { o.cache.type_v = "x"; }},
      {"--kv-layout: ", [](EngineOptions& o) { o.cache.layout = "x"; }},
      {"--swa-sinks: ", [](EngineOptions& o) { o.cache.swa_sinks = -1; }},
      {"--k1: ", [](EngineOptions& o) { o.cache.sparq.k1 = -1; }},
      {"--k2: ", [](EngineOptions& o) { o.cache.sparq.k2 = -1; }},
      {"--sparq-ratio: ", [](EngineOptions& o) { o.cache.sparq.ratio = 0.5; }},
      {"--sparq-local: ", [](EngineOptions& o) { o.cache.sparq.local = -2; }},
      {"--sparq-kt: ", [](EngineOptions& o) { o.cache.sparq.index = "x"; }},
      {"--static: ", [](EngineOptions& o) { o.cache.static_shapes.context = 1; }},
      {"--kv-reserve: ", [](EngineOptions& o) { o.cache.static_shapes = {.context = 9, .reserve = 3, .scales = {}}; }},
      {"--kv-bits: ", [](EngineOptions& o) { o.cache.static_shapes = {.context = 9, .bits = 4, .scales = {}}; }},
      {"--kv-scale: ", [](EngineOptions& o) { o.cache.static_shapes = {.context = 9, .scales = {1}}; }},
      {"--static does not go with --parallel", [](EngineOptions& o) { o.cache.static_shapes.context = 9; }},
      {"--parallel: ", [](EngineOptions& o) { o.schedule.n_parallel = 0; }},
      {"--batch-size (-b): ", [](EngineOptions& o) { o.schedule.n_batch = 0; }},
      {"--ubatch-size (-ub): ", [](EngineOptions& o) { o.schedule.n_ubatch = 0; }},
  };
  for (const auto& [begin, spoil] : cases) {
    EngineOptions options;
    spoil(options);
    const Error e = test::error_of([&] { options.check(); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_THAT(in_flags(e.what()), testing::StartsWith(begin));
  }
}

}  // namespace
}  // namespace skald
