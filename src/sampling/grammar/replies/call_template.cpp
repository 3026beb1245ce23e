#include "sampling/grammar/replies/call_template.h"

#include <algorithm>

namespace skald {
namespace {

constexpr std::string_view kVariables[] = {"NAME", "ARGUMENTS", "KEY", "VALUE", "STRING", "TYPE", "INDEX", "ID"};

std::string_view variable_at(std::string_view text) {
  for (const std::string_view name : kVariables) {
    if (text.starts_with('$') && text.substr(1).starts_with(name)) return name;
  }
  return {};
}

}  // namespace

std::vector<TemplatePart> template_parts(std::string_view text) {
  std::vector<TemplatePart> out;
  size_t begin = 0;
  for (size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    const std::string_view name = variable_at(text.substr(at));
    if (name.empty()) continue;
    if (at > begin) out.push_back({false, text.substr(begin, at - begin)});
    out.push_back({true, name});
    begin = at + 1 + name.size();
  }
  if (begin < text.size()) out.push_back({false, text.substr(begin)});
  return out;
}

std::string_view template_head(std::string_view text) {
  const std::vector<TemplatePart> parts = template_parts(text);
  return parts.empty() || parts[0].variable ? std::string_view() : parts[0].text;
}

std::string_view text_behind(std::string_view text, std::string_view variable) {
  const std::vector<TemplatePart> parts = template_parts(text);
  const auto at = std::ranges::find_if(parts, [&](const TemplatePart& p) { return p.variable && p.text == variable; });
  return at == parts.end() || std::next(at) == parts.end() || std::next(at)->variable ? std::string_view()
                                                                                      : std::next(at)->text;
}

}  // namespace skald
