// Retries: of which failures, how often, and after which waits.
#include "hub/retry.h"

#include <gtest/gtest.h>

#include <vector>

#include "hub/http_status.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

struct Waits {
  std::vector<double> seconds = {};
  std::vector<std::string> lines = {};
  Retries retries() {
    return {.wait = [this](double s) { seconds.push_back(s); },
            .say = [this](const std::string& line) { lines.push_back(line); }};
  }
};

TEST(Retries, AreFiveTriesWithWaitsThatGrow) {
  Waits waits;
  int calls = 0;
  const Error e = test::error_of([&] {
    with_retries(waits.retries(), [&]() -> int {
      ++calls;
      throw HttpFailure("it broke");
    });
  });
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(waits.seconds, (std::vector<double>{1, 2, 4, 8}));
  EXPECT_EQ(waits.lines.size(), 4u);
  EXPECT_EQ(e.code(), Errc::kDevice);
  EXPECT_STREQ(e.what(), "it broke (tried 5 times)");
}

TEST(Retries, EndWithTheFirstSuccess) {
  Waits waits;
  int calls = 0;
  EXPECT_EQ(with_retries(waits.retries(),
                         [&] {
                           if (++calls < 3) throw HttpFailure("it broke");
                           return 7;
                         }),
            7);
  EXPECT_EQ(waits.seconds, (std::vector<double>{1, 2}));
}

TEST(Retries, WaitAsLongAsTheServerAsks) {
  Waits waits;
  int calls = 0;
  const std::optional<double> asked[] = {30, 0.5, std::nullopt};
  with_retries(waits.retries(), [&] {
    if (calls < 3) throw HttpFailure("busy", asked[calls++]);
  });
  EXPECT_EQ(waits.seconds, (std::vector<double>{30, 2, 4}));
}

TEST(Retries, GiveUpOnAServerThatAsksForHours) {
  Waits waits;
  const Error e = test::error_of([&] { with_retries(waits.retries(), []() -> int { throw HttpFailure("busy", 7200); }); });
  EXPECT_TRUE(waits.seconds.empty());
  EXPECT_NE(std::string(e.what()).find("7200 s"), std::string::npos);
}

TEST(Retries, LeaveOtherErrorsAlone) {
  Waits waits;
  EXPECT_EQ(
      test::error_of([&] { with_retries(waits.retries(), []() -> int { throw Error(Errc::kNotFound, "none"); }); }).code(),
      Errc::kNotFound);
  EXPECT_TRUE(waits.seconds.empty());
}

TEST(RetryAfter, IsANumberOrADate) {
  constexpr int64_t kNow = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
  EXPECT_EQ(retry_after("120", kNow), 120);
  EXPECT_EQ(retry_after("-5", kNow), 0);
  EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:49:57 GMT", kNow), 20);
  EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:49:07 GMT", kNow), 0);
  for (const char* none : {"", "soon", "99999999999999999999"}) EXPECT_EQ(retry_after(none, kNow), std::nullopt) << none;
}

TEST(Status, SaysWhatMayHelp) {
  const auto answer = [](long status) {
    return HttpAnswer{.status = status, .headers = {{"retry-after", "3"}}, .url = "https://a.co/x"};
  };
  EXPECT_NO_THROW(check_status(answer(206), false));
  for (const long status : {408L, 429L, 500L, 503L}) {
    try {
      check_status(answer(status), false);
      ADD_FAILURE() << status;
    } catch (const HttpFailure& f) {
      EXPECT_EQ(f.retry_after(), 3);
    }
  }
  for (const long status : {401L, 403L, 404L})
    EXPECT_EQ(test::error_of([&] { check_status(answer(status), false); }).code(), Errc::kNotFound);
  EXPECT_NE(std::string(test::error_of([&] { check_status(answer(401), false); }).what()).find("HF_TOKEN"),
            std::string::npos);
  EXPECT_EQ(test::error_of([&] { check_status(answer(416), false); }).code(), Errc::kDevice);
}

}  // namespace
}  // namespace skald
