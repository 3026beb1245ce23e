// --spec and --draft-max: guesses at the tokens that come next.
#pragma once

#include "cli/flags/flags.h"
#include "skald/options.h"

namespace skald {

void declare_drafts(Flags& flags, DraftOptions& draft);
/// Throws UsageError for a kind that does not exist; tells where --draft-max does nothing.
void check_drafts(const Flags& flags, const DraftOptions& draft);

}  // namespace skald
