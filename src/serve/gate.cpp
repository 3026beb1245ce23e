#include "serve/gate.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/lowercase.h"
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

// The sum of the request's key, if it is one of ours.
std::optional<Sha256Sum> known_key(const ServeOptions& options, const HttpRequest& request) {
  const Sha256Sum given = sum_of(key_of(request));
  bool known = false;
  for (const std::string& key : options.api_keys) known |= same(given, sum_of(key));
  return known ? std::optional(given) : std::nullopt;
}

// Of "127.0.0.1:8080" the address; of "[2001:db8::1]:8080" the first 64 bits, which one customer has.
std::string network_of(std::string_view peer) {
  in6_addr address{};
  const std::string host(host_name(peer));
  if (!peer.starts_with('[') || inet_pton(AF_INET6, host.c_str(), &address) != 1) return host;
  return hexadecimal(std::as_bytes(std::span(address.s6_addr)).first(sizeof(address) / 2));
}

constexpr size_t kMostHeaders = 100, kLongestName = 100;

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// A token (RFC 9110, 5.6.2).
bool is_header_name(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  const auto fits = [&](char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || kOthers.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, fits);
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
  if (const auto given = known_key(options, request)) return hexadecimal(*given);
  throw ApiError(401, "a valid API key is needed: Authorization: Bearer KEY, or x-api-key", {}, "invalid_api_key");
}

std::string owner_of(const std::string& key) { return hexadecimal(sum_of(key)); }

std::string client_of(const ServeOptions& options, const HttpRequest& head) {
  const auto key = known_key(options, head);
  return key ? hexadecimal(*key) : network_of(head.peer);
}

bool may_read(const ServeOptions& options, const HttpRequest& request) {
  return std::ranges::find(options.cors, request.header("origin")) != options.cors.end();
}

std::string allowed_headers(const HttpRequest& request) {
  constexpr std::string_view kUsual = "authorization, content-type, x-api-key, x-request-id";
  std::vector<std::string> names;
  std::string_view rest = request.header("access-control-request-headers");
  while (!rest.empty() && names.size() < kMostHeaders) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view name = trimmed(rest.substr(0, comma));
    if (is_header_name(name)) names.push_back(lowercase(name));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return names.empty() ? std::string(kUsual) : fmt::format("{}", fmt::join(names, ", "));
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
