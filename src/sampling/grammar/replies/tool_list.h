// The tools of a request, as grammars of calls need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document_error.h"

namespace skald {

struct ToolSchema {
  std::string name;
  std::string parameters;  // a JSON schema of the arguments, which are an object
};

/// Of a JSON list as the chat API's: {"type": "function", "function": {"name", "parameters"}}, or the functions alone. A
/// tool without parameters takes none. Throws kBadInput saying what is wrong, as for names that come twice.
std::vector<ToolSchema> read_tool_list(std::string_view json);

/// Runs `f`, which is about a tool; an Error passing through says of which.
template <class F>
decltype(auto) about_tool(const std::string& name, F&& f) {
  try {
    return doing("tool \"" + name + "\"", f);
  } catch (DocumentError& e) {
    e.set_tool(name);
    throw;
  }
}

}  // namespace skald
