#include "tools/eval/eval_suite.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/error.h"

namespace skald {

double EvalCase::score(std::string_view text) const {
  size_t found = 0;
  for (const std::string& answer : answers) {
    const size_t at = text.find(answer);
    if (in_order && at == text.npos) break;
    if (at == text.npos) continue;
    if (in_order) {
      if (text.find_first_not_of(between) != at) break;
      text.remove_prefix(at + answer.size());
    }
    ++found;
  }
  return static_cast<double>(found) / static_cast<double>(answers.size());
}

const EvalSuite& find_eval_suite(std::string_view name) {
  std::string known;
  for (const EvalSuite* suite : eval_suites()) {
    if (suite->name == name) return *suite;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", suite->name);
  }
  fail(Errc::kBadInput, "'{}' is not a suite; known: {}", name, known);
}

}  // namespace skald
