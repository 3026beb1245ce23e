// KeptTexts: texts that a model has read, for later ones of their scope that begin alike.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/drafts/read_text.h"

namespace skald {

class KeptTexts {
 public:
  explicit KeptTexts(int64_t most) : most_(most) {}

  /// Replaces those of the scope that it begins with.
  void keep(std::string_view scope, ReadText text);
  /// Returns the text with which the prompt shares its longest beginning; nothing where that is shorter than a page.
  std::optional<ReadText> find(std::string_view scope, std::span<const TokenId> prompt);
  /// Makes room. Returns false where there is nothing to forget.
  bool forget_oldest();

 private:
  struct Kept {
    std::string scope;
    ReadText text;
  };
  std::list<Kept> kept_;  // the last in use first
  int64_t most_;
};

}  // namespace skald
