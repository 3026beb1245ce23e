// Flags of the commands that read texts and give vectors or scores.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/common.h"
#include "skald/embedder.h"

namespace skald {

struct EmbedFlags {
  ModelFlags model;
  ComputeFlags compute;
  std::string file, separator = "\\n";
  bool truncate = false;

  /// -m and its kin.
  void declare_model(Flags& flags) { model.declare(flags); }
  /// -f and --separator; `what` the file holds.
  void declare_texts(Flags& flags, const char* what);
  /// --truncate, -c, -b and what running a model takes.
  void declare_compute(Flags& flags);

  /// The texts of -f. Throws Error naming the file.
  std::vector<std::string> texts() const;
  /// Throws UsageError for values out of range.
  EmbedderOptions options() const;

 private:
  EmbedderOptions defaults_ = {};
};

}  // namespace skald
