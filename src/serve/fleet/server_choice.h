// ServerChoice: which of several servers a prompt goes to.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/prefix_digest.h"

namespace skald::serve {

struct Candidate {
  std::string url = {};  // empty: this server, whose URL is not known
  bool here = false;     // it is this server
  int64_t pages = 0;     // of the prompt, that it has in memory
  int64_t ahead = 0;     // requests that a new one would have to wait for
};

/// Returns the place of the server with most pages; of equal ones that with fewest requests ahead. Those that are still
/// equal are ordered by a hash of the prefix and the URL (rendezvous hashing): each server that is asked says the same, and
/// prompts that no server has are spread. `all` has one or more.
size_t choose_server(std::span<const Candidate> all, PrefixHash prefix);

}  // namespace skald::serve
