#include "kernels/cpu/dotprod/products.inl"
#include "kernels/cpu/neon/f32.inl"
#include "kernels/cpu/neon/int8.inl"

using V = Neon<Int8Neon<DotProducts>>;

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V> && ScoresByEight<V>);
static_assert(NibbleFours<V>);
