// Every generic kernel, and how they go into a table.
#pragma once

#include "kernels/generic/activation.inl"
#include "kernels/generic/decoded.inl"
#include "kernels/generic/elementwise.inl"
#include "kernels/generic/exp.inl"
#include "kernels/generic/hadamard.inl"
#include "kernels/generic/index.inl"
#include "kernels/generic/index_int16.inl"
#include "kernels/generic/index_int4.inl"
#include "kernels/generic/index_streams.inl"
#include "kernels/generic/key_codes.inl"
#include "kernels/generic/matmul_float.inl"
#include "kernels/generic/matmul_int8.inl"
#include "kernels/generic/packed_bf16.inl"
#include "kernels/generic/packed_float.inl"
#include "kernels/generic/packed_int16.inl"
#include "kernels/generic/packed_int8.inl"
#include "kernels/generic/panels.inl"
#include "kernels/generic/panels_int16.inl"
#include "kernels/generic/recurrent.inl"
#include "kernels/generic/scores.inl"
#include "kernels/generic/scores_int8.inl"
#include "kernels/generic/select.inl"
#include "kernels/generic/softcap.inl"
#include "kernels/generic/softmax.inl"
#include "kernels/generic/store.inl"
#include "kernels/generic/values.inl"
#include "kernels/generic/values_int16.inl"

// The kernels that no weight format enters.
template <FloatLanes V>
void paint_rows(KernelTable& t) {
  t.rms_norm = rms_norm<V>;
  t.layer_norm = layer_norm<V>;
  t.rope = rope<V>;
  t.add = add<V>;
  t.mul = mul<V>;
  t.scale = scale<V>;
  t.add_scaled = add_scaled<V>;
  t.softcap = softcap<V>;
  paint_activation<V, Silu>(t, Activation::kSilu);
  paint_activation<V, Gelu>(t, Activation::kGelu);
  paint_activation<V, GeluTanh>(t, Activation::kGeluTanh);
  paint_activation<V, Relu>(t, Activation::kRelu);
  paint_activation<V, ReluSquared>(t, Activation::kReluSquared);
  paint_activation<V, Sigmoid>(t, Activation::kSigmoid);
  paint_activation<V, ClampedSilu, ClampedLinear>(t, Activation::kClampedSilu);
  paint_activation<V, ClampedLinear>(t, Activation::kClampedLinear);
  t.update_state = update_state<V>;
  t.read_state = read_state<V>;
  t.scan_state = scan_state<V>;
  t.conv_row = conv_row<V>;
  t.quantize_q8 = quantize_q8<V>;
  t.to_bf16 = to_bf16<V>;
  t.store[BlockF32::kId] = store_f32<V>;
  t.store[BlockF16::kId] = store_f16<V>;
  t.store[BlockBf16::kId] = store_bf16<V>;
  t.store[BlockQ8_0::kId] = store_q8_0<V>;
  t.store[BlockQ4_0::kId] = store_q4_0<V>;
  t.store[BlockI8::kId] = store_i8<V>;
  t.unpack_key_rows[BlockI8::kId] = unpack_key_rows<V, BlockI8>;
  t.unpack_values[BlockI8::kId] = unpack_values<V, BlockI8>;
  t.matmul_decoded = matmul_decoded<V>;
  t.adjust_scores = adjust_scores<V>;
  t.softmax = softmax<V>;
  t.panel_gemm = panel_gemm<V>;
  t.prefill_act = ActFormat::kF32;
  t.hadamard = hadamard<V>;
  t.select_top = select_top<V>;
  if constexpr (V::kIndexByStreams) {
    t.index_scores[static_cast<size_t>(KeyIndex::kF16)] = index_scores_by_streams<V, BlockF16>;
    t.index_scores[static_cast<size_t>(KeyIndex::kInt8)] = index_scores_by_streams<V, int8_t>;
  } else {
    t.index_scores[static_cast<size_t>(KeyIndex::kF16)] = index_scores<V, BlockF16>;
    t.index_scores[static_cast<size_t>(KeyIndex::kInt8)] = index_scores<V, int8_t>;
  }
  t.store_index[static_cast<size_t>(KeyIndex::kF16)] = store_index_f16<V>;
  t.store_index[static_cast<size_t>(KeyIndex::kInt8)] = store_index_int8<V>;
  t.store_index[static_cast<size_t>(KeyIndex::kInt4)] = store_index_int4<V>;
  paint_key_codes<V>(t);
}

