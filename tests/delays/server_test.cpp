// A server whose threads are delayed at random where they hand work to each other: each request is answered whole, with the
// text that it has alone, and nothing is left.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "tests/delays/random_delays.h"
#include "tests/serve/whole_server.h"

namespace skald::delays_test {
namespace {

using serve_test::answer_of;
using serve_test::Client;
using serve_test::get;
using serve_test::Json;
using serve_test::metric;
using serve_test::mixed_requests;
using serve_test::WholeServer;
using test::Punctual;
using test::RandomDelays;

// SKALD_REQUESTS: of a longer run.
int64_t wanted_requests() {
  const char* const given = std::getenv("SKALD_REQUESTS");
  return given ? std::atoll(given) : 2000;
}

void add_texts(const Json& json, std::string& out) {
  if (json.is_array()) {
    for (const Json& item : json) add_texts(item, out);
    return;
  }
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    if ((key == "text" || key == "content") && value.is_string())
      out += value.get<std::string>();
    else
      add_texts(value, out);
  }
}

std::string body_of(const std::string& answer) {
  return answer.substr(std::min(answer.size(), answer.find("\r\n\r\n") + 4));
}

// The texts of an answer, piece by piece or whole.
std::string text_of(const std::string& answer) {
  std::string out;
  const std::string body = body_of(answer);
  if (const Json whole = Json::parse(body, nullptr, false); !whole.is_discarded()) {
    add_texts(whole, out);
    return out;
  }
  for (size_t at = body.find("data: "); at != std::string::npos; at = body.find("data: ", at + 1)) {
    const std::string line = body.substr(at + 6, body.find('\n', at) - at - 6);
    if (const Json piece = Json::parse(line, nullptr, false); !piece.is_discarded()) add_texts(piece, out);
  }
  return out;
}

bool is_whole(const std::string& answer) {
  if (!answer.starts_with("HTTP/1.1 ")) return false;
  if (answer.find("chunked\r\n") != std::string::npos) return answer.ends_with("0\r\n\r\n");
  const size_t at = answer.find("\r\nContent-Length: ");
  return at != std::string::npos && std::stoull(answer.substr(at + 18)) == body_of(answer).size();
}

// The requests whose text depends on nothing else.
bool has_one_text(const std::string& request) { return request.find("temperature") != std::string::npos; }

class Clients {
 public:
  Clients(int port, std::map<std::string, std::string> texts) : port_(port), texts_(std::move(texts)) {}

  void run(int64_t requests) {
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < 8; ++i)
      threads.emplace_back([&, i] {
        const Punctual punctual;
        for (uint64_t at = i; next_++ < requests; at = at * 6364136223846793005U + 1442695040888963407U) ask(at >> 33);
      });
    for (std::thread& thread : threads) thread.join();
  }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  void ask(uint64_t random) {
    const std::vector<std::string> all = mixed_requests();
    const std::string& request = all[random % all.size()];
    if (random / 16 % 8 == 0) return leave(request, random % 3);
    const std::optional<std::string> answer = answer_of(port_, request);
    const std::string name = request.substr(0, request.find('\r')) + "...";
    if (!answer) return fault(name + " has no end");
    if (!is_whole(*answer)) return fault(name + " is not whole: " + *answer);
    if (has_one_text(request) && answer->starts_with("HTTP/1.1 200") && text_of(*answer) != texts_.at(request))
      fault(name + " has another text: " + text_of(*answer));
  }
  void leave(const std::string& request, uint64_t how) {
    Client client(serve_test::connect_to(port_));
    client.send(request);
    if (how == 1) client.receive(10);
    if (how == 2) client.reset();
  }
  void fault(std::string what) {
    const std::lock_guard lock(mutex_);
    faults_.push_back(std::move(what));
  }

  int port_;
  std::map<std::string, std::string> texts_;
  std::atomic<int64_t> next_ = 0;
  std::mutex mutex_;
  std::vector<std::string> faults_;
};

TEST(ServerWithDelays, LosesNoAnswerAndChangesNoText) {
  const Punctual punctual;
  const test::TempDir dir;
  WholeServer server(dir);
  const auto health = [&] { return answer_of(server.port(), get("/health")).value_or(""); };
  while (!health().starts_with("HTTP/1.1 200")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::map<std::string, std::string> texts;
  for (const std::string& request : mixed_requests())
    if (has_one_text(request)) texts[request] = text_of(answer_of(server.port(), request).value_or(""));
  Clients clients(server.port(), texts);
  {
    const RandomDelays delays(1);
    clients.run(wanted_requests());
  }
  EXPECT_GT(RandomDelays::count(), wanted_requests());
  EXPECT_EQ(clients.faults().size(), 0U);
  for (const std::string& fault : clients.faults()) ADD_FAILURE() << fault;
  std::string metrics;
  for (int i = 0; i < 2000 && metric(metrics, "skald_pages_active") != 0; ++i) {
    metrics = answer_of(server.port(), get("/metrics")).value_or("");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(metric(metrics, "skald_pages_active"), 0) << metrics;
  EXPECT_EQ(server.end(), serve::Ended::kDrained);
}

}  // namespace
}  // namespace skald::delays_test
