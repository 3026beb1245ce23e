// f16 in fragments: see pack_halves.
#include "quant/fragments.h"

#include "quant/f16/block.h"
#include "quant/half_fragments.h"

namespace skald {

extern const FragmentLayout fragments_f16;
const FragmentLayout fragments_f16{BlockF16::kId, kHalfColumns, kHalfStepBytes, pack_halves};

}  // namespace skald
