#include "hub/settings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "base/lowercase.h"
#include "hub/url.h"

namespace skald {
namespace {

constexpr size_t kLongestToken = 4096;

// An empty variable is none.
std::string value_of(const Environment& environment, const char* name, const std::string& otherwise = "") {
  const char* const value = environment(name);
  return value && *value ? value : otherwise;
}

bool is_on(const std::string& value) {
  const std::string word = lowercase(value);
  return word == "1" || word == "on" || word == "yes" || word == "true";
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// $NAME and ${NAME}; those that are not set stay as they are, as Python's expandvars leaves them.
std::string with_variables(const Environment& environment, const std::string& path) {
  std::string out;
  for (size_t at = 0; at < path.size();) {
    const bool braces = path.compare(at, 2, "${") == 0;
    size_t begin = at + (braces ? 2 : 1), end = begin;
    while (end < path.size() && in_name(path[end])) ++end;
    const bool named = path[at] == '$' && end > begin && (!braces || (end < path.size() && path[end] == '}'));
    const char* const value = named ? environment(path.substr(begin, end - begin).c_str()) : nullptr;
    if (value) {
      out += value;
      at = end + (braces ? 1 : 0);
    } else {
      out += path[at++];
    }
  }
  return out;
}

std::string path_of(const Environment& environment, const std::string& path) {
  const bool home = path == "~" || path.starts_with("~/");
  return with_variables(environment, home ? value_of(environment, "HOME", "/") + path.substr(1) : path);
}

std::string without_space(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// It becomes part of a header: a line feed in it would begin another one.
std::string checked_token(std::string_view text, const std::string& from) {
  const std::string token = without_space(text);
  const bool printable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
  if (!printable || token.size() > kLongestToken) fail(Errc::kBadInput, "{}: this is no token", from);
  return token;
}

std::string token_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLongestToken + 2, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return checked_token(text, path);
}

std::string endpoint_of(const Environment& environment) {
  std::string endpoint = value_of(environment, "HF_ENDPOINT", "https://huggingface.co");
  while (endpoint.ends_with('/')) endpoint.pop_back();
  doing("HF_ENDPOINT", [&] { check_url(endpoint); });
  return endpoint;
}

}  // namespace

HubSettings hub_settings(const Environment& environment) {
  const std::string caches = value_of(environment, "XDG_CACHE_HOME", "~/.cache");
  const std::string home = path_of(environment, value_of(environment, "HF_HOME", caches + "/huggingface"));
  HubSettings out{.endpoint = endpoint_of(environment), .token = {}, .cache = {}};
  out.cache = path_of(environment, value_of(environment, "HF_HUB_CACHE", home + "/hub"));
  out.offline = is_on(value_of(environment, "HF_HUB_OFFLINE"));
  out.token = checked_token(value_of(environment, "HF_TOKEN"), "HF_TOKEN");
  if (out.token.empty()) out.token = token_in(path_of(environment, value_of(environment, "HF_TOKEN_PATH", home + "/token")));
  return out;
}

HubSettings hub_settings() {
  return hub_settings([](const char* name) { return std::getenv(name); });  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace skald
