#include "cli/flags/stop.h"

#include "cli/flags/escapes.h"

namespace skald {

void StopFlags::declare(Flags& flags) {
  flags.add("-r,--reverse-prompt,--stop", texts, "text before which the answer ends; may be given several times", "TEXT");
}

std::vector<std::string> StopFlags::checked(bool escape) const {
  constexpr size_t kMostTexts = 256, kMostBytes = 4096;  // as the engine has it
  if (texts.size() > kMostTexts) throw UsageError("-r: want at most 256 texts");
  std::vector<std::string> out;
  for (const std::string& text : texts) {
    out.push_back(escape ? unescaped(text) : text);
    if (out.back().empty() || out.back().size() > kMostBytes) throw UsageError("-r: want texts of 1 to 4096 bytes");
  }
  return out;
}

}  // namespace skald
