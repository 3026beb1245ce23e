#include "serve/mcp/mcp_server.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/lowercase.h"
#include "hub/url.h"
#include "io/printable.h"

namespace skald::serve {
namespace {

constexpr size_t kLongestName = 32;
constexpr size_t kMostMcpHeaders = 16, kLongestMcpHeader = 8192;

// Letters of names, of servers and of headers alike: none needs an escape in a path.
bool is_name_letter(char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-' || c == '_';
}

bool is_name(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_name_letter); }

bool is_url(std::string_view text) {
  const std::string begin = lowercase(text.substr(0, 8));
  return begin.starts_with("http://") || begin.starts_with("https://");
}

// "https://mcp.example.org:443" as "mcp-example-org-443".
std::string name_of(const std::string& url) {
  const std::string origin = origin_of(url);
  std::string name = origin.substr(origin.find("://") + 3);
  std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
  std::ranges::replace_if(
      name, [](char c) { return !is_name_letter(c); }, '-');
  return name.substr(0, kLongestName);
}

// Those that the connection and the protocol need.
bool is_reserved(const std::string& name) {
  constexpr std::array<std::string_view, 10> kReserved = {
      "accept", "connection", "content-length", "content-type",         "expect",
      "host",   "keep-alive", "mcp-session-id", "mcp-protocol-version", "transfer-encoding"};
  return std::ranges::find(kReserved, name) != kReserved.end();
}

std::string_view without_blanks(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::string checked_header(std::string_view line, size_t number) {
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = without_blanks(line.substr(std::min(colon + 1, line.size())));
  if (!is_name(name) || value.empty()) fail(Errc::kBadInput, "line {}: want NAME: VALUE", number);
  if (is_reserved(lowercase(name))) fail(Errc::kBadInput, "line {}: the server sets {} itself", number, name);
  const bool printable = std::ranges::all_of(value, [](char c) { return c >= ' ' && c < 0x7f; });
  if (!printable || line.size() > kLongestMcpHeader) fail(Errc::kBadInput, "line {}: this is no value of a header", number);
  return std::string(name).append(": ").append(value);
}

}  // namespace

McpServer read_mcp_server(std::string_view text) {
  McpServer out;
  const size_t equals = is_url(text) ? text.npos : text.find('=');
  out.url = text.substr(equals == text.npos ? 0 : equals + 1);
  check_web_url(out.url);
  out.name = equals == text.npos ? name_of(out.url) : std::string(text.substr(0, equals));
  if (!is_name(out.name) || out.name.size() > kLongestName)
    fail(Errc::kBadInput, "{}: want a name of up to {} letters, digits, - and _", skald::quoted(out.name), kLongestName);
  return out;
}

std::vector<std::string> read_mcp_headers(std::string_view text) {
  std::vector<std::string> out;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_blanks(text.substr(0, end));
    if (!line.empty() && line.front() != '#') out.push_back(checked_header(line, number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (out.empty()) fail(Errc::kBadInput, "there is no header in it");
  if (out.size() > kMostMcpHeaders) fail(Errc::kBadInput, "want at most {} headers", kMostMcpHeaders);
  return out;
}

}  // namespace skald::serve
