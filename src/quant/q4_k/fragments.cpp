// q4_k in fragments: see lined_fragments.h.
#include "quant/lined_fragments.h"
#include "quant/q4_k/block.h"

namespace skald {

extern const FragmentLayout fragments_q4_k;
const FragmentLayout fragments_q4_k = layout_of_lined<BlockQ4K, CodePlanes{256, 4}>();

}  // namespace skald
