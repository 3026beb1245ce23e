#include "tools/report/json_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace skald {

std::vector<std::string> texts_of_lines(std::string_view file) {
  std::vector<std::string> out;
  for (size_t line = 1; !file.empty(); ++line) {
    const size_t end = std::min(file.find('\n'), file.size());
    const std::string_view text = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
    if (!value.is_string()) fail(Errc::kBadFile, "line {} is no JSON string", line);
    out.push_back(value.get<std::string>());
  }
  return out;
}

}  // namespace skald
