// Requests of this process, answered piece by piece.
#include "serve/local/local_call.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <future>
#include <string>

#include "serve/json.h"
#include "serve/local/local_service.h"

namespace skald::serve_test {
namespace {

using namespace std::chrono_literals;
using serve::LocalCall;

serve::ServeOptions options() {
  serve::ServeOptions out;
  out.engine.device.n_threads = 1;
  out.engine.schedule.n_parallel = 1;
  out.n_ctx = 512;
  out.log_requests = false;
  return out;
}

class LocalCalls : public testing::Test {
 protected:
  LocalCalls() { loaded_.get_future().wait(); }

  static serve::HttpRequest request(const serve::Json& body) {
    return {.method = "POST", .path = "/v1/completions", .body = body.dump(), .peer = "test"};
  }
  static std::string rest(LocalCall& call) {
    std::string out;
    while (!call.over()) {
      EXPECT_TRUE(call.wait(60s));
      call.head();
      out += call.take();
    }
    return out;
  }

  std::promise<void> loaded_;
  serve::LocalService service_{options(), [this](const std::exception_ptr&) { loaded_.set_value(); }};
};

TEST_F(LocalCalls, AreAnsweredAsAWhole) {
  LocalCall call(service_, request({{"prompt", "Once"}, {"max_tokens", 4}}));
  const std::string body = rest(call);
  EXPECT_EQ(call.head()->status, 200);
  EXPECT_EQ(serve::Json::parse(body)["usage"]["completion_tokens"], 4);
}

TEST_F(LocalCalls, StreamAndTellADescriptor) {
  LocalCall call(service_, request({{"prompt", "Once"}, {"max_tokens", 4}, {"stream", true}}));
  pollfd one{.fd = call.descriptor(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&one, 1, 60000), 1);
  EXPECT_TRUE(call.is_ready());
  EXPECT_TRUE(rest(call).ends_with("data: [DONE]\n\n"));
  EXPECT_EQ(poll(&one, 1, 0), 0) << "nothing more comes";
}

TEST_F(LocalCalls, NameFieldsThatNoCodeRead) {
  LocalCall call(service_, request({{"prompt", "x"}, {"max_tokens", 1}, {"max_tokns", 3}, {"a\r\nb", 1}}));
  rest(call);
  const serve::HttpAnswer head = *call.head();
  std::string names;
  for (const auto& [name, value] : head.headers)
    if (name == "x-ignored-fields") names = value;
  EXPECT_NE(names.find("max_tokns"), std::string::npos);
  EXPECT_NE(names.find("a??b"), std::string::npos) << names;
}

TEST_F(LocalCalls, ThatAreLeftLetTheNextOneRun) {
  {
    LocalCall endless(service_, request({{"prompt", "x"}, {"ignore_eos", true}, {"max_tokens", 100000}, {"stream", true}}));
    ASSERT_TRUE(endless.wait(60s));
  }
  LocalCall next(service_, request({{"prompt", "x"}, {"max_tokens", 1}}));
  rest(next);
  EXPECT_EQ(next.head()->status, 200);
}

}  // namespace
}  // namespace skald::serve_test
