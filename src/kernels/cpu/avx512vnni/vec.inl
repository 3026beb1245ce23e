#include "kernels/cpu/avx512vnni/int8.inl"

using V = Avx512Vnni;

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V> && BytePairs<V>);
static_assert(HalfDots<V> && PairsBytes<V> && HalfPanels<V>);
static_assert(FindsLargest<V, GroupF16> && FindsLargest<V, GroupBf16>);
static_assert(NibbleFours<V>);
