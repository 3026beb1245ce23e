#include "sampling/grammar/regex_classes.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace skald {

namespace {

struct Category {
  std::string_view name, long_name;
  std::string_view of = {};  // the categories that a group holds; else it is its own name
};

// Unicode 15, chapter 4.5, and PropertyValueAliases.txt.
constexpr std::array kCategories = {Category{"Lu", "Uppercase_Letter"},
                                    Category{"Ll", "Lowercase_Letter"},
                                    Category{"Lt", "Titlecase_Letter"},
                                    Category{"Lm", "Modifier_Letter"},
                                    Category{"Lo", "Other_Letter"},
                                    Category{"Mn", "Nonspacing_Mark"},
                                    Category{"Mc", "Spacing_Mark"},
                                    Category{"Me", "Enclosing_Mark"},
                                    Category{"Nd", "Decimal_Number"},
                                    Category{"Nl", "Letter_Number"},
                                    Category{"No", "Other_Number"},
                                    Category{"Pc", "Connector_Punctuation"},
                                    Category{"Pd", "Dash_Punctuation"},
                                    Category{"Ps", "Open_Punctuation"},
                                    Category{"Pe", "Close_Punctuation"},
                                    Category{"Pi", "Initial_Punctuation"},
                                    Category{"Pf", "Final_Punctuation"},
                                    Category{"Po", "Other_Punctuation"},
                                    Category{"Sm", "Math_Symbol"},
                                    Category{"Sc", "Currency_Symbol"},
                                    Category{"Sk", "Modifier_Symbol"},
                                    Category{"So", "Other_Symbol"},
                                    Category{"Zs", "Space_Separator"},
                                    Category{"Zl", "Line_Separator"},
                                    Category{"Zp", "Paragraph_Separator"},
                                    Category{"Cc", "Control"},
                                    Category{"Cf", "Format"},
                                    Category{"Co", "Private_Use"},
                                    Category{"Cn", "Unassigned"},
                                    Category{"L", "Letter", "LuLlLtLmLo"},
                                    Category{"LC", "Cased_Letter", "LuLlLt"},
                                    Category{"M", "Mark", "MnMcMe"},
                                    Category{"M", "Combining_Mark", "MnMcMe"},
                                    Category{"N", "Number", "NdNlNo"},
                                    Category{"P", "Punctuation", "PcPdPsPePiPfPo"},
                                    Category{"P", "punct", "PcPdPsPePiPfPo"},
                                    Category{"S", "Symbol", "SmScSkSo"},
                                    Category{"Z", "Separator", "ZsZlZp"},
                                    Category{"C", "Other", "CcCfCoCn"},
                                    Category{"Nd", "digit"},
                                    Category{"Cc", "cntrl"}};

CodePoints of_categories(std::string_view names) {
  const auto has = [&](std::string_view name) {
    for (size_t i = 0; i < names.size(); i += 2) {
      if (names.substr(i, 2) == name) return true;
    }
    return false;
  };
  CodePoints out;
  for (uint32_t code = 0; code <= kLastCodePoint; ++code) {
    if (!has(utf8proc_category_string(static_cast<utf8proc_int32_t>(code)))) continue;
    if (!out.empty() && out.back().last + 1 == code)
      out.back().last = code;
    else
      out.push_back({code, code});
  }
  return normalized(out);
}

}  // namespace

CodePoints shorthand_class(char letter, RegexDialect dialect) {
  if (letter == 'd') return {{'0', '9'}};
  if (letter == 'w') return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  if (dialect == RegexDialect::kPython) return {{'\t', '\r'}, {' ', ' '}};
  return {{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
          {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
}

CodePoints dot_class(RegexDialect dialect) {
  const CodePoints ends =
      dialect == RegexDialect::kPython ? CodePoints{{'\n', '\n'}} : CodePoints{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};
  return complement_of(ends);
}

CodePoints property_class(std::string_view name) {
  for (const std::string_view prefix : {"gc=", "General_Category="}) {
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  }
  if (name == "Any") return complement_of({});
  if (name == "ASCII") return {{0, 0x7F}};
  if (name == "ASCII_Hex_Digit" || name == "AHex") return {{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
  const auto it =
      std::ranges::find_if(kCategories, [&](const Category& c) { return c.name == name || c.long_name == name; });
  if (it == kCategories.end()) return {};
  return of_categories(it->of.empty() ? it->name : it->of);
}

}  // namespace skald
