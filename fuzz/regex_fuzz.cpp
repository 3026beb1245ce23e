// Fuzzes regular expressions in both dialects: any text is one or throws an Error; what it takes, its complement does not.
//
// Input: a byte of flags, the expression, and behind a byte 0xFE the text that is tried.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sampling/grammar/regex_parser.h"
#include "skald/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skald;
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t end = std::min(input.find('\xFE'), input.size());
  const std::string_view text = input.substr(std::min(end + 1, input.size())).substr(0, 200);
  try {
    RegexSet regexes;
    const RegexId regex =
        parse_regex(regexes, input.substr(0, end),
                    {.dialect = data[0] & 1 ? RegexDialect::kEcma : RegexDialect::kPython, .search = (data[0] & 2) != 0});
    const bool takes = regexes.matches(regex, text);
    if (takes == regexes.matches(regexes.complement(regex), text)) std::abort();
    if (takes && regexes.is_nothing(regex)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
