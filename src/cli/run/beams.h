// skald run as a beam search: its flags, and its texts on stdout.
#pragma once

#include <cstdint>
#include <string>

#include "cli/flags/flags.h"
#include "cli/flags/sampling.h"
#include "skald/engine.h"
#include "skald/options.h"

namespace skald {

struct BeamFlags {
  int beams = 0, n_best = 1;
  float length_penalty = 1;

  void declare(Flags& flags);
  bool on() const { return beams > 0; }
  /// Throws UsageError for wrong numbers, and for flags without --beams or that do not go with it. Tells of flags that do
  /// nothing with it.
  void check(const Flags& flags, const SamplingFlags& sampling) const;
  /// Describes the search, for --verbose-prompt.
  std::string line() const;
  /// Fills in the fields of a request.
  void fill(Request& request) const;
  /// Lets all texts run at the same time, which share the pages of a prompt of this length. `n_ctx` is known, or 0.
  void make_room(EngineOptions& options, int64_t n_prompt) const;
};

/// Returns {"beams": [{"ids", "content", "log_prob", "score", "finish_reason"}, ...], "timings"}, the best text first. An
/// end token is among the ids.
std::string beams_json(const Result& result);

/// How texts are printed that are no JSON.
struct BeamLines {
  bool ids = false;  // in place of the text
  bool scores =
      false;  // a line for each text: its score, a tab, and the text with \n, \t, \r and \\ for what they stand for
};
/// Returns them; without scores the best one alone, as it is.
std::string beams_text(const Result& result, BeamLines form);

}  // namespace skald
