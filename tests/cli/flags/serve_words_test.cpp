#include "cli/flags/serve_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/flags/flags.h"
#include "skald/model.h"

namespace skald {
namespace {

TEST(ServeWords, BecomeOptions) {
  const serve::ServeOptions o =
      serve_options(ServeWords::kLocal, {"--ctx-size", "64", "--cache-type-k", "q8_0", "--temp", "0.5"});
  EXPECT_EQ(o.n_ctx, 64);
  EXPECT_EQ(o.engine.cache.type_k, "q8_0");
  ASSERT_TRUE(o.sampling);
  EXPECT_EQ(o.sampling({}, Model::embedded()).temperature, 0.5f) << "flags are asked after they were read";
}

TEST(ServeWords, OfANetworkAreAServersAlone) {
  EXPECT_EQ(serve_options(ServeWords::kServer, {"--port", "0"}).http.port, 0);
  EXPECT_THROW(serve_options(ServeWords::kLocal, {"--port", "0"}), UsageError);
  const auto has_port = [](ServeWords kind) {
    return std::ranges::any_of(serve_flags(kind), [](const DeclaredFlag& f) { return f.long_name() == "--port"; });
  };
  EXPECT_TRUE(has_port(ServeWords::kServer));
  EXPECT_FALSE(has_port(ServeWords::kLocal));
}

TEST(ServeWords, ThatAreWrongAreUsageErrors) {
  EXPECT_THROW(serve_options(ServeWords::kLocal, {"--no-such-flag"}), UsageError);
  EXPECT_THROW(serve_options(ServeWords::kLocal, {"--ctx-size", "few"}), UsageError);
}

}  // namespace
}  // namespace skald
