#include "convert/tokenizer.h"

#include "base/log.h"

namespace skald {

void convert_tokenizer(const HfDirectory& dir, int64_t, Meta&, const TokenizerOptions&) {
  log(LogLevel::kWarn, "{}: without its tokenizer", dir.path());
}

}  // namespace skald
