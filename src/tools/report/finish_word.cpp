#include "tools/report/finish_word.h"

namespace skald {

std::string_view finish_word(FinishReason why) {
  return why == FinishReason::kLength || why == FinishReason::kContext ? "length" : "stop";
}

}  // namespace skald
