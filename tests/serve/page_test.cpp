// The web page as browsers get it: one file that asks no other host, and a policy that fits it.
#include "serve/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <regex>

namespace skald::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page() { return std::string(web_page().html); }

/// All that lies between two texts, and the page without it.
struct Cut {
  std::string inside, outside;
};

Cut cut(const std::string& text, const std::string& open, const std::string& close) {
  const size_t begin = text.find(open) + open.size();
  const size_t end = text.find(close, begin);
  return {text.substr(begin, end - begin), text.substr(0, begin) + text.substr(end)};
}

/// The page without KaTeX, where it carries that: the browser tests look at the whole.
const std::string& own() {
  static const std::string text = [] {
    std::string rest = page();
    const std::string open = "/* The carried part.", close = "/* The end of the carried part. */";
    for (size_t begin = rest.find(open); begin != std::string::npos; begin = rest.find(open))
      rest.erase(begin, rest.find(close, begin) + close.size() - begin);
    return rest;
  }();
  return text;
}

bool has(const std::string& part) { return own().find(part) != std::string::npos; }

std::string base64_of_sha256(const std::string& text) {
  unsigned char sum[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum);
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (int i = 0; i < 33; i += 3) {
    const unsigned last = i + 2 < 32 ? sum[i + 2] : 0;
    const unsigned three = unsigned{sum[i]} << 16 | unsigned{sum[i + 1]} << 8 | last;
    for (int shift = 18; shift >= 0; shift -= 6) out += digits[three >> shift & 63];
  }
  out.back() = '=';
  return out;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string markup() {
  return cut(cut(own(), "<style>", "</style>").outside, "<script type=\"module\">", "</script>").outside;
}

TEST(WebPage, IsOneWholeDocument) {
  EXPECT_EQ(page().rfind("<!DOCTYPE html>\n<html lang=\"en\">", 0), 0U);
  EXPECT_EQ(page().substr(page().size() - 8), "</html>\n");
  for (const char* tag : {"<style", "</style", "<script", "</script"}) EXPECT_EQ(count(page(), tag), 1U) << tag;
  EXPECT_FALSE(has("@style@"));
  EXPECT_FALSE(has("@script@"));
}

TEST(WebPage, AsksNoOtherHost) {
  std::string said = std::regex_replace(own(), std::regex("([\\s;,{}])//[^\n]*"), "$1");  // comments name their sources
  said = std::regex_replace(said, std::regex("http://www\\.w3\\.org/2000/svg"), "");      // a name, not an address
  EXPECT_FALSE(std::regex_search(said, std::regex("(https?:|[\"'(])//[a-z0-9]", std::regex::icase)));
  for (const char* loading : {"@import", "url(", "importScripts", "\nimport ", "\nexport ", " src=", "srcset",
                              "XMLHttpRequest", "WebSocket", "sendBeacon"})
    EXPECT_FALSE(has(loading)) << loading;
}

TEST(WebPage, NeverReadsTextAsMarkup) {
  for (const char* way : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser",
                          "createContextualFragment", "setHTML", "srcdoc", "eval(", "new Function"})
    EXPECT_FALSE(has(way)) << way;
}

TEST(WebPage, HasNothingThatItsPolicyRefuses) {
  EXPECT_FALSE(std::regex_search(markup(), std::regex("\\s(style|on[a-z]+)\\s*=", std::regex::icase)));
  EXPECT_FALSE(has("setAttribute('style'"));
}

TEST(WebPage, ReadsNothingOfKatexByAnAddress) {
  for (const char* part : {"@font-face", "url(", "innerHTML", "insertAdjacentHTML", "document.write", "eval("})
    EXPECT_EQ(count(page(), part), 0U) << part;
}

TEST(WebPage, SumsAreThoseOfItsScriptAndStyle) {
  const WebPage& served = web_page();
  EXPECT_EQ(served.script_sha256_base64, base64_of_sha256(cut(page(), "<script type=\"module\">", "</script>").inside));
  EXPECT_EQ(served.style_sha256_base64, base64_of_sha256(cut(page(), "<style>", "</style>").inside));
}

TEST(WebPage, PolicyAllowsThatScriptAndThatStyleOnly) {
  const WebPage& served = web_page();
  const std::string policy(served.security_policy);
  EXPECT_THAT(policy, HasSubstr("default-src 'none';"));
  EXPECT_THAT(policy, HasSubstr("script-src 'sha256-" + std::string(served.script_sha256_base64) + "';"));
  EXPECT_THAT(policy, HasSubstr("style-src 'sha256-" + std::string(served.style_sha256_base64) + "';"));
  for (const char* part : {"connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"})
    EXPECT_THAT(policy, HasSubstr(part));
  for (const char* part : {"unsafe", "*", "http"}) EXPECT_THAT(policy, Not(HasSubstr(part)));
}

TEST(WebPage, HasTheHooksThatTestsDriveItBy) {
  for (const char* hook :
       {"new-chat", "chat-list",      "chat-item",  "delete-chat",  "messages",   "message",   "message-text", "prompt",
        "send",     "stop",           "regenerate", "edit",         "edit-box",   "edit-save", "edit-cancel",  "copy",
        "settings", "settings-panel", "api-key",    "theme",        "speed",      "kv",        "error",        "retry",
        "thinking", "tool-call",      "tool-run",   "tool-decline", "tool-always"})
    EXPECT_TRUE(
        std::regex_search(own(), std::regex("(data-testid['\"]?[=:] ?|dataset\\.testid = |plainButton\\('[^']*', )['\"]" +
                                            std::string(hook) + "['\"]")))
        << hook;
  for (const char* name : {"temperature", "max_tokens", "top_k", "top_p", "min_p", "seed", "stop", "system"})
    EXPECT_TRUE(has("name: '" + std::string(name) + "',")) << name;
}

}  // namespace
}  // namespace skald::serve
