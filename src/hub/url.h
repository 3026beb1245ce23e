// URLs that may be asked.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Throws kBadInput, naming it, for what is no URL of https, or of http to this machine (loopback), or has a password.
void check_url(const std::string& url);

/// Scheme, host and port: "https://huggingface.co:443". Of a URL that check_url() takes.
std::string origin_of(const std::string& url);

/// Where a redirect or a link leads, which may be relative. Throws kBadFile for what check_url() does not take, and for one
/// from https to http.
std::string follow(const std::string& url, const std::string& location);

/// A path or a word as part of a URL: what is not a letter, a digit or one of "-._~" as %XX. Slashes stay with `slashes`.
std::string percent_encoded(std::string_view text, bool slashes);

}  // namespace skald
