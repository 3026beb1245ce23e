// The meaning of HTTP's statuses for a client.
#pragma once

#include <optional>
#include <string>

#include "hub/http.h"

namespace skald {

/// Throws for a status that is not 2xx: HttpFailure where asking again may help, else Error: kNotFound for 401, 403 and 404,
/// kDevice. `with_token`: whether a token went along, for the message's advice.
void check_status(const HttpAnswer& answer, bool with_token);

/// Returns the seconds from `now` (of the Unix epoch) that a header Retry-After asks to wait, which is a number or a date;
/// nullopt for neither. RFC 9110, 10.2.3.
std::optional<double> retry_after(const std::string& header, int64_t now);

}  // namespace skald
