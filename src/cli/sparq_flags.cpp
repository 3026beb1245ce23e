#include "cli/sparq_flags.h"

#include <fmt/format.h>

#include "cli/tell.h"

namespace skald {

namespace {

// The first description's own choice.
constexpr float kUsualRatio = 4;

SparqChoice choice_named(const std::string& name) {
  if (name == "spread") return SparqChoice::kSpread;
  if (name == "magnitude") return SparqChoice::kMagnitude;
  throw UsageError(fmt::format("--sparq-choice: want spread or magnitude, got '{}'", name));
}

bool any_given(const Flags& flags) { return flags.given("--k1") || flags.given("--k2") || flags.given("--sparq-ratio"); }

}  // namespace

void SparqFlags::declare(Flags& flags) {
  declared.emplace(flags);
  flags.group("Sparse decoding");
  flags.add("--sparq", on, "decode sparsely: score all keys with a few query components, attend to the best ones");
  flags.add("--k1", k1, "query components that score the keys; 0: dense");
  flags.add("--k2", k2, "keys that are attended to; 0: dense");
  flags.add("--sparq-ratio", ratio, "instead of --k1 and --k2: how many times less to read than dense attention does");
  flags.add("--sparq-local", local,
            "most recent keys that are always attended to; -1: a quarter of k2, with a ratio an eighth");
  flags.add("--sparq-mean", mean, "let the mean value stand in for all other keys; the default without grouped queries");
  flags.add("--no-sparq-mean", no_mean, "do not; the default with grouped queries");
  flags.add("--sparq-choice", choice,
            "how components are chosen: spread, by |q| times how much the keys vary there; or magnitude, by |q|", "RULE");
  flags.add("--sparq-kt", index, "copy of the keys by dimensions that is read for scoring: int8 or f16", "TYPE");
  flags.add("--sparq-default-layout", default_layout, "no such copy: saves memory, reads all of each key");
}

SparqParams SparqFlags::checked(const ComputeFlags& compute) const {
  if (!on) {
    if (k1 || k2 || ratio != 0 || mean || no_mean || default_layout || choice != "spread")
      throw UsageError("--k1, --k2 and the other flags of sparse decoding go with --sparq");
    return {};
  }
  if (mean && no_mean) throw UsageError("want one of --sparq-mean and --no-sparq-mean");
  if (ratio != 0 && (k1 || k2)) throw UsageError("--sparq-ratio chooses --k1 and --k2: want one or the other");
  if (index == "none") throw UsageError("--sparq-kt: want int8 or f16");
  SparqParams params{.k1 = k1, .k2 = k2, .ratio = static_cast<double>(ratio), .local = local, .mean = {}, .index = index};
  if (declared && !any_given(*declared)) {
    params.ratio = kUsualRatio;
    tell(fmt::format("--sparq without --k1 and --k2, or --sparq-ratio: taking --sparq-ratio {}", kUsualRatio));
  }
  if (mean || no_mean) params.mean = mean;
  params.choice = choice_named(choice);
  if (default_layout) params.index = "none";
  check_usage([&] { params.check(); });
  if (!compute.options.device.fused && params.on()) throw UsageError("--no-fused does not go with --sparq");
  return params;
}

}  // namespace skald
