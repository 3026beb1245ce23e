#include "engine/drafts/draft_kind.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace skald {

const DraftKind* find_draft_kind(const DraftOptions& options) {
  if (!options.on()) return nullptr;
  const auto kinds = draft_kinds();
  const auto at = std::ranges::find(kinds, options.name(), [](const DraftKind* kind) { return kind->name; });
  if (at != kinds.end()) return *at;
  std::string known = "none";
  for (const DraftKind* kind : kinds) known += fmt::format(", {}", kind->name);
  fail(Errc::kBadInput, "draft.kind: '{}' is unknown; known: {}", options.kind, known);
}

std::shared_ptr<Drafter> make_drafter(const DraftMeans& means) {
  if (means.options.drafter) return means.options.drafter;
  const DraftKind* const kind = find_draft_kind(means.options.draft);
  return kind ? kind->make(means) : nullptr;
}

}  // namespace skald
