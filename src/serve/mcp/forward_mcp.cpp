#include "serve/mcp/forward_mcp.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/lowercase.h"
#include "hub/http.h"
#include "io/printable.h"
#include "serve/json.h"

namespace skald::serve {
namespace {

constexpr int kBadGateway = 502, kGatewayTimeout = 504;
constexpr size_t kLongestMcpAnswer = size_t{16} << 20;
constexpr size_t kLongestRefusal = size_t{64} << 10;  // of an answer that is an error
constexpr size_t kShownOfRefusal = 500;
constexpr size_t kLongestId = 1024;  // of a session or a version
constexpr std::string_view kSession = "mcp-session-id", kVersion = "mcp-protocol-version";

bool is_visible(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

HttpCall call_of(RequestContext& context, const McpServer& server) {
  const HttpRequest& request = context.request();
  HttpCall call{.method = request.method, .url = server.url, .headers = server.headers};
  call.headers.emplace_back("Accept: application/json, text/event-stream");
  call.headers.emplace_back("Content-Type: application/json");
  for (const std::string_view name : {kSession, kVersion}) {
    const std::string_view value = request.header(name);
    if (value.empty()) continue;
    if (!is_visible(value)) throw ApiError(400, fmt::format("{}: want visible ASCII", name), std::string(name));
    call.headers.push_back(std::string(name).append(": ").append(value));
  }
  call.body = context.exchange().take_body();
  return call;
}

// Servers say in JSON-RPC's form, or another one, why they refuse.
std::string said_in(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("error")) {
    const Json& error = json["error"];
    if (error.is_string()) return error.get<std::string>();
    if (error.is_object() && error.contains("message") && error["message"].is_string())
      return error["message"].get<std::string>();
  }
  return text;
}

// The answer of a server as it comes, to the page.
class McpAnswer {
 public:
  McpAnswer(RequestContext& context, const McpServer& server, const McpLimits& limits)
      : context_(context), server_(server), limits_(limits) {}

  /// Throws ApiError (504) where the server takes too long.
  void check_time() const {
    const auto now = HttpClock::now();
    if (now - last_byte_ > limits_.silence)
      fail_with(fmt::format("it sent nothing for {} s", limits_.silence.count()), kGatewayTimeout);
    if (now - begun_ > limits_.total)
      fail_with(fmt::format("its answer took longer than {} s", limits_.total.count()), kGatewayTimeout);
  }

  void begin(const skald::HttpAnswer& answer) {
    status_ = answer.status;
    session_ = answer.header(std::string(kSession));
    const std::string whole = lowercase(answer.header("content-type"));
    type_ = whole.substr(0, whole.find_first_of("; "));
    if (is_good() && type_ == "text/event-stream") context_.begin(head());
  }

  void take(std::string_view bytes) {
    last_byte_ = HttpClock::now();
    size_ += bytes.size();
    if (!is_good()) return text_.append(bytes.substr(0, kLongestRefusal - std::min(kLongestRefusal, text_.size()))), void();
    if (size_ > kLongestMcpAnswer) fail_with(fmt::format("its answer is longer than {} MiB", kLongestMcpAnswer >> 20));
    if (context_.begun())
      context_.write(std::string(bytes));
    else
      text_.append(bytes);
  }

  void end() {
    if (context_.begun()) return context_.end();
    if (!is_good()) refuse();
    if (!text_.empty() && type_ != "application/json")
      fail_with(fmt::format("it answers with {}, which is neither JSON nor a stream of events", skald::quoted(type_)));
    HttpAnswer out = head();
    out.body = std::move(text_);
    context_.send(std::move(out));
  }

  [[noreturn]] void fail_with(const std::string& why, int status = kBadGateway) const {
    throw ApiError(status, fmt::format("the MCP server {}: {}", server_.name, why));
  }

 private:
  bool is_good() const { return status_ / 100 == 2; }

  HttpAnswer head() const {
    HttpAnswer out{.status = static_cast<int>(status_)};
    if (!type_.empty()) out.headers.emplace_back("content-type", type_);
    if (is_visible(session_)) out.headers.emplace_back(kSession, session_);
    out.headers.emplace_back("cache-control", "no-store");
    return out;
  }

  [[noreturn]] void refuse() const {
    // The page begins another session then.
    if (status_ == 404 && !context_.request().header(kSession).empty())
      throw ApiError(404, fmt::format("the MCP server {} knows the session no more", server_.name), {}, "mcp_session");
    if (status_ / 100 == 3) fail_with(fmt::format("it leads elsewhere ({}), which is not followed: see --mcp", status_));
    if (status_ == 401 || status_ == 403) fail_with(fmt::format("it wants other headers ({}): see --mcp-headers", status_));
    const std::string said = printable(said_in(text_), kShownOfRefusal);
    fail_with(fmt::format("it answers with status {}{}{}", status_, said.empty() ? "" : ": ", said));
  }

  RequestContext& context_;
  const McpServer& server_;
  const McpLimits limits_;
  const HttpClock::time_point begun_ = HttpClock::now();
  HttpClock::time_point last_byte_ = begun_;
  long status_ = 0;
  std::string session_, type_, text_;
  size_t size_ = 0;
};

void exchange_with(RequestContext& context, const McpServer& server, const McpLimits& limits,
                   const std::function<void()>& look) {
  McpAnswer answer(context, server, limits);
  const HttpCall call = call_of(context, server);
  try {
    const auto check = [&] {
      look();
      answer.check_time();
    };
    HttpClient client(check, {.stalled = 0});
    client.call(
        call, [&](const skald::HttpAnswer& head) { answer.begin(head); },
        [&](std::span<const std::byte> bytes) {
          answer.take({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        });
  } catch (const HttpFailure& e) {
    answer.fail_with(fmt::format("it cannot be reached: {}", e.what()));
  } catch (const Error& e) {
    answer.fail_with(fmt::format("it cannot be reached: {}", e.what()));
  }
  answer.end();
}

}  // namespace

void forward_mcp(RequestContext& context, const McpServer& server, const McpLimits& limits,
                 const std::function<void()>& look) {
  try {
    exchange_with(context, server, limits, look);
  } catch (const ApiError& e) {
    if (!context.begun()) throw;
    context.write("\n\n" + error_event(e, Dialect::kOpenAi, context.request().id));
    context.end(true);
  }
}

}  // namespace skald::serve
