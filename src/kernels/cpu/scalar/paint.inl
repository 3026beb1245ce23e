#include "kernels/cpu/scalar/activation.inl"
#include "kernels/cpu/scalar/attention.inl"
#include "kernels/cpu/scalar/index.inl"
#include "kernels/cpu/scalar/key_codes.inl"
#include "kernels/cpu/scalar/matmul.inl"
#include "kernels/cpu/scalar/recurrent.inl"
#include "kernels/cpu/scalar/rows.inl"
#include "kernels/cpu/scalar/select.inl"

void paint(KernelTable& t) {
  t.rms_norm = rms_norm;
  t.layer_norm = layer_norm;
  t.rope = rope;
  t.add = add;
  t.mul = mul;
  t.scale = scale;
  t.add_scaled = add_scaled;
  t.softcap = softcap;
  paint_activation<silu>(t, Activation::kSilu);
  paint_activation<gelu>(t, Activation::kGelu);
  paint_activation<gelu_tanh>(t, Activation::kGeluTanh);
  paint_activation<relu>(t, Activation::kRelu);
  paint_activation<relu_squared>(t, Activation::kReluSquared);
  paint_activation<sigmoid>(t, Activation::kSigmoid);
  paint_activation<clamped_silu, clamped_linear>(t, Activation::kClampedSilu);
  paint_activation<clamped_linear>(t, Activation::kClampedLinear);
  t.update_state = update_state;
  t.read_state = read_state;
  t.scan_state = scan_state;
  t.conv_row = conv_row;
  t.quantize_q8 = quantize_q8;
  t.to_bf16 = to_bf16;
  t.store[BlockF32::kId] = store_f32;
  t.store[BlockF16::kId] = store_f16;
  t.store[BlockBf16::kId] = store_bf16;
  t.store[BlockQ8_0::kId] = store_q8_0;
  t.store[BlockQ4_0::kId] = store_q4_0;
  t.store[BlockI8::kId] = store_i8;
  t.unpack_key_rows[BlockI8::kId] = unpack_key_rows<BlockI8>;
  t.unpack_values[BlockI8::kId] = unpack_values<BlockI8>;
  t.matmul_decoded = matmul_decoded;
  t.adjust_scores = adjust_scores;
  t.softmax = softmax;
  t.panel_gemm = panel_gemm;
  t.hadamard = hadamard;
  t.select_top = select_top;
  t.index_scores[static_cast<size_t>(KeyIndex::kF16)] = index_scores<BlockF16>;
  t.index_scores[static_cast<size_t>(KeyIndex::kInt8)] = index_scores<int8_t>;
  t.store_index[static_cast<size_t>(KeyIndex::kF16)] = store_index_f16;
  t.store_index[static_cast<size_t>(KeyIndex::kInt8)] = store_index_int8;
  t.index_scores[static_cast<size_t>(KeyIndex::kInt4)] = index_scores_int4;
  t.store_index[static_cast<size_t>(KeyIndex::kInt4)] = store_index_int4;
  paint_codes<BlockCodeByte>(t);
  paint_codes<BlockCodeNibbles>(t);
  for_each_format([&]<class B>() {
    t.matmul[B::kId] = matmul<B>;
    t.act[B::kId] = B::kSize == 1 ? ActFormat::kF32 : ActFormat::kQ8;
    t.packed_matmul[B::kId] = packed_matmul<B>;
    t.packed_act[B::kId] = t.act[B::kId];
    t.row_scores[B::kId] = row_scores<B>;
    t.score_act[B::kId] = t.act[B::kId];
    t.values[B::kId] = values<B>;
    t.unpack_key_rows[B::kId] = unpack_key_rows<B>;
    t.unpack_values[B::kId] = unpack_values<B>;
    if constexpr (B::kSize == 1) {
      t.row_scores_in_order[B::kId] = row_scores<B>;
      t.dim_scores[B::kId] = dim_scores<B>;
      t.unpack_key_dims[B::kId] = unpack_key_dims<B>;
      t.store_dims[B::kId] = store_dims<B>;
    }
  });
  for_each_panel_format([&]<class B>() {
    t.packed_matmul[B::kId] = packed_matmul<B>;
    t.packed_act[B::kId] = ActFormat::kQ8;
  });
}
