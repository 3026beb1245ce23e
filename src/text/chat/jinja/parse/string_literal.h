// Escapes in a template's strings.
#pragma once

#include <string>
#include <string_view>

namespace skald::jinja {

/// Returns the text between the quotes, with the escapes of Python's strings replaced. Throws Failure (kSyntax,
/// kUnsupported).
std::string unescaped(std::string_view literal);

}  // namespace skald::jinja
