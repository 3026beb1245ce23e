// Heads of answers.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http.h"

namespace skald::serve {

/// "Not Found"; "Status" for a number that has no name here.
std::string_view reason_phrase(int status);

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7).
std::string http_date(std::time_t time);

/// Returns whether an answer's x-request-id may be the client's `id`: up to 64 letters, digits, and "._-".
bool is_request_id(std::string_view id);

/// The connection's part of an answer's head.
struct Framing {
  std::string id = {};
  bool http10 = false, head_only = false, keep_alive = false;
};

/// Returns the head of an answer with a body of `length` bytes, or (nullopt) of a stream.
std::string answer_head(const HttpAnswer& answer, const Framing& framing, std::optional<size_t> length);

/// Returns whether answers of this status have no body.
bool is_bodyless(int status);

/// `piece`, which is not empty, as a chunk (RFC 9112, 7.1).
std::string as_chunk(std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace skald::serve
