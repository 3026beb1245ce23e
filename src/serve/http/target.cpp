#include "serve/http/target.h"

#include <algorithm>
#include <optional>

#include "base/lowercase.h"

namespace skald::serve {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1, low = high < 0 ? -1 : hex_digit(text[i + 2]);
    if (low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

bool read_query(std::string_view query, HttpFields& fields) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decoded(pair.substr(0, equals), true);
    auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return false;
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return true;
}

// Cuts "http://host" off the front, and gives the host.
std::optional<std::string> cut_authority(std::string_view& target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (lowercase(target.substr(0, scheme.size())) != scheme) continue;
    target.remove_prefix(scheme.size());
    const size_t end = std::min(target.find_first_of("/?"), target.size());
    std::string host(target.substr(0, end));
    target.remove_prefix(end);
    return host;
  }
  return std::nullopt;
}

void set_host(HttpFields& headers, std::string host) {
  std::erase_if(headers, [](const auto& field) { return field.first == "host"; });
  headers.emplace_back("host", std::move(host));
}

}  // namespace

bool read_target(std::string_view target, HttpRequest& request) {
  if (target == "*") {  // of OPTIONS
    request.path = target;
    return true;
  }
  if (auto host = cut_authority(target)) {
    set_host(request.headers, std::move(*host));
    if (target.empty() || target[0] == '?') request.path = "/";
  } else if (!target.starts_with('/')) {
    return false;
  }
  const size_t end = std::min(target.find('?'), target.size());
  auto path = percent_decoded(target.substr(0, end), false);
  if (!path) return false;
  if (!path->empty()) request.path = std::move(*path);
  return read_query(target.substr(std::min(end + 1, target.size())), request.query);
}

}  // namespace skald::serve
