// SharedPages: the pages of consecutive tokens of a sequence, from a page's border on, for other sequences to adopt: what a
// node of a prefix tree owns.
#pragma once

#include <cstdint>
#include <vector>

#include "kv/index_runs.h"
#include "kv/page_pool.h"
#include "kv/recurrent_pool.h"

namespace skald {

struct SharedPages {
  struct Group {
    std::vector<PageRef> pages = {};  // empty where a window had given the page back
    std::vector<IndexRuns::Entry> runs = {};
  };
  int64_t first = 0, end = 0;           // positions; the last page may be partly filled
  int64_t prefix = 0;                   // of the sequence
  std::vector<Group> groups = {};       // as the cache's
  RecurrentPool::Block recurrent = {};  // states at `end`, if there are any
};

}  // namespace skald
