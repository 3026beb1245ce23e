// Prefill: a server that reads prompts for others, which write the texts (`--role prefill`).
#pragma once

#include <memory>
#include <string_view>

#include "serve/fields/generation_request.h"
#include "serve/request_context.h"
#include "serve/run/answer.h"

namespace skald::serve {

/// Names the header of a prompt's stored pages: of a prefill's answer, and of the request that goes on from them. As
/// messages and as requests have it.
inline constexpr std::string_view kPrefillHeader = "X-Skald-Prefill", kPrefillField = "x-skald-prefill";

/// Has a request's prompt read and stored, and no text written. Throws ApiError where it cannot be: for several prompts, or
/// one that is to be kept from the cache. Returns the form of its answer.
std::unique_ptr<ResponseWriter> make_prefill(GenerationRequest& what);

/// Has a request go on from the pages that its header names, if it does.
void read_prefilled(const RequestContext& context, GenerationRequest& what);

}  // namespace skald::serve
