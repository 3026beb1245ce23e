// The templates that are built in, and those of others where they lie beside the checkout.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "text/chat/template_source.h"

namespace skald::serve {

struct NamedTemplate {
  std::string name, source;
};

inline void PrintTo(const NamedTemplate& t, std::ostream* out) { *out << t.name; }

inline std::vector<NamedTemplate> every_template() {
  std::vector<NamedTemplate> out;
  for (const BuiltinTemplate& t : builtin_templates()) out.push_back({std::string(t.name), std::string(t.text)});
  const std::filesystem::path others = test::shared_dir() / "templates";
  if (!std::filesystem::exists(others)) return out;
  for (const auto& file : std::filesystem::directory_iterator(others)) {
    if (file.path().extension() != ".jinja") continue;
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    out.push_back({file.path().stem().string(), text.str()});
  }
  std::ranges::sort(out, {}, &NamedTemplate::name);
  return out;
}

/// Of a test with this parameter.
inline std::string test_name(const NamedTemplate& t) {
  std::string name = t.name;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

}  // namespace skald::serve
