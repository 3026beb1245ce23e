// tq2_0 in fragments, for 256 columns: see few_bits_fragments.h.
#include "quant/few_bits_fragments.h"
#include "quant/tq2_0/block.h"

namespace skald {

extern const FragmentLayout fragments_tq2_0;
const FragmentLayout fragments_tq2_0 = layout_of_few_bits<BlockTq2_0, CodePlanes{256, 2}>();

}  // namespace skald
