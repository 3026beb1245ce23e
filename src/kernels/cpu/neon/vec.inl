#include "kernels/cpu/neon/f32.inl"
#include "kernels/cpu/neon/int8.inl"
#include "kernels/cpu/neon/products.inl"

using V = Neon<Int8Neon<LongProducts>>;

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V> && ScoresByEight<V>);
static_assert(NibbleFours<V>);
