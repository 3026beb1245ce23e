// Servers of tools (the Model Context Protocol over streamable HTTP) that the operator lists and pages may call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skald::serve {

struct McpServer {
  std::string name, url;
  std::vector<std::string> headers = {};  // "Name: value", which may be secret
};

/// Reads "NAME=URL" or "URL", which is named by its host. Throws Error (kBadInput), which shows no secret of the URL.
McpServer read_mcp_server(std::string_view text);

/// Reads headers, a line each; empty lines and those that begin with # are none. Throws Error (kBadInput), which shows no
/// value.
std::vector<std::string> read_mcp_headers(std::string_view text);

}  // namespace skald::serve
