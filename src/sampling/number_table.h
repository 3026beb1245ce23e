// The numbers of SamplingParams that users set, a row each. The library's check, flags and their errors, fields of requests,
// settings in answers, the C API and keys of models' files are made of the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/range.h"
#include "skald/c.h"
#include "skald/sampling_params.h"

namespace skald {

using SamplingField = std::variant<float SamplingParams::*, int SamplingParams::*>;
using SamplingMember = std::variant<float skald_sampling::*, int32_t skald_sampling::*>;  // of the C API

struct SamplingNumber {
  std::string_view name;  // of the field
  SamplingField field;
  SamplingMember member;
  Range range;                          // of the library and the command line
  const char* words = nullptr;          // of the range, for errors; null: Range::words()
  std::optional<Range> asked = {};      // of requests to the server; none: `range`
  std::string_view json = {};           // key in requests and answers; empty: `name`
  std::string_view meta = {};           // key of models' files, after "general.sampling."; empty: none
  const char* flags = nullptr;          // "--temperature,--temp"; null: none
  const char* help = nullptr;           // of the flag
  std::string_view variable = {};       // of the environment, by llama.cpp's name; empty: none
  std::string_view sampler = {};        // without which in the chain it has no effect; empty: it needs none
  std::optional<float> trial = {};      // switches the sampler on, for benchmarks; none: other numbers do
  bool (*acts)(const SamplingParams&);  // whether the value makes a difference where the sampler is in the chain

  std::string_view key() const { return json.empty() ? name : json; }
  const Range& asked_range() const { return asked ? *asked : range; }
  /// Gives the field as errors spell it: "sampling.top_k".
  std::string path() const;
  /// Tells whether the value makes a difference.
  bool counts(const SamplingParams& params) const;

  double value(const SamplingParams& params) const;
  void set(SamplingParams& params, double value) const;
  /// Writes the value.
  std::string text(const SamplingParams& params) const;
  /// Throws Error (kBadInput) naming the field where its value is out of range.
  void check(const SamplingParams& params) const;
};

/// Lists them in the order of --help.
std::span<const SamplingNumber> sampling_numbers();

}  // namespace skald
