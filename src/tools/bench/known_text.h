// A drafter that knows how a text goes on, and is right as often as it is told to be.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "skald/drafter.h"
#include "skald/engine.h"

namespace skald {

class KnownText : public Drafter {
 public:
  explicit KnownText(double right) : right_(right) {}
  /// The texts that follow go on like this after their prompts.
  void know(std::vector<TokenId> text) { text_ = std::move(text); }

  std::unique_ptr<TextDrafter> begin(const Request& request) override;
  void guess(std::span<DraftQuestion> questions) override;

 private:
  double right_;
  std::vector<TokenId> text_;
  Rng rng_{1};
};

}  // namespace skald
