#include "serve/page.h"

#include <fmt/format.h>
#include <span>

#include "base/digest.h"
#include "base/error.h"
#include "serve/page_source.h"

namespace skald::serve {

namespace {

std::string sha256_base64(std::string_view text) { return base64(sha256({std::as_bytes(std::span(text))})); }

/// Returns all between the tags, line ends included, as browsers hash it.
std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const size_t begin = text.find(open);
  SKALD_ASSERT(begin != text.npos);
  text.remove_prefix(begin + open.size());
  const size_t end = text.find(close);
  SKALD_ASSERT(end != text.npos);
  return text.substr(0, end);
}

struct Sums {
  std::string script, style, policy;
  explicit Sums(std::string_view html)
      : script(sha256_base64(between(html, "<script type=\"module\">", "</script>"))),
        style(sha256_base64(between(html, "<style>", "</style>"))),
        policy(fmt::format("default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; "
                           "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                           script, style)) {}
};

}  // namespace

const WebPage& web_page() {
  static const Sums sums(page_source());
  static const WebPage page{page_source(), sums.script, sums.style, sums.policy};
  return page;
}

}  // namespace skald::serve
