#include "cli/flags/sparq.h"

#include <fmt/format.h>

#include "cli/flags/table_flags.h"
#include "cli/flags/values.h"
#include "cli/terminal/tell.h"

namespace skald {

namespace {

// The first description's own choice.
constexpr float kUsualRatio = 4;

// Of docs/long-context.md; the help says them, too.
constexpr int64_t kUsualK1 = 32, kUsualK2 = 512;

SparqChoice choice_named(const std::string& name) {
  if (name == "spread") return SparqChoice::kSpread;
  return SparqChoice::kMagnitude;
}

KeySelection selector_named(const std::string& name) {
  if (name == "sparq") return KeySelection::kSparq;
  if (name == "pages") return KeySelection::kPages;
  return KeySelection::kPagesThenSparq;
}

bool any_given(const Flags& flags) { return flags.given("--k1") || flags.given("--k2") || flags.given("--sparq-ratio"); }

// One of the two alone is completed, since it would decode densely; a given 0 asks for that.
void complete(SparqParams& params, const Flags& flags) {
  const bool k1 = flags.given("--k1"), k2 = flags.given("--k2"), pages = params.selector == KeySelection::kPages;
  if (pages || params.ratio > 0 || params.loss > 0 || (!k1 && !k2)) return;
  if ((k1 && params.k1 == 0) || (k2 && params.k2 == 0)) {
    tell("--k1 0 or --k2 0: decoding densely");
    params.k1 = params.k2 = 0;
  } else if (!k1) {
    params.k1 = kUsualK1;
    tell(fmt::format("--k2 without --k1: taking --k1 {}", kUsualK1));
  } else if (!k2) {
    params.k2 = kUsualK2;
    tell(fmt::format("--k1 without --k2: taking --k2 {}", kUsualK2));
  }
}

double loss_of(const std::string& text) {
  return text == "auto" ? SparqParams::kUsualLoss : static_cast<double>(number("--sparq-loss", text));
}

}  // namespace

void SparqFlags::declare(Flags& flags) {
  declared.emplace(flags);
  flags.group("Sparse decoding");
  flags.add("--sparq", on, "decode sparsely: score all keys with a few query components, attend to the best ones");
  add_option(flags, "cache.sparq.k1", k1);
  add_option(flags, "cache.sparq.k2", k2);
  add_option(flags, "cache.sparq.ratio", ratio);
  add_option(flags, "cache.sparq.loss", loss);
  add_option(flags, "cache.sparq.even", even);
  add_option(flags, "cache.sparq.local", local);
  add_option(flags, "cache.sparq.mean", mean);
  flags.add("--no-sparq-mean", no_mean, "do not");
  flags.add("--sparq-choice", choice,
            "how components are chosen: spread, by |q| times how much the keys vary there; or magnitude, by |q|",
            "spread|magnitude");
  flags.add(
      "--selector", selector,
      "choice of keys. By sparq: approximate scores of all. By pages: bounds of the scores in pages of 64 keys, which are "
      "attended to as a whole. By pages+sparq: approximate scores of the keys in the better half of the pages",
      "sparq|pages|pages+sparq");
  add_option(flags, "cache.sparq.index", index);
  flags.add("--sparq-default-layout", default_layout, "no such copy: saves memory, reads all of each key");
}

SparqParams SparqFlags::checked(const ComputeFlags& compute) const {
  if (!on && loss.empty()) {
    if (k1 || k2 || ratio != 0 || even || mean || no_mean || default_layout || choice != "spread" || selector != "sparq")
      throw UsageError("--k1, --k2 and the other flags of sparse decoding go with --sparq");
    return {};
  }
  if (mean && no_mean) throw UsageError("want one of --sparq-mean and --no-sparq-mean");
  if (!loss.empty() && (ratio != 0 || k1 || k2))
    throw UsageError("--sparq-loss chooses --sparq-ratio, --k1 and --k2: want one or the others");
  if (ratio != 0 && (k1 || k2)) throw UsageError("--sparq-ratio chooses --k1 and --k2: want one or the other");
  if (selector == "pages" && declared)
    for (const char* flag : {"--sparq-kt", "--sparq-default-layout", "--sparq-choice"})
      if (declared->given(flag))
        throw UsageError(fmt::format("{} does not go with --selector pages, which scores no keys", flag));
  SparqParams params{
      .k1 = k1, .k2 = k2, .ratio = static_cast<double>(ratio), .local = local, .mean = {}, .even = even, .index = index};
  if (!loss.empty()) {
    params.loss = loss_of(loss);
    if (params.loss == 0) throw UsageError("--sparq-loss: want more than 0");
  } else if (declared && !any_given(*declared)) {
    params.ratio = kUsualRatio;
    tell(fmt::format("--sparq without --k1 and --k2, or --sparq-ratio: taking --sparq-ratio {}", kUsualRatio));
  }
  if (mean || no_mean) params.mean = mean;
  params.choice = choice_named(choice);
  params.selector = selector_named(selector);
  if (default_layout) params.index = "none";
  if (declared) complete(params, *declared);
  check_usage([&] { params.check(); });
  if (!compute.options.device.fused && params.on()) throw UsageError("--no-fused does not go with --sparq");
  return params;
}

}  // namespace skald
