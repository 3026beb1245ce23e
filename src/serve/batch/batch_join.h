// The answers of a batch's shards put together, as one process would have given them.
#pragma once

#include <cstdint>
#include <string>

namespace skald::serve {

struct BatchJoin {
  std::string in, out, errors = {};  // of the batch as a whole; files, `errors` may be empty
  int64_t shards = 1;
  int64_t longest_line = 0;  // of `in`, as the shards had it
};

struct BatchJoined {
  int64_t answered = 0, failed = 0;  // requests
};

/// Writes the answers of all shards to `out`, in the order of `in`, and those of failed requests to `errors` where that is
/// given. Throws Error (kBadInput) naming requests that have no answer or several, answers to no request, and requests that
/// have changed since they were answered; there is no new file then, and an old one stays as it is.
BatchJoined join_batch(const BatchJoin& join);

}  // namespace skald::serve
