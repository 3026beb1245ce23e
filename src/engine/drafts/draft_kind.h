// The kinds of drafters that the engine has, by the names that EngineOptions::draft gives them.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "skald/drafter.h"
#include "skald/options.h"

namespace skald {

class Backend;
class LoadedModel;
class Stepper;

/// What a drafter is made of: the engine's model, and its stepper, which may compute steps of other sequences between those
/// of texts. They outlive the drafter.
struct DraftMeans {
  const EngineOptions& options;
  const LoadedModel* model = nullptr;
  Stepper* stepper = nullptr;
  Backend* backend = nullptr;  // of the stepper
};

/// One per file of engine/drafts/kinds.
struct DraftKind {
  std::string_view name;
  std::unique_ptr<Drafter> (*make)(const DraftMeans& means);
  /// Whether the kind "auto" has it for this engine.
  bool (*fits)(const DraftMeans& means) = [](const DraftMeans&) { return false; };
  bool computes = true;  // its guesses take time
};

/// All kinds (generated).
std::span<const DraftKind* const> draft_kinds();

/// The kind that the options name; null for "none". Throws kBadInput listing the known names.
const DraftKind* find_draft_kind(const DraftOptions& options);
/// Its drafter, or the one that the options bring along; null for "none".
std::shared_ptr<Drafter> make_drafter(const DraftMeans& means);

}  // namespace skald
