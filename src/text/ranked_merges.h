// The merges that a file lists, best first: byte-level BPE's, and Gemma 4's over characters.
#pragma once

#include "base/meta.h"
#include "text/merge_queue.h"
#include "text/vocab.h"

namespace skald {

/// Reads the key tokenizer.ggml.merges. Throws kNotFound without it, kBadFile for an element that is no pair.
MergeTable read_ranked_merges(const Meta& meta, const Vocab& vocab);

}  // namespace skald
