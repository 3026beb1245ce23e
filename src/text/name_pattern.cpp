#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/name_pattern.h"

#include <pcre2.h>

#include "base/error.h"
#include "text/pcre2_message.h"

namespace skald {
namespace {

constexpr uint32_t kMatchLimit = 1'000'000;  // steps, which names of a few dozen bytes stay far below

struct Free {
  void operator()(pcre2_match_data_8* p) const { pcre2_match_data_free_8(p); }
  void operator()(pcre2_match_context_8* p) const { pcre2_match_context_free_8(p); }
};

}  // namespace

void NamePattern::FreeCode::operator()(pcre2_code_8* code) const { pcre2_code_free_8(code); }

NamePattern::NamePattern(std::string_view expression) : expression_(expression) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_.reset(pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(expression_.data()), expression_.size(), PCRE2_CASELESS, &error,
                              &offset, nullptr));
  if (!code_) fail(Errc::kBadInput, "expression '{}', character {}: {}", expression_, offset, pcre2_message(error));
}

bool NamePattern::found_in(std::string_view name) const {
  const std::unique_ptr<pcre2_match_data_8, Free> data(pcre2_match_data_create_8(1, nullptr));
  const std::unique_ptr<pcre2_match_context_8, Free> context(pcre2_match_context_create_8(nullptr));
  if (!data || !context) fail(Errc::kNoMemory, "regular expressions");
  pcre2_set_match_limit_8(context.get(), kMatchLimit);
  const int rc =
      pcre2_match_8(code_.get(), reinterpret_cast<PCRE2_SPTR8>(name.data()), name.size(), 0, 0, data.get(), context.get());
  if (rc < 0 && rc != PCRE2_ERROR_NOMATCH) fail(Errc::kBadInput, "expression '{}': {}", expression_, pcre2_message(rc));
  return rc >= 0;
}

}  // namespace skald
