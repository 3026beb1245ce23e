// The store of pages of prompts that a server's options name.
#pragma once

#include <memory>

#include "serve/options.h"
#include "skald/prefix_store.h"

namespace skald::serve {

/// Null where there is none. A folder that cannot be used is an Error; a server that does not answer is not.
std::shared_ptr<PrefixStore> open_prefix_store(const ServeOptions& options);

/// Throws Error (kBadInput), without showing secrets, where the URL is not one of a store.
void check_prefix_store(const ServeOptions& options);

}  // namespace skald::serve
