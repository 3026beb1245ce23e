// q4_0 in fragments: nibbles, then scales, for 128 columns.
#include "quant/fragments.h"

#include "quant/q4_0/block.h"

namespace skald {

extern const FragmentLayout fragments_q4_0;
const FragmentLayout fragments_q4_0 = layout_of_blocks<BlockQ4_0, CodePlanes{128, 4}, nibble_of<BlockQ4_0>>();

}  // namespace skald
