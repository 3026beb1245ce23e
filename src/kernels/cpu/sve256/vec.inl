#include "kernels/cpu/sve256/f32.inl"
#include "kernels/cpu/sve256/int8.inl"

using V = Sve<Int8Sve>;

static_assert(FloatLanes<V> && IntLanes<V> && Prefetching<V>);
static_assert(PanelDots<V> && LaneDots<V>);
