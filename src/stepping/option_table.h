// The options that users set, a row each. Checks, flags, errors of flags, variables of the environment and the C API are
// made of the rows. Sampling numbers have a table of their own, sampling/number_table.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/range.h"
#include "skald/c.h"
#include "skald/options.h"

namespace skald {

using OptionPlace =
    std::variant<std::monostate, int DeviceOptions::*, bool DeviceOptions::*, std::string DeviceOptions::*,
                 int64_t CacheOptions::*, bool CacheOptions::*, std::string CacheOptions::*, int64_t CheckpointOptions::*,
                 int64_t ScheduleOptions::*, bool ScheduleOptions::*, double ScheduleOptions::*, int64_t DraftOptions::*,
                 float DraftOptions::*, std::string DraftOptions::*, double SparqParams::*>;
using OptionMember =
    std::variant<std::monostate, int32_t skald_engine_options::*, int64_t skald_engine_options::*,
                 bool skald_engine_options::*, double skald_engine_options::*, const char * skald_engine_options::*>;

/// Names the commands that declare a flag.
enum class OptionGroup : uint8_t {
  kOwn,  // each command that has it declares it by its field
  kDevice,
  kThreads,
  kRanks,
  kCacheTypes,
  kCacheForm,
};

struct OptionRow {
  std::string_view field;           // as errors spell it: "cache.type_v"
  OptionPlace place = {};           // none: its structure checks it, and the command fills it in
  OptionMember member = {};         // of the C API; none: C does not set it
  std::optional<Range> range = {};  // of numbers; none: another check knows it
  const char* words = nullptr;      // of the range, for errors; null: "LEAST to MOST"
  const char* flags = nullptr;      // "-ub,--ubatch-size"; null: none
  const char* help = nullptr;       // of the flag; null: each command has its own
  const char* kind = nullptr;       // of the flag's value; null: the usual one of its type
  std::string_view small = {};      // value that --cache-type small gives
  std::string_view offered = {};    // values that shells complete: "f32,f16"
  OptionGroup group = OptionGroup::kOwn;
  std::string_view spelled = {};                // flag in errors; empty: "--ubatch-size (-ub)"
  std::string_view variable = {};               // of the environment, by llama.cpp's name; empty: none
  std::optional<std::string_view> shaped = {};  // static shapes want the default, and errors add this; none: they take it

  /// Throws Error (kBadInput) naming the field where `value` is out of range.
  void check(double value) const;
};

/// Lists them; those of a group are in the order of --help.
std::span<const OptionRow> option_rows();
/// Finds a row by its field.
const OptionRow& option_row(std::string_view field);

/// Gives the part of EngineOptions that a structure is.
template <class Part, class Options>
auto& part_of(Options& o) {
  if constexpr (std::is_same_v<Part, DeviceOptions>)
    return o.device;
  else if constexpr (std::is_same_v<Part, CacheOptions>)
    return o.cache;
  else if constexpr (std::is_same_v<Part, CheckpointOptions>)
    return o.cache.checkpoints;
  else if constexpr (std::is_same_v<Part, SparqParams>)
    return o.cache.sparq;
  else if constexpr (std::is_same_v<Part, DraftOptions>)
    return o.draft;
  else
    return o.schedule;
}

template <class Options, class T, class Part>
auto& value_at(Options& options, T Part::*place) {
  return part_of<Part>(options).*place;
}

/// Calls `f` with the row's place, if it has one.
template <class F>
void visit_place(const OptionRow& row, F f) {
  std::visit(
      [&](auto place) {
        if constexpr (!std::is_same_v<decltype(place), std::monostate>) f(place);
      },
      row.place);
}

}  // namespace skald
