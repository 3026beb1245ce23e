#include "stores/store_url.h"

#include <curl/curl.h>

#include <charconv>
#include <memory>
#include <ranges>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part(CURLU* url, CURLUPart which, unsigned flags = CURLU_URLDECODE) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return "";
  std::string out = text;
  curl_free(text);
  return out;
}

std::string decoded(std::string_view text) {
  int length = 0;
  char* const out = curl_easy_unescape(nullptr, text.data(), static_cast<int>(text.size()), &length);
  if (!out) return "";
  std::string copy(out, static_cast<size_t>(length));
  curl_free(out);
  return copy;
}

std::map<std::string, std::string> parameters_of(const std::string& query) {
  std::map<std::string, std::string> out;
  for (const auto word : query | std::views::split('&')) {
    const std::string_view text(word.begin(), word.end());
    if (text.empty()) continue;
    const size_t equals = std::min(text.find('='), text.size());
    out[decoded(text.substr(0, equals))] = decoded(text.substr(std::min(equals + 1, text.size())));
  }
  return out;
}

}  // namespace

// libcurl takes the first folder of a path without a host for one.
StoreUrl read_store_url(const std::string& said) {
  constexpr std::string_view kPath = "unix:///", kNowhere = "unix://localhost/";
  const bool is_path = said.starts_with(kPath);
  const std::string text = is_path ? std::string(kNowhere) + said.substr(kPath.size()) : said;
  const std::unique_ptr<CURLU, FreeUrl> url(curl_url());
  constexpr unsigned kAny = CURLU_NON_SUPPORT_SCHEME | CURLU_NO_AUTHORITY;
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), kAny) != CURLUE_OK)
    fail(Errc::kBadInput, "it is not a URL");
  StoreUrl out{.scheme = part(url.get(), CURLUPART_SCHEME),
               .user = part(url.get(), CURLUPART_USER),
               .password = part(url.get(), CURLUPART_PASSWORD),
               .host = is_path ? "" : part(url.get(), CURLUPART_HOST, 0),
               .path = part(url.get(), CURLUPART_PATH)};
  if (out.path.starts_with('/')) out.path.erase(0, 1);
  const std::string port = part(url.get(), CURLUPART_PORT, 0);
  std::from_chars(port.data(), port.data() + port.size(), out.port);
  out.parameters = parameters_of(part(url.get(), CURLUPART_QUERY, 0));
  return out;
}

std::string StoreUrl::take(const std::string& name) {
  const auto taken = parameters.extract(name);
  return taken ? taken.mapped() : "";
}

void StoreUrl::check_taken() const {
  if (!parameters.empty()) fail(Errc::kBadInput, "{} is not a parameter of it", skald::quoted(parameters.begin()->first));
}

}  // namespace skald
