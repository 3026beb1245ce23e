// SamplingFilter: one sampler of the chain, with what it remembers of one sequence. One file of sampling/filters each; the
// build lists them.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/rng.h"
#include "sampling/candidate_set.h"
#include "skald/sampling_params.h"
#include "skald/types.h"

namespace skald {

class SamplingFilter {
 public:
  struct Step {
    CandidateSet& tokens;
    std::span<const TokenId> past;  // of the prompt and the text; only where the filter's definition asks for it
    Rng& rng;
  };

  virtual ~SamplingFilter() = default;
  /// Cuts or changes the tokens that may come next; at least one stays.
  virtual void apply(const Step& step) = 0;
  /// How many of the most likely tokens it leaves, whatever the others are; 0: the others count.
  virtual size_t keeps_best() const { return 0; }
  /// Whether it only makes some tokens less likely, or scales all logits alike. It must not draw.
  virtual bool only_lowers() const { return false; }
  /// The token that came next, which the last step may have left or not.
  virtual void accept(TokenId) {}
  virtual std::unique_ptr<SamplingFilter> clone() const = 0;
};

/// Implements clone() by the copy constructor.
template <class Derived>
class CopiedFilter : public SamplingFilter {
 public:
  std::unique_ptr<SamplingFilter> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

struct FilterDef {
  enum class Place : uint8_t {
    kChain,  // where SamplingParams::samplers names it, as often as it does
    kBeforeChain,
    kAfterChain,  // once, when SamplingParams::samplers names it
    kInstead,     // with the temperature alone in place of the chain; make() tells whether it is asked for
  };
  std::string_view name;
  char letter = 0;                    // llama.cpp's, for those that chains name; 0: none
  std::string_view other_names = {};  // llama.cpp's: "typical,typ"
  Place place = Place::kChain;
  bool reads_past = false;
  /// Null for parameters with which it does nothing.
  std::unique_ptr<SamplingFilter> (*make)(const SamplingParams&) = nullptr;
};

/// All filters, one per file (generated).
std::span<const FilterDef* const> sampling_filters();

}  // namespace skald