// For tiers whose V multiplies four columns of bytes.
template <NibbleFours V>
void paint_index_int4(KernelTable& t) {
  t.index_scores[static_cast<size_t>(KeyIndex::kInt4)] = index_scores_int4<V>;
}

template <class V, class B>
void paint_attention(KernelTable& t) {
  if constexpr (B::kSize > 1 && PairsBytes<V>)
    t.values[B::kId] = values_int16<V, B>;
  else
    t.values[B::kId] = values<V, B>;
  t.unpack_key_rows[B::kId] = unpack_key_rows<V, B>;
  t.unpack_values[B::kId] = unpack_values<V, B>;
  if constexpr (B::kSize == 1) {
    t.row_scores[B::kId] = row_scores<V, B>;
    t.row_scores_in_order[B::kId] = row_scores_in_order<V, B>;
    t.dim_scores[B::kId] = dim_scores<V, B>;
    t.unpack_key_dims[B::kId] = unpack_key_dims<V, B>;
    t.store_dims[B::kId] = store_dims<V, B>;
  } else if constexpr (ScoresByEight<V>) {
    t.row_scores[B::kId] = row_scores_int8<V, B>;
  }
  t.score_act[B::kId] = B::kSize == 1 ? ActFormat::kF32 : ActFormat::kQ8;
}

// For tiers whose V multiplies panels of bytes.
template <PanelDots V, class B>
void paint_packed_int8(KernelTable& t) {
  t.packed_matmul[B::kId] = packed_matmul_int8<V, B>;
  t.packed_act[B::kId] = ActFormat::kQ8;
}

// For tiers whose V multiplies pairs of 16 bits.
template <HalfPanels V>
void paint_packed_int16(KernelTable& t) {
  t.quantize_q16 = quantize_q16<V>;
  t.prefill_act = ActFormat::kQ16;
  t.quantize_keys = quantize_keys<V>;
  t.quantize_values = quantize_values<V>;
  t.quantize_weights = quantize_weights<V>;
  t.panel_gemm_q16 = panel_gemm_q16<V>;
  t.index_scores[static_cast<size_t>(KeyIndex::kInt8)] = index_scores_int16<V>;
  t.packed_matmul[BlockF16::kId] = packed_matmul_int16<V, BlockF16>;
  t.packed_matmul[BlockBf16::kId] = packed_matmul_int16<V, BlockBf16>;
  t.packed_act[BlockF16::kId] = t.packed_act[BlockBf16::kId] = ActFormat::kQ16;
}

// For tiers whose V multiplies pairs of bfloat16.
template <Bf16Dots V>
void paint_packed_bf16(KernelTable& t) {
  t.packed_matmul[BlockBf16::kId] = packed_matmul_bf16<V>;
  t.packed_act[BlockBf16::kId] = ActFormat::kBf16;
}

template <class V, class B>
void paint_matmul(KernelTable& t) {
  if constexpr (B::kSize == 1) {
    t.matmul[B::kId] = matmul_float<V, B>;
    t.act[B::kId] = ActFormat::kF32;
    t.packed_matmul[B::kId] = packed_matmul_float<V, B>;
    t.packed_act[B::kId] = ActFormat::kF32;
  } else {
    t.matmul[B::kId] = matmul_int8<V, B>;
    t.act[B::kId] = ActFormat::kQ8;
  }
}
