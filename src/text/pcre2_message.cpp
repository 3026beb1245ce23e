#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/pcre2_message.h"

#include <pcre2.h>

#include <array>

namespace skald {

std::string pcre2_message(int error) {
  std::array<PCRE2_UCHAR8, 256> text{};
  pcre2_get_error_message_8(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace skald
