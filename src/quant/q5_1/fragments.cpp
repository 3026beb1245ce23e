// q5_1 in fragments: nibbles, then fifth bits, scales and minimums, for 128 columns.
#include "quant/fragments.h"

#include "quant/q5_1/block.h"

namespace skald {

extern const FragmentLayout fragments_q5_1;
const FragmentLayout fragments_q5_1 = layout_of_blocks<BlockQ5_1, CodePlanes{128, 4, 1}, five_bits_of<BlockQ5_1>>();

}  // namespace skald
