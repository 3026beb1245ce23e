#include "kernels/cpu/dotprod/int8.inl"
#include "kernels/cpu/neon/f32.inl"

using V = Neon<Int8Dotprod>;

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V> && LaneDots<V> && ScoresByEight<V>);
static_assert(NibbleFours<V>);
