// The head of a tag: a name, in quotes or not, and attributes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/chat/replies/reading.h"
#include "text/chat/replies/reply_reader.h"

namespace skald {

struct TagHead {
  std::string name;        // of character references free
  std::string attributes;  // the text between the name and the end
};

/// Reads up to and with `end`; `quoted`: a name in quotes, of which the first was read. False: there is none.
Reading take_head(ReplyReader& r, std::string_view end, bool quoted, TagHead& head);

/// Returns a value's kinds (bits of JsonKind) by the attributes string="true" and type="string". None: they are not there.
std::optional<uint8_t> told_kinds(std::string_view attributes);

}  // namespace skald
