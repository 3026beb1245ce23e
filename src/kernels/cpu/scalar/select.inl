// Reference selection: the threshold is found bit by bit, one count of all values for each.

inline constexpr int32_t kLowestKey = -0x7fffffff;  // of NaNs; that of -inf is -0x7f800000

// An integer that orders as the float does: the magnitude's bits with the float's sign.
inline int32_t sort_key(float x) {
  int32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return kLowestKey;
  return bits < 0 ? -(bits & 0x7fffffff) : bits;
}

// The largest bound with at least k keys at or above it: the k-th largest key.
inline int64_t threshold(const float* x, int64_t n, int64_t k) {
  int64_t bound = kLowestKey;
  for (int64_t bit = int64_t{1} << 31; bit > 0; bit >>= 1) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) count += sort_key(x[i]) >= bound + bit;
    if (count >= k) bound += bit;
  }
  return bound;
}

void select_top(const SelectTopArgs& a) noexcept {
  const int64_t bound = threshold(a.x, a.n, a.k);
  int64_t ties = a.k;
  for (int64_t i = 0; i < a.n; ++i) ties -= sort_key(a.x[i]) > bound;
  int64_t written = 0;
  for (int64_t i = 0; i < a.n && written < a.k; ++i) {
    const int64_t key = sort_key(a.x[i]);
    if (key > bound || (key == bound && ties-- > 0)) a.indices[written++] = static_cast<int32_t>(i);
  }
}
