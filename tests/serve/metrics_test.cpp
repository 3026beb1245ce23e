#include "serve/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skald::serve::metrics_test {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, HistogramsAreCumulative) {
  Histogram h;
  for (const double x : {0.0005, 0.003, 0.003, 1000.0}) h.add(x);
  const std::string text = h.text("t", "help");
  EXPECT_THAT(text, HasSubstr("t_bucket{le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("t_bucket{le=\"0.005\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("t_bucket{le=\"300\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("t_bucket{le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("t_count 4\n"));
}

TEST(Metrics, CountRequestsByRouteAndStatus) {
  Metrics metrics;
  metrics.count_request("/v1/models", 200);
  metrics.count_request("/v1/models", 200);
  metrics.count_request("other", 404);
  EngineStatus engines;
  engines.pages = {.total = 10, .active = 4, .cached = 1, .free = 5};
  engines.cached_tokens = 9;
  engines.disk_tokens = 2;
  engines.sparq = {.read = 3, .dense = 24, .known = 100, .nats = 0.5};
  const PrefixStore::Status stored{
      .pages = 7, .bytes = 70, .corrupt = 1, .found = 3, .missed = 4, .errors = 5, .seconds = 0.5, .kind = "s3"};
  const std::string text = metrics.text(engines, stored, 3);
  EXPECT_THAT(text, HasSubstr("skald_requests_total{route=\"/v1/models\",code=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("skald_requests_total{route=\"other\",code=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE skald_pages_active gauge\nskald_pages_active 4\n"));
  EXPECT_THAT(text, HasSubstr("skald_kv_usage_ratio 0.4\n"));
  EXPECT_THAT(text, HasSubstr("skald_connections 3\n"));
  EXPECT_THAT(text, HasSubstr("skald_prompt_tokens_cached_total{tier=\"ram\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("skald_prompt_tokens_cached_total{tier=\"disk\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("skald_sparse_bytes_total 3\n"));
  EXPECT_THAT(text, HasSubstr("skald_sparse_dense_bytes_total 24\n"));
  EXPECT_THAT(text, HasSubstr("skald_sparse_tokens_total 100\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE skald_sparse_nats_total counter\nskald_sparse_nats_total 0.5\n"));
  EXPECT_THAT(text, HasSubstr("skald_disk_pages 7\n"));
  EXPECT_THAT(text, HasSubstr("skald_disk_corrupt_pages_total 1\n"));
  EXPECT_THAT(text, HasSubstr("skald_prefix_store_hits_total 3\n"));
  EXPECT_THAT(text, HasSubstr("skald_prefix_store_misses_total 4\n"));
  EXPECT_THAT(text, HasSubstr("skald_prefix_store_errors_total 5\n"));
  EXPECT_THAT(text, HasSubstr("skald_prefix_store_seconds_total 0.5\n"));
  EXPECT_THAT(text, HasSubstr("skald_prefix_store_up 1\n"));
}

}  // namespace
}  // namespace skald::serve::metrics_test
