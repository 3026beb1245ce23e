// bf16 in fragments: see pack_halves.
#include "quant/fragments.h"

#include "quant/bf16/block.h"
#include "quant/half_fragments.h"

namespace skald {

extern const FragmentLayout fragments_bf16;
const FragmentLayout fragments_bf16{BlockBf16::kId, kHalfColumns, kHalfStepBytes, pack_halves};

}  // namespace skald
