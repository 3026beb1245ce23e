// The tools of a request, as grammars of calls need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skald {

struct ToolSchema {
  std::string name;
  std::string parameters;  // a JSON schema of the arguments, which are an object
};

/// Of a JSON list as the chat API's: {"type": "function", "function": {"name", "parameters"}}, or the functions alone. A
/// tool without parameters takes none. Throws kBadInput saying what is wrong, as for names that come twice.
std::vector<ToolSchema> read_tool_list(std::string_view json);

}  // namespace skald
