// Values that are NaN or infinite, found by their bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "tensor/format.h"

namespace skald {

/// Whether none of n values (f32, f16 or bf16) is NaN or infinite. Other formats' values are not looked at: true.
bool all_finite(const Format& format, const std::byte* values, int64_t n);

/// Throws kBadFile naming the tensor, the row and the column of the first such value of a tensor with rows of `cols`.
void want_finite(const std::string& tensor, const Format& format, std::span<const std::byte> values, int64_t cols);

/// What computing throws where such values would be rounded to integers, which have none. The
/// runner of the step finds out where they arose.
class NotFinite : public Error {
 public:
  NotFinite() : Error(Errc::kBadFile, "numbers that are not finite (NaN or infinity) were to be rounded") {}
};

}  // namespace skald
