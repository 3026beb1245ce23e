// Base64, as tokenizer files carry bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skald {

/// Returns the bytes that `text` stands for, with or without padding; nullopt where it is not base64.
std::optional<std::string> base64_bytes(std::string_view text);

}  // namespace skald
