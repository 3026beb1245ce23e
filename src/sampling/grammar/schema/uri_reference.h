// URI references: how the $id and $ref of schemas name each other.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// What `reference` means where `base` is the base URI (RFC 3986, section 5.2); its fragment is kept. An empty base leaves
/// the reference as it is.
std::string resolve_uri(std::string_view base, std::string_view reference);

/// The text with %XX replaced by the bytes that they stand for; other % stay.
std::string percent_decoded(std::string_view text);

}  // namespace skald
