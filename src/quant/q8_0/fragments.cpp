// q8_0 in fragments: bytes, then scales, for 128 columns.
#include "quant/fragments.h"

#include "quant/q8_0/block.h"

namespace skald {

extern const FragmentLayout fragments_q8_0;
const FragmentLayout fragments_q8_0 = layout_of_blocks<BlockQ8_0, CodePlanes{128, 8}, [](const BlockQ8_0& b, int i) {
  return unsigned{static_cast<uint8_t>(b.q[i])};
}>();

}  // namespace skald
