// q5_k in panels.
#include "quant/lined_blocks.h"
#include "quant/q5_k/block.h"

namespace skald {

extern const PanelLayout panels_q5_k;
const PanelLayout panels_q5_k = layout_of_groups<BlockQ5K, put_lined>("q5_kx16");

}  // namespace skald
