// Sizes of the forms that products with fragments want rows in (RowForms).
#pragma once

namespace skald::gpu {

inline constexpr int kUnitColumns = 128;                   // of coded rows: four blocks of 32
inline constexpr int kTileColumns = 32, kTileBytes = 512;  // of split rows: tiles of 4 rows, in both halves

}  // namespace skald::gpu
