// How requests end when something is missing: none of this takes memory that may not be there.
#pragma once

#include <optional>
#include <string_view>

#include "engine/kept_promise.h"
#include "skald/engine.h"

namespace skald {

/// The result tells this error; a shorter one where there is no memory for its text.
void set_error(Result& result, std::string_view error, std::optional<Errc> code) noexcept;

/// Ends a request that never ran: its callback receives one end, and its result the `timing`.
void finish_unrun(RequestId id, const Request& request, KeptPromise<Result>& promise, const Timing& timing,
                  FinishReason reason, std::string_view error, std::optional<Errc> code) noexcept;

}  // namespace skald
