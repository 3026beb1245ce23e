// Fuzzes chat templates: any template with any messages gives a text or throws an Error, within its limits.
//
// Input: the template; after the byte 0xFF, the messages as JSON.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "skald/error.h"
#include "text/chat/chat_json.h"
#include "text/chat/chat_template.h"

namespace {

using namespace skald;

void check(bool holds) {
  if (!holds) std::abort();
}

constexpr const char* kMessages =
    R"([{"role": "user", "content": "a<b"}, {"role": "assistant", "content": [{"type": "text", "text": "c"}],
  "tool_calls": [{"function": {"name": "f", "arguments": "{\"x\": [1, 2.5, null]}"}}]}])";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t cut = std::min(input.find('\xFF'), size);
  jinja::Limits limits;
  limits.steps = 200'000;
  limits.output = size_t{1} << 20;
  limits.memory = size_t{32} << 20;
  limits.stack = size_t{256} << 10;  // sanitized frames are large
  try {
    const ChatTemplate chat(std::string(input.substr(0, cut)), {{"bos_token", "<s>"}}, limits);
    ChatRequest request;
    request.messages = parse_chat_json(cut < size ? input.substr(cut + 1) : kMessages, "messages");
    request.now = std::tm{};
    const MarkedText text = chat.render(request);
    std::string joined;
    text.for_each_run([&](std::string_view run, bool) {
      check(!run.empty());
      joined += run;
    });
    check(joined == text.bytes() && joined.size() <= limits.output);
  } catch (const Error& e) {
    check(e.code() == Errc::kBadInput);
  }
  return 0;
}
