// Charsmap: which characters SentencePiece replaces before it looks for pieces (tokenizer.ggml.precompiled_charsmap).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// A double array of Darts-clone (Yata, https://github.com/s-yata/darts-clone) whose keys are sequences of characters and
/// whose values are places in a text of replacements. A default-constructed map is empty.
class Charsmap {
 public:
  Charsmap() = default;
  /// `bytes`: the size of the double array in bytes (u32), its units (u32), and the replacements, each ended by a zero byte;
  /// little endian. Throws kBadFile where sizes and places do not fit.
  explicit Charsmap(std::string_view bytes);

  struct Match {
    size_t length;            // bytes of the text that are replaced, at least one
    std::string_view result;  // by this, maybe nothing
  };
  /// Returns the longest key that `text` begins with.
  std::optional<Match> match(std::string_view text) const;

 private:
  std::vector<uint32_t> units_;
  std::string results_;
};

}  // namespace skald
