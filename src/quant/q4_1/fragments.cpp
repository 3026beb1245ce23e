// q4_1 in fragments: nibbles, then scales, then minimums, for 128 columns.
#include "quant/fragments.h"

#include "quant/q4_1/block.h"

namespace skald {

extern const FragmentLayout fragments_q4_1;
const FragmentLayout fragments_q4_1 = layout_of_blocks<BlockQ4_1, CodePlanes{128, 4}, nibble_of<BlockQ4_1>>();

}  // namespace skald
