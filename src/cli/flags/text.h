// The text that a model is measured on: its file, and how it is cut into windows.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/flags/common.h"
#include "tools/measure/perplexity.h"
#include "tools/measure/token_chunks.h"

namespace skald {

struct TextFlags {
  std::string file, ids_file;
  bool parse_special = false;
  ChunkOptions chunks;

  /// -f, --ids-file, --parse-special, -c and --chunks.
  void declare(Flags& flags);
  /// Whether there is a text. Throws UsageError naming the command for two of them, and for values out of range.
  bool checked(std::string_view command) const;
  const std::string& path() const { return file.empty() ? ids_file : file; }
  /// The text as the model's tokens, in windows. Throws Error naming the file.
  TokenChunks read(const Model& model) const;
};

/// Runs `measure` with a callback that shows how far it is and, at Ctrl-C, ends it; false when that happened.
bool with_window_progress(const std::function<void(const OnWindow&)>& measure);

}  // namespace skald
