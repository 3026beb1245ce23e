// q5_0 in fragments: nibbles, then fifth bits, then scales, for 128 columns.
#include "quant/fragments.h"

#include "quant/q5_0/block.h"

namespace skald {

extern const FragmentLayout fragments_q5_0;
const FragmentLayout fragments_q5_0 = layout_of_blocks<BlockQ5_0, CodePlanes{128, 4, 1}, five_bits_of<BlockQ5_0>>();

}  // namespace skald
