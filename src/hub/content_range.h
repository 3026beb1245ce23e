// The header Content-Range, RFC 9110, 14.4.
#pragma once

#include <cstdint>
#include <string_view>

namespace skald {

/// Throws kBadFile unless an answer with this header ("bytes 100-199/200") begins at `from`, of a file of `size` bytes.
void check_content_range(std::string_view header, int64_t from, int64_t size);

}  // namespace skald
