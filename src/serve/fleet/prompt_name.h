// PromptName: what a prompt's beginning is called among servers, in the header that proxies route by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/prefix_digest.h"
#include "serve/fields/generation_request.h"
#include "serve/options.h"

namespace skald::serve {

/// Names the header, as messages and as requests have it.
inline constexpr std::string_view kPrefixHeader = "X-Skald-Prefix", kPrefixField = "x-skald-prefix";
/// Names the server's header of answers.
inline constexpr std::string_view kServerField = "x-skald-server";

struct PromptName {
  PrefixHash prefix = 0;                // of the first pages, or of a prompt that is shorter than one
  std::string space = {};               // whose pages fit
  std::vector<PrefixHash> hashes = {};  // of the pages that the request can take
  int64_t tokens = 0;                   // of the prompt
};

/// Names the first prompt of a request by its first ServeOptions::route_pages pages. The same model with the same options
/// gives the same name on each server, for one API key and salt.
PromptName name_prompt(const GenerationRequest& what, const ServedModel& model, const ServeOptions& options);

/// Writes a hash as 16 digits, and reads one; none for other texts.
std::string prefix_text(PrefixHash hash);
std::optional<PrefixHash> prefix_of(std::string_view text);

}  // namespace skald::serve
