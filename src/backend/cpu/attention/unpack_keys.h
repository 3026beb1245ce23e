// A page of cached keys as floats in panels, as they were before the cache's transform.
#pragma once

#include "kernels/api/kernel_table.h"
#include "kernels/api/kv_view.h"

namespace skald {

/// panels (kPageKeys / kPanel, columns, kPanel) of the page that begins at `slot`; `columns` of a cached key. With codes: of
/// these.
void unpack_keys(const KernelTable& kernels, const KvView& kv, int64_t head, int64_t slot, int64_t columns, float* panels);

/// With codes (KvView::k_codes): of the keys as they came.
void unpack_open_keys(const KernelTable& kernels, const KvView& kv, int64_t head, int64_t slot, int64_t columns,
                      float* panels);

}  // namespace skald
