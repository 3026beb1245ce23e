// PassingCheckpoint: the last checkpoint that reading a prompt has left, which may make way for the next one.
#pragma once

#include <cstdint>
#include <span>

#include "engine/prefix_cache.h"

namespace skald {

struct PassingCheckpoint {
  int64_t at = 0;           // tokens before it; 0: there is none
  bool is_passing = false;  // it was made for the next one alone

  /// The prompt has a checkpoint at `next`. `passes`: it was made now, for the one after it alone.
  void move_on(PrefixCache& prefixes, const PrefixIndex::Namespace& ns, std::span<const TokenId> prompt, int64_t next,
               bool passes) {
    const bool same = at / kPageKeys == next / kPageKeys;
    if (is_passing && !same) prefixes.drop_checkpoint(ns, prompt.first(static_cast<size_t>(at)));
    *this = {next, passes};
  }
};

}  // namespace skald
