#include "kernels/cpu/avx2/f32.inl"
#include "kernels/cpu/avx2/int8.inl"

using V = Avx2<Int8Avx2>;

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V> && ScoresByEight<V>);
static_assert(HalfDots<V> && PairsBytes<V>);
static_assert(NibbleFours<V>);
