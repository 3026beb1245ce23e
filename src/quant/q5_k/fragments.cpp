// q5_k in fragments: see lined_fragments.h.
#include "quant/lined_fragments.h"
#include "quant/q5_k/block.h"

namespace skald {

extern const FragmentLayout fragments_q5_k;
const FragmentLayout fragments_q5_k = layout_of_lined<BlockQ5K, CodePlanes{256, 4, 1}>();

}  // namespace skald
