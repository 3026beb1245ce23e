// How a model's states become one vector, by the files of sentence-transformers.
#pragma once

#include "base/meta.h"
#include "convert/hf_directory.h"

namespace skald {

/// Sets <arch>.pooling_type by modules.json and what it names; nothing without it. Tells in the log of modules behind the
/// pooling that a file has no place for. Throws kUnsupported for another pooling than mean, cls and last token, and what
/// reading the files throws.
void add_pooling(const HfDirectory& dir, const std::string& arch, Meta& meta);

}  // namespace skald
