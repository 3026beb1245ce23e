// Free text that ends where one of some marks does: what is around the parts of a reply that a grammar knows.
#pragma once

#include <string_view>

#include "sampling/grammar/regex_set.h"

namespace skald {

class FreeText {
 public:
  /// Free text has none of the texts of `marks` in it. `regexes` must outlive this.
  FreeText(RegexSet& regexes, RegexId marks);

  RegexId free() const { return free_; }
  /// Texts that end with one of `ending`, and in which no mark ends before.
  RegexId up_to(RegexId ending);
  /// How many bytes of `text` the first mark takes that ends in it; 0: there is none.
  size_t first_mark(std::string_view text);

 private:
  RegexSet& regexes_;
  RegexId up_to_mark_, free_, no_mark_before_;
};

/// The text, whatever of it control tokens stand for.
RegexId in_any_tokens(RegexSet& regexes, std::string_view text);

}  // namespace skald
