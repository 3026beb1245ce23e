// q1_0 in fragments, for 128 columns: see few_bits_fragments.h.
#include "quant/few_bits_fragments.h"
#include "quant/q1_0/block.h"

namespace skald {

extern const FragmentLayout fragments_q1_0;
const FragmentLayout fragments_q1_0 = layout_of_few_bits<BlockQ1_0, CodePlanes{128, 1}>();

}  // namespace skald
