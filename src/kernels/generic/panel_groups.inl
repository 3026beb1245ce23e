// The parts of a group of a panel (quant/panel_groups.h), for kernels on bytes: steps of codes, scales, and addends.
#pragma once

// How a format's codes are multiplied: kernels on unpacked weights are shared by formats of a kind.
template <int kOffsetOfCodes, int kMax, int kPartsOfBlock, bool kHasMins>
struct PanelKind {
  static constexpr int kOffset = kOffsetOfCodes;  // that makes codes unsigned bytes
  static constexpr int kMaxCode = kMax;
  static constexpr int kParts = kPartsOfBlock;  // of 32 columns, with a scale each
  static constexpr bool kMins = kHasMins;       // something is added to all weights of a part
};

template <class Group>
concept HasMins = requires(Group g) {
  g.min;
};

template <class B>
using KindOf = PanelKind<B::kOffset, B::kMaxCode, B::Group::kParts, HasMins<typename B::Group>>;

// Columns 4 * step to 4 * step + 3 of a block, of V::kWidth rows from `row`, as unsigned bytes.
template <class V, class B>
[[gnu::always_inline]] inline typename V::W panel_step(const typename B::Group& g, int block, int step, int row) {
  if constexpr (requires { g.codes; }) {
    const auto& codes = g.codes[block];
    constexpr int kLow = std::remove_cvref_t<decltype(codes)>::kLowBits,
                  kHigh = std::remove_cvref_t<decltype(codes)>::kHighBits;
    constexpr int kShift = code_shift<B>();
    typename V::W w =
        V::bits(V::load_w(codes.low[step % kLow][row]), step / kLow * kLow - kShift, ((1 << kLow) - 1) << kShift);
    if constexpr (kHigh > 0)
      w = V::either(
          w, V::bits(V::load_w(codes.high[step % kHigh][row]), step / kHigh * kHigh - kLow, ((1 << kHigh) - 1) << kLow));
    if constexpr (requires { B::levels(); }) {
      constexpr PanelLevels kLevels = B::levels();
      w = V::lookup(kLevels.of, w);
    }
    return w;
  } else {
    return load_step<V>(g, block, step, row);
  }
}

// The scales of a block's part.
template <class V, class B>
[[gnu::always_inline]] inline typename V::F panel_scale(const typename B::Group& g, int block, int part, int row) {
  using Group = typename B::Group;
  if constexpr (requires { g.scales; }) {
    const typename V::F scale = V::mul(V::load_f16(g.d + row), V::load_bytes(g.scales[block * Group::kParts + part] + row));
    if constexpr (requires { B::kPanelScale; }) return V::mul(scale, V::set1(B::kPanelScale));
    return scale;
  } else if constexpr (requires { g.e; }) {
    return V::load_powers(g.e[block] + row);
  } else if constexpr (requires { g.short_d; }) {
    return V::load_short_f16(g.short_d[block * Group::kParts + part] + row);
  } else if constexpr (std::rank_v<decltype(Group::d)> == 1) {
    return V::load_f16(g.d + row);
  } else {
    constexpr int kOfScale = Group::kBlocks / static_cast<int>(std::extent_v<decltype(Group::d)>);
    return V::load_f16(g.d[block / kOfScale] + row);
  }
}

// The addend of the weights of a block's part.
template <class V, class Group>
[[gnu::always_inline]] inline typename V::F panel_min(const Group& g, int block, int part, int row) {
  if constexpr (requires { g.mins; })
    return V::mul(V::load_f16(g.min + row), V::load_bytes(g.mins[block * Group::kParts + part] + row));
  else if constexpr (HasMins<Group>)
    return V::load_f16(g.min[block] + row);
  else
    return V::zero();
}
