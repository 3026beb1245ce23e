// Text inside XML.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Any bytes as XML text or an attribute's value: markup escaped, bytes that are not UTF-8 or no character of XML as U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace skald
