// The models of a running server, as it tells them at /api/ps.
#pragma once

#include <string>

namespace skald {

/// Gives the server's answer, which is JSON. `key` may be empty. Throws Error: kDevice where no server answers, kNotFound
/// where it has no such endpoint or wants another key.
std::string served_models(const std::string& url, const std::string& key);

/// Gives a table of name, parameters, type and size. Throws Error (kBadFile) for a text that is no such answer.
std::string served_models_table(const std::string& answer);

}  // namespace skald
