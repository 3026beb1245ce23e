// URLs that may be asked.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Throws kBadInput, naming it, unless it is a URL of https, or of http to this machine (loopback), without a password.
void check_url(const std::string& url);

/// The same, and http to any machine passes too: for URLs that the operator has chosen.
void check_web_url(const std::string& url);

/// Scheme, host and port: "https://huggingface.co:443". Of a URL that check_web_url() takes.
std::string origin_of(const std::string& url);

/// Returns the target of a redirect or a link, which may be relative. Throws kBadFile for a URL that check_url() rejects,
/// and for one from https to http.
std::string follow(const std::string& url, const std::string& location);

/// Writes a path or a word as part of a URL: all but letters, digits and "-._~" as %XX. Slashes stay with `slashes`.
std::string percent_encoded(std::string_view text, bool slashes);

}  // namespace skald
