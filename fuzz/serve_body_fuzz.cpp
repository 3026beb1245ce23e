// Fuzzes the bodies of requests: whatever comes is read into what the APIs take, or refused with 400 and a message that says
// why, in JSON that every client reads; nothing else is thrown.
//
// Input: a body.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "serve/api_error.h"
#include "serve/chat/chat.h"
#include "serve/fields/generation_request.h"
#include "serve/fields/message.h"
#include "serve/fields/ollama.h"
#include "serve/fields/response.h"
#include "serve/json.h"
#include "serve/options.h"

namespace {

using namespace skald;
using namespace skald::serve;

constexpr int64_t kVocab = 2048;

void check(bool holds) {
  if (!holds) std::abort();
}

template <class F>
void read_or_refuse(F&& read) {
  try {
    read();
  } catch (const ApiError& e) {
    check(e.status() == 400 && !e.message().empty());
    for (const Dialect dialect : {Dialect::kOpenAi, Dialect::kAnthropic, Dialect::kOllama})
      check(Json::accept(error_body(e, dialect, "id")));
  }
}

void check_chat(const Chat& chat) {
  check(chat.messages.is_array());
  for (const Json& message : chat.messages) check(message.contains("role") && message.contains("content"));
}

void check_generation(const GenerationRequest& made) {
  check(made.request.max_tokens >= -1 && made.request.n >= 1 && made.request.n <= 128);
  check(made.request.stop.size() <= 64);
  made.request.sampling.check();
}

void read_all(const Fields& fields, const ServeOptions& options) {
  const auto generation = [](const Fields& of) {
    GenerationRequest out;
    read_request(of, kVocab, {}, out);
    check_generation(out);
  };
  read_or_refuse([&] { generation(fields); });
  read_or_refuse([&] { generation(ollama_options(fields)); });
  read_or_refuse([&] {
    GenerationRequest out;
    read_stream(fields, false, out);
    read_progress(fields, out);
    read_choices(fields, out);
    check_generation(out);
  });
  read_or_refuse([&] { check_chat(read_chat(fields, options)); });
  read_or_refuse([&] {
    GenerationRequest out;
    check_chat(read_messages(fields, options, out));
  });
  read_or_refuse([&] {
    GenerationRequest out;
    check_chat(read_response_request(fields, options, out));
  });
  read_or_refuse([&] {
    GenerationRequest out;
    read_ollama_format(fields, out);
    Chat chat;
    read_think(fields, chat);
    chat.messages = ollama_messages(fields);
    check_chat(chat);
  });
  for (const char* key : {"stop", "stop_sequences"}) read_or_refuse([&] { read_stop(fields, key); });
  check(fields.unread().size() <= 8192);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const ServeOptions options;
  std::optional<Json> body;
  read_or_refuse([&] { body = read_body({reinterpret_cast<const char*>(data), size}); });
  if (body) read_all(Fields(*body), options);
  return 0;
}
