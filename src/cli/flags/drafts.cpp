#include "cli/flags/drafts.h"

#include "cli/flags/common.h"
#include "cli/flags/table_flags.h"
#include "cli/terminal/tell.h"
#include "engine/drafts/draft_source.h"

namespace skald {

void declare_drafts(Flags& flags, DraftOptions& draft) {
  add_option(flags, "draft.kind", draft.kind);
  add_option(flags, "draft.most", draft.most);
}

void check_drafts(const Flags& flags, const DraftOptions& draft) {
  check_usage([&] { make_draft_source(draft); });
  if (flags.given("--draft-max") && !draft.on()) tell("--draft-max does nothing without --spec");
}

}  // namespace skald
