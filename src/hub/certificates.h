// The certificates by which servers are trusted.
#pragma once

#include <optional>
#include <string>

#include "hub/settings.h"

namespace skald {

/// Returns the file of certificates: SSL_CERT_FILE, else, unless libcurl `knows` the system's, the first that is there of
/// those that systems have; nullopt: none. `root` is where /etc begins; tests put files of their own there.
std::optional<std::string> certificate_file(const Environment& environment, bool knows, const std::string& root = "");

}  // namespace skald
