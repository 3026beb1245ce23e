// The server that keeps pages of prompts.
#pragma once

#include "stores/store_kind.h"
#include "tools/doctor/facts.h"

namespace skald {

/// Asks it once. Throws kBadInput, without showing secrets, where the URL is not one of a store.
StoreFacts store_facts(const RemoteStoreOptions& options);

}  // namespace skald
