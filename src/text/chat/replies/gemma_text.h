// Gemma 4's notation for arguments: {key:<|"|>text<|"|>,number:1,list:[true,null]}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/chat/replies/reading.h"
#include "text/chat/replies/reply_reader.h"

namespace skald {

/// Reads the braces that begin here, and their content. False: they do not close.
Reading take_gemma(ReplyReader& r, size_t& begin);

/// Returns the object as JSON. None: it is none, or is nested too deep.
std::optional<std::string> gemma_json(std::string_view object);

}  // namespace skald
