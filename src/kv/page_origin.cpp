#include "kv/page_origin.h"

#include <algorithm>
#include <bit>

namespace skald {

int64_t ReusePolicy::taken(const PageOrigin& page, int64_t n) const {
  if (page.after_drop) return 0;
  n = std::min<int64_t>(n, std::countr_zero(page.drafts));
  const bool generated_too = keys == Keys::kAll || (keys == Keys::kSamePolicy && !page.mixed && page.policy == policy);
  return generated_too ? n : std::min<int64_t>(n, std::countr_zero(page.generated));
}

}  // namespace skald
