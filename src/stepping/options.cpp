#include "skald/options.h"

#include <type_traits>
#include <variant>

#include "backend/backend.h"
#include "backend/gpu/placement.h"
#include "base/cpu_placement.h"
#include "base/error.h"
#include "base/number_from_chars.h"
#include "stepping/cache_options.h"
#include "stepping/option_table.h"

namespace skald {
namespace {

// Checks the rows of a part of the options.
template <class Part>
void check_rows(const Part& part) {
  for (const OptionRow& row : option_rows()) {
    const auto check = [&]<class T, class Of>(T Of::*place) {
      if constexpr (std::is_same_v<Of, Part> && std::is_arithmetic_v<T>) row.check(static_cast<double>(part.*place));
    };
    visit_place(row, check);
  }
}

bool differ(const OptionRow& row, const EngineOptions& a, const EngineOptions& b) {
  bool out = false;
  visit_place(row, [&](auto place) { out = value_at(a, place) != value_at(b, place); });
  return out;
}

// What asks for more than a static cache can do.
void check_static(const EngineOptions& o) {
  const auto refuse = [](bool given, std::string_view field, std::string_view more = {}) {
    if (given) fail(Errc::kBadInput, "cache.static_shapes does not go with {}{}", field, more);
  };
  refuse(o.cache.sparq.on(), "cache.sparq");
  refuse(o.schedule.n_parallel != 1, "schedule.n_parallel");
  refuse(o.cache.share_prefixes, "cache.share_prefixes");
  refuse(!o.device.fused, "device.fused = false");
  const EngineOptions usual;
  for (const OptionRow& row : option_rows())
    if (row.shaped && differ(row, o, usual)) refuse(true, row.field, *row.shaped);
}

}  // namespace

void DeviceOptions::check() const {
  check_rows(*this);
  plan_threads(*this, this_machine());
  find_backend(device);
  gpu::placement_by(*this);  // which says what is wrong
}

void CheckpointOptions::check() const { check_rows(*this); }

void CacheOptions::check() const {
  check_rows(*this);
  checkpoints.check();
  skald::check(storage_of(*this));
  sparq.check();
  if (static_shapes.on()) static_shapes.check();
}

std::string_view DraftOptions::name() const {
  if (kind == "none" && !model.empty()) return "draft";
  return std::string_view(kind).substr(0, kind.find(':'));
}

SparqParams DraftOptions::sparq() const {
  constexpr double kUsualRatio = 8;
  SparqParams out;
  if (name() != "sparq") return out;
  out.ratio = kUsualRatio;
  out.even = true;
  if (kind.find(':') == std::string::npos) return out;
  const char *const begin = kind.data() + name().size() + 1, *const end = kind.data() + kind.size();
  const auto [at, error] = number_from_chars(begin, end, out.ratio);
  if (error != std::errc() || at != end || !(out.ratio > 1 && out.ratio <= 1e6))
    fail(Errc::kBadInput, "draft.kind: want sparq:RATIO with a ratio above 1, got '{}'", kind);
  return out;
}

void DraftOptions::check() const {
  check_rows(*this);
  if (kind.find(':') != std::string::npos && !sparq().on())
    fail(Errc::kBadInput, "draft.kind: '{}' takes nothing after a colon", name());
  if (name() == "draft" && model.empty()) fail(Errc::kBadInput, "draft.model: want a model for draft.kind draft");
}

// Guesses of sparse decoding need an index of the cache, and a text that is decoded otherwise.
static void check_sparse_drafts(const EngineOptions& o) {
  if (!o.draft.sparq().on()) return;
  const char* const other = o.cache.sparq.on()           ? "cache.sparq"
                            : !o.device.fused            ? "device.fused = false"
                            : o.cache.static_shapes.on() ? "cache.static_shapes"
                                                         : nullptr;
  if (other) fail(Errc::kBadInput, "draft.kind: {} does not go with {}", o.draft.kind, other);
}

void ScheduleOptions::check() const { check_rows(*this); }

// Each rank would compute another part of what is no part of the model.
static void check_ranks(const EngineOptions& o) {
  const std::string_view asked = o.device.tensor_parallel.empty() ? "device.pipeline_parallel" : "device.tensor_parallel";
  const auto refuse = [asked](bool given, std::string_view field) {
    if (given) fail(Errc::kBadInput, "{} does not go with {}", asked, field);
  };
  if (!o.device.group)
    fail(Errc::kBadInput, "{}: only the skald command can be one of several ranks, started by mpirun", asked);
  refuse(o.device.device != "cpu", "device.device: ranks compute on CPUs");
  refuse(o.cache.static_shapes.on(), "cache.static_shapes");
  refuse(!o.draft.model.empty(), "draft.model");
  refuse(o.draft.mtp(), "draft.kind: mtp");
}

void EngineOptions::check() const {
  device.check();
  cache.check();
  schedule.check();
  draft.check();
  if (device.exact && device.device != "cpu")
    fail(Errc::kBadInput, "device.exact does not go with device.device = {}", device.device);
  if (!device.fused && cache.sparq.on()) fail(Errc::kBadInput, "cache.sparq does not go with device.fused = false");
  if (cache.static_shapes.on()) check_static(*this);
  if (device.on_ranks()) check_ranks(*this);
  if (drafter && draft.on()) fail(Errc::kBadInput, "drafter does not go with draft.kind {}", draft.kind);
  check_sparse_drafts(*this);
  if (prefix_store && !cache.share_prefixes) fail(Errc::kBadInput, "prefix_store needs cache.share_prefixes");
  if (cache.slot_files && !cache.share_prefixes) fail(Errc::kBadInput, "cache.slot_files needs cache.share_prefixes");
}

}  // namespace skald
