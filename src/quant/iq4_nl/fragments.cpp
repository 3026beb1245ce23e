// iq4_nl in fragments: nibbles, then scales, for 128 columns.
#include "quant/fragments.h"

#include "quant/iq4_nl/block.h"

namespace skald {

extern const FragmentLayout fragments_iq4_nl;
const FragmentLayout fragments_iq4_nl = layout_of_blocks<BlockIq4Nl, CodePlanes{128, 4}, nibble_of<BlockIq4Nl>>();

}  // namespace skald
