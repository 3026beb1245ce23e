#include "serve/gate.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "base/digest.h"
#include "serve/api_error.h"

namespace skald::serve {
namespace {

Sha256Sum sum_of(std::string_view text) { return sha256({std::as_bytes(std::span(text))}); }

// Sums have one length, so that comparing tells nothing about a key.
bool same(const Sha256Sum& a, const Sha256Sum& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

std::string_view key_of(const HttpRequest& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.header("authorization");
  if (authorization.size() >= kBearer.size() &&
      std::equal(kBearer.begin(), kBearer.end(), authorization.begin(), [](char a, char b) { return (a | 32) == (b | 32); }))
    return authorization.substr(kBearer.size());
  return request.header("x-api-key");
}

// "example.org:8080" without the port; "[::1]:80" without brackets too.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string_view host) {
  const std::string text(host);
  in6_addr any{};
  return inet_pton(AF_INET, text.c_str(), &any) == 1 || inet_pton(AF_INET6, text.c_str(), &any) == 1;
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

bool is_here(const ServeOptions& options, std::string_view host) {
  return host.find('.') == std::string_view::npos || is_address(host) || host.ends_with(".localhost") ||
         std::ranges::find(options.allowed_hosts, host) != options.allowed_hosts.end();
}

// The origin of a page that this server gave.
bool is_own(std::string_view origin, std::string_view host) {
  const size_t at = origin.find("://");
  return at != std::string_view::npos && origin.substr(at + 3) == host;
}

}  // namespace

bool listens_here_only(const ServeOptions& options) { return is_loopback(options.http.host); }

std::string checked_key(const ServeOptions& options, const HttpRequest& request) {
  if (options.api_keys.empty()) return {};
  const Sha256Sum given = sum_of(key_of(request));
  bool known = false;
  for (const std::string& key : options.api_keys) known |= same(given, sum_of(key));
  if (!known)
    throw ApiError(401, "a valid API key is needed: Authorization: Bearer KEY, or x-api-key", {}, "invalid_api_key");
  return hexadecimal(given);
}

bool may_read(const ServeOptions& options, const HttpRequest& request) {
  return std::ranges::find(options.cors, request.header("origin")) != options.cors.end();
}

void check_host(const ServeOptions& options, const HttpRequest& request) {
  if (!options.api_keys.empty() || !is_loopback(options.http.host)) return;
  const std::string_view host = request.header("host"), origin = request.header("origin");
  if (!is_here(options, host_name(host)))
    throw ApiError(403, "the host " + std::string(host) + " is not this server's: see --allowed-hosts");
  const bool reads = request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS";
  const bool of_web = origin.starts_with("http://") || origin.starts_with("https://") || origin == "null";
  if (!reads && of_web && !is_own(origin, host) && !may_read(options, request))
    throw ApiError(403, "pages of " + std::string(origin) + " may not ask: see --cors");
}

}  // namespace skald::serve
