#include "hub/url.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>

#include <cctype>
#include <memory>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

class ParsedUrl {
 public:
  ParsedUrl() : url_(curl_url()) {}

  /// Tells whether the text is a URL. Parts that it leaves out are those of the one set before.
  bool set(const std::string& text) { return url_ && curl_url_set(url_.get(), CURLUPART_URL, text.c_str(), 0) == CURLUE_OK; }

  std::string part(CURLUPart which, unsigned flags = 0) const {
    char* text = nullptr;
    if (curl_url_get(url_.get(), which, &text, flags) != CURLUE_OK) return "";
    std::string out = text;
    curl_free(text);
    return out;
  }

 private:
  struct Free {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
  };
  std::unique_ptr<CURLU, Free> url_;
};

// By the host's name itself: a name server may say anything of it.
bool is_loopback(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return host == "localhost" || host == "[::1]";
}

// Why no machine may be asked by it; null: it may.
const char* wrong_with_web(const ParsedUrl& url) {
  const std::string scheme = url.part(CURLUPART_SCHEME), host = url.part(CURLUPART_HOST);
  if (scheme != "https" && scheme != "http") return "only http and https are used";
  if (host.empty()) return "it has no host";
  if (!url.part(CURLUPART_USER).empty() || !url.part(CURLUPART_PASSWORD).empty()) return "it has a user or a password";
  return nullptr;
}

// The same, where the text between the machines must be secret.
const char* wrong_with(const ParsedUrl& url) {
  if (const char* wrong = wrong_with_web(url)) return wrong;
  const bool open = url.part(CURLUPART_SCHEME) == "http" && !is_loopback(url.part(CURLUPART_HOST));
  return open ? "http is used for this machine only; want https" : nullptr;
}

void check(const std::string& url, const char* (*wrong_with_it)(const ParsedUrl&)) {
  ParsedUrl parsed;
  if (!parsed.set(url)) fail(Errc::kBadInput, "{} is not a URL", skald::quoted(url));
  // Not shown: there may be a password in it.
  if (const char* wrong = wrong_with_it(parsed)) fail(Errc::kBadInput, "the URL cannot be used: {}", wrong);
}

}  // namespace

void check_url(const std::string& url) { check(url, wrong_with); }

void check_web_url(const std::string& url) { check(url, wrong_with_web); }

std::string origin_of(const std::string& url) {
  ParsedUrl parsed;
  if (!parsed.set(url)) fail(Errc::kBadInput, "{} is not a URL", skald::quoted(url));
  return fmt::format("{}://{}:{}", parsed.part(CURLUPART_SCHEME), parsed.part(CURLUPART_HOST),
                     parsed.part(CURLUPART_PORT, CURLU_DEFAULT_PORT));
}

std::string follow(const std::string& url, const std::string& location) {
  ParsedUrl parsed;
  const bool known = parsed.set(url);
  const std::string scheme = parsed.part(CURLUPART_SCHEME);
  if (!known || !parsed.set(location))
    fail(Errc::kBadFile, "the server leads to {}, which is not a URL", skald::quoted(location));
  const auto refuse = [&](const char* why) {
    fail(Errc::kBadFile, "the server leads to {}, which is not followed: {}", skald::quoted(location), why);
  };
  if (scheme == "https" && parsed.part(CURLUPART_SCHEME) != "https") refuse("it leads from https to http");
  if (const char* wrong = wrong_with(parsed)) refuse(wrong);
  return parsed.part(CURLUPART_URL);
}

std::string percent_encoded(std::string_view text, bool slashes) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && std::isalnum(byte)) || std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain || (slashes && c == '/'))
      out += c;
    else
      out += fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace skald
