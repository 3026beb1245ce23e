// QuantizePlan: the new format of each tensor of a file, before anything is computed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/gguf.h"
#include "text/name_pattern.h"
#include "tools/quantize/quantize_mix.h"

namespace skald {

/// The options of a plan, as flags have them.
struct QuantizeSpec {
  std::string type = {};                       // a mix's name
  std::vector<std::string> tensor_types = {};  // "REGEX=TYPE": the first one that is found in a name decides
  std::string output_type = {}, embedding_type = {};
  bool pure = false;          // the mix's format for all
  bool leave_output = false;  // output.weight stays as it is
  bool allow_requantize = false;
  bool weighted = false;  // an importance matrix will be used
};

struct TensorPlan {
  const GgufTensor* tensor;
  const Format* to;        // nullptr: it stays as it is
  bool fell_back = false;  // rows are no whole blocks of the format that was wanted

  const GgufType& type() const;
  int64_t bytes() const;
  /// For a listing: name, shape, types, size.
  std::string line() const;
};

/// Makes an entry for each tensor of `file`, in its order. Throws kBadInput for faults of `spec` (types, expressions, rows
/// that are no whole blocks of a type that was asked for). Throws kUnsupported for tensors that cannot be converted, and for
/// quantised ones unless these are allowed.
std::vector<TensorPlan> plan_quantize(const Gguf& file, const QuantizeSpec& spec);

}  // namespace skald
