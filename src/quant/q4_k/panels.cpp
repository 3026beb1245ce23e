// q4_k in panels.
#include "quant/lined_blocks.h"
#include "quant/q4_k/block.h"

namespace skald {

extern const PanelLayout panels_q4_k;
const PanelLayout panels_q4_k = layout_of_groups<BlockQ4K, put_lined>("q4_kx16");

}  // namespace skald
