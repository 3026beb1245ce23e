// The forms in which products with fragments want rows, and who makes them. Memory holds the forms of one value at a time:
// the operation that writes a value makes them where the next products are of that value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/args.h"

namespace skald::gpu {

/// A bit for each form.
using FormSet = unsigned;
inline constexpr FormSet kCodedForm = 1, kF16Form = 2, kBf16Form = 4, kAllForms = 7;

/// The form that products with fragments of this format want.
FormSet form_of(uint32_t format);

/// Bytes of rows in all forms.
int64_t row_forms_bytes(int64_t rows, int64_t columns);
/// Where the forms of `set` lie, in memory of row_forms_bytes; null: others.
RowForms row_forms(FormSet set, int64_t rows, int64_t columns, std::byte* memory);

/// What an operation has to do with the memory of forms.
struct FormUse {
  int value = -1;       // whose rows it wants in forms; -1: none
  int64_t columns = 0;  // of a row, of which a row of the value may have several side by side
  FormSet wanted = 0;
  int makes = -1;               // the value that it can make forms of
  int64_t columns_of_made = 0;  // likewise
};
/// Forms that are there already, of what an operation multiplies; that it is to make of what it gives.
struct FormPlan {
  FormSet made = 0, make = 0;
};
/// For operations in the order in which they run.
std::vector<FormPlan> plan_forms(std::span<const FormUse> uses);

}  // namespace skald::gpu
