// A batch: requests of a file, answered as the server answers them, without a server.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "serve/batch/batch_shard.h"
#include "serve/options.h"

namespace skald::serve {

struct BatchProgress {
  int64_t lines = 0;    // of the input that are not empty, of its shard alone; 0: not known before its end
  int64_t done = 0;     // those answered before among them
  int64_t skipped = 0;  // answered before
  int64_t failed = 0;   // of all that are done
  int64_t prompt_tokens = 0, cached_tokens = 0, generated_tokens = 0;  // of this run; prompts with their cached tokens
  bool interrupted = false;
};

struct BatchOptions {
  ServeOptions serve = {};               // of the model, the engine and chats; those of a network mean nothing
  std::string in, out;                   // files, or "-"
  std::string errors = {};               // where failed lines go instead of `out`; empty: nowhere else
  std::optional<BatchShard> shard = {};  // answers these requests alone; `in` is a file then, `out` the shard's own
  std::function<bool()> stop = {};       // asked ten times a second; then incomplete requests are dropped
  std::function<void(const BatchProgress&)> on_progress = {};  // as often
};

/// Throws Error (kBadInput) where two of the files are the same.
void check_batch_files(const BatchOptions& options);

/// Answers the requests of `in` that `out` and `errors` have no answers to, as many at the same time as the engine writes
/// texts. Adds each answer when it is there. Lines that are no requests become answers that say so. Throws Error: for files,
/// models, and a custom_id that is there twice; before any request runs if `in` is a file. A shard without requests loads no
/// model.
BatchProgress run_batch(BatchOptions options);

}  // namespace skald::serve
