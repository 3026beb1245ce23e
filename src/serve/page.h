// The web page of `skald serve`, with the hashes for browsers.
#pragma once

#include <string>
#include <string_view>

namespace skald::serve {

struct WebPage {
  std::string_view html;  // one file: style and script are in it, no other host is asked
  std::string_view script_sha256_base64, style_sha256_base64;  // of the texts between its tags
  std::string_view security_policy;  // the header Content-Security-Policy: that script and that style only
};

/// The same at every call. Throws Error (kUnsupported) where OpenSSL has no SHA-256.
const WebPage& web_page();

}  // namespace skald::serve
