#include "serve/api_error.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "serve/json.h"
#include "skald/error.h"

namespace skald::serve {
namespace {

constexpr int kRetrySeconds = 1;

std::string_view openai_type(int status) {
  switch (status) {
    case 401:
    case 403:
      return "authentication_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    case 500:
      return "server_error";
    case 501:
      return "not_supported_error";
    case 502:
    case 504:
      return "upstream_error";
    case 503:
      return "unavailable_error";
    default:
      return "invalid_request_error";
  }
}

std::string_view anthropic_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    case 500:
    case 501:
      return "api_error";
    default:
      return "invalid_request_error";
  }
}

Json openai_error(const ApiError& e) {
  Json error = {{"message", e.message()}, {"type", openai_type(e.status())}, {"param", nullptr}, {"code", nullptr}};
  if (!e.param().empty()) error["param"] = e.param();
  if (!e.code().empty()) error["code"] = e.code();
  if (e.too_long) {
    error["n_prompt_tokens"] = e.too_long->n_prompt_tokens;
    error["n_ctx"] = e.too_long->n_ctx;
  }
  return {{"error", std::move(error)}};
}

std::string too_long_words(const ApiError::TooLong& sizes) {
  return fmt::format("prompt is too long: {} tokens > {} maximum", sizes.n_prompt_tokens, sizes.most);
}

// Clients of these see the message alone, which then names the field. Agents look for Anthropic's own words of a long
// prompt.
std::string with_param(const ApiError& e) {
  if (e.too_long) return too_long_words(*e.too_long);
  const bool named = e.param().empty() || e.message().find(e.param()) != std::string::npos;
  return named ? e.message() : e.param() + ": " + e.message();
}

Json anthropic_error(const ApiError& e, std::string_view id) {
  return {
      {"type", "error"}, {"error", {{"type", anthropic_type(e.status())}, {"message", with_param(e)}}}, {"request_id", id}};
}

}  // namespace

ApiError too_long(std::string_view field, const ApiError::TooLong& sizes) {
  ApiError e(
      400,
      fmt::format(
          "{}: the request exceeds the available context size: {} (this model's maximum context length is {} tokens{})",
          field, too_long_words(sizes), sizes.n_ctx, sizes.most < sizes.n_ctx ? ", the answer's included" : ""),
      std::string(field), "context_length_exceeded");
  e.too_long = sizes;
  return e;
}

void refuse_field(const std::string& field, std::string_view want) {
  throw ApiError(400, fmt::format("{}: want {}", field, want), field);
}

ApiError as_api_error(const std::exception& e) {
  if (const auto* api = dynamic_cast<const ApiError*>(&e)) return *api;
  if (const auto* error = dynamic_cast<const Error*>(&e)) {
    if (error->code() == Errc::kBadInput) return ApiError(400, error->what());
    if (error->code() == Errc::kBusy) return ApiError(429, error->what());
    if (error->code() == Errc::kUnsupported) return ApiError(400, error->what(), {}, "unsupported");
  }
  log(LogLevel::kError, "serve: {}", e.what());
  const auto* const failed = dynamic_cast<const Error*>(&e);
  if (failed && failed->code() == Errc::kDevice) return ApiError(503, "the server cannot compute now; its log says why");
  return ApiError(500, "the server failed; its log says why");
}

Dialect dialect_of(std::string_view path) {
  if (path.starts_with("/v1/messages")) return Dialect::kAnthropic;
  return path.starts_with("/api/") ? Dialect::kOllama : Dialect::kOpenAi;
}

std::string error_body(const ApiError& e, Dialect dialect, std::string_view request_id) {
  switch (dialect) {
    case Dialect::kAnthropic:
      return dump(anthropic_error(e, request_id));
    case Dialect::kOllama:
      return dump({{"error", with_param(e)}});
    case Dialect::kOpenAi:
      break;
  }
  return dump(openai_error(e));
}

HttpAnswer error_answer(const ApiError& e, Dialect dialect, std::string_view request_id) {
  HttpAnswer out{e.status(), {{"content-type", "application/json"}}, error_body(e, dialect, request_id)};
  if (e.status() == 429 || e.status() == 503) {
    out.headers.emplace_back("retry-after", std::to_string(kRetrySeconds));
    if (!e.retry) out.headers.emplace_back("x-should-retry", "false");
  }
  return out;
}

std::string error_event(const ApiError& e, Dialect dialect, std::string_view request_id) {
  const std::string body = error_body(e, dialect, request_id);
  if (dialect == Dialect::kOllama) return body + "\n";
  return (dialect == Dialect::kAnthropic ? "event: error\ndata: " : "data: ") + body + "\n\n";
}

}  // namespace skald::serve
