// Tile registers: up to 16 rows of 64 bytes, as inline assembly, for which a register's number can be a template's. Bound,
// on Sapphire Rapids: a product takes 16 cycles, however few columns it sums over. While tiles are in use, vectors of 512
// bits get one instruction started per cycle instead of two.
#pragma once

inline constexpr int kTileRows = 16;
inline constexpr int kLeftTile = 4, kRightTile = 6;  // two each; 0 to 3 are sums

// Of `left` tokens, those that a tile takes.
[[gnu::always_inline]] inline int tokens_of_tile(int64_t left) {
  return static_cast<int>(left < kTileRows ? left : kTileRows);
}

// f of constants 0 to N - 1.
template <int N, class F>
[[gnu::always_inline]] inline void for_constants(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) { (f.template operator()<I>(), ...); }
  (std::make_integer_sequence<int, N>());
}

// Shapes tiles while it lives: sums (rows, 16 words) += left (rows, depth words) * right (depth, 16 words). The words of
// left and right are four bytes or two bfloat16 each, whose products are summed.
class Tiles {
 public:
  Tiles() = default;
  ~Tiles() { asm volatile("tilerelease"); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  // Up to 16 of both; the tiles' content is lost.
  void shape(int rows, int depth) {
    if (rows == rows_ && depth == depth_) return;
    rows_ = rows;
    depth_ = depth;
    struct alignas(64) {
      uint8_t palette = 1, start_row = 0, reserved[14] = {};
      uint16_t row_bytes[16] = {};
      uint8_t rows[16] = {};
    } config;
    for (int i = 0; i < 8; ++i) {
      config.row_bytes[i] = static_cast<uint16_t>(i == kLeftTile || i == kLeftTile + 1 ? depth * 4 : 64);
      config.rows[i] = static_cast<uint8_t>(i >= kRightTile ? depth : rows);
    }
    asm volatile("ldtilecfg %0" : : "m"(config));
  }

 private:
  int rows_ = 0, depth_ = 0;
};

template <int kTile>
[[gnu::always_inline]] inline void tile_load(const void* p, int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(p), "r"(stride), "i"(kTile) : "memory");
}
template <int kTile>
[[gnu::always_inline]] inline void tile_store(void* p, int64_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(p), "r"(stride), "i"(kTile) : "memory");
}
template <int kTile>
[[gnu::always_inline]] inline void tile_zero() {
  asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
}
// Signed bytes, summed exactly.
template <int kSums, int kLeft, int kRight>
[[gnu::always_inline]] inline void tile_dot_bytes() {
  asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kLeft), "i"(kRight));
}
// Pairs of bfloat16; products and sums are rounded to nearest even, denormals count as 0.
template <int kSums, int kLeft, int kRight>
[[gnu::always_inline]] inline void tile_dot_bf16() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSums), "i"(kLeft), "i"(kRight));
}
