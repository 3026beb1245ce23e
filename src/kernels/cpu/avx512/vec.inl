#include "kernels/cpu/avx2/int8.inl"
#include "kernels/cpu/avx512/f32.inl"

using V = Avx512<Int8Avx2>;

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(ByteDots<V> && ScoresByEight<V>);
