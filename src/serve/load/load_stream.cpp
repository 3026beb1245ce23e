#include "serve/load/load_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/terminal_text.h"
#include "serve/json.h"

namespace skald::serve {
namespace {

constexpr size_t kMostRefusal = size_t{16} << 10, kMostShown = 200;

std::string shown(std::string_view text) { return terminal_text(text.substr(0, kMostShown)); }

Json parse(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

// Null where it is not there.
const Json& at(const Json& json, const char* key) {
  static const Json kNone;
  if (!json.is_object()) return kNone;
  const auto found = json.find(key);
  return found == json.end() ? kNone : *found;
}

// The message of a server's error: {"error": {"message"}}, {"error": "text"}, {"message"} or anything.
std::string message_of(std::string_view body) {
  const Json json = parse(body);
  for (const Json* text : {&at(at(json, "error"), "message"), &at(json, "error"), &at(json, "message"), &at(json, "detail")})
    if (text->is_string()) return shown(text->get_ref<const std::string&>());
  return shown(body);
}

bool has_text(const Json& json, const char* key) {
  const Json& text = at(json, key);
  return text.is_string() && !text.get_ref<const std::string&>().empty();
}

bool says_something(const Json& choice) {
  const Json& delta = at(choice, "delta");
  return has_text(choice, "text") || has_text(delta, "content") || has_text(delta, "reasoning_content") ||
         has_text(delta, "reasoning") || at(delta, "tool_calls").is_array();
}

void take_count(const Json& json, const char* key, int64_t& into) {
  const Json& count = at(json, key);
  if (count.is_number_integer() && count.get<int64_t>() >= 0) into = count.get<int64_t>();
}

}  // namespace

void LoadStream::read(const ResponseReader& answer, std::string_view bytes) {
  if (answer.status() == 200 && answer.header("content-type").starts_with("text/event-stream"))
    return events_.read(bytes, [this](std::string_view data) { event(data); });
  refusal_.append(bytes.substr(0, kMostRefusal - std::min(kMostRefusal, refusal_.size())));
}

void LoadStream::event(std::string_view data) {
  if (data == "[DONE]") {
    over_ = true;
    return;
  }
  const Json json = parse(data);
  if (!json.is_object()) fail(Errc::kBadFile, "an event that is no JSON object: {}", shown(data));
  if (!at(json, "error").is_null()) fail(Errc::kBadFile, "{}", message_of(data));
  if (const Json& usage = at(json, "usage"); usage.is_object()) {
    take_count(usage, "prompt_tokens", sample_.prompt_tokens);
    take_count(usage, "completion_tokens", sample_.output_tokens);
    take_count(at(usage, "prompt_tokens_details"), "cached_tokens", sample_.cached_tokens);
  }
  const Json& choices = at(json, "choices");
  if (!choices.is_array() || choices.empty()) return;
  const bool ends = at(choices[0], "finish_reason").is_string();
  // A token may have no text: of an answer without any the end counts.
  if (says_something(choices[0]) || (ends && pieces_ == 0)) count_text();
  over_ |= ends;
}

void LoadStream::count_text() {
  const double now = seconds();
  if (pieces_++ == 0)
    sample_.first = now;
  else
    sample_.gaps.push_back(static_cast<float>(now - sample_.last));
  sample_.last = now;
}

LoadSample LoadStream::finish(int status, const std::string& error) {
  sample_.status = status;
  sample_.whole = seconds();
  if (status != 0 && status != 200)
    sample_.error = fmt::format("status {}: {}", status, message_of(refusal_));
  else if (!error.empty())
    sample_.error = error;
  else if (!refusal_.empty())
    sample_.error = "the answer is no stream: " + shown(refusal_);
  else if (!over_)
    sample_.error = "the stream ended without saying that it is over";
  else if (pieces_ == 0)
    sample_.error = "the stream had no text";
  if (sample_.output_tokens < 0) sample_.output_tokens = pieces_;
  return std::move(sample_);
}

}  // namespace skald::serve
