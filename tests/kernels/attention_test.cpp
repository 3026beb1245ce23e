// Attention of every tier and cache format against sums in double, over paged caches with garbage around the keys in view.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "quant/registry.h"
#include "tests/kernels/tier_test.h"
#include "tests/support/close_to.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald {
namespace {

struct Case {
  int64_t group, d_k, d_v, page_keys, first, end;
  float sharpness = 1;  // factor on the queries: peaked scores
};

std::string text(const Case& c) {
  return "group " + std::to_string(c.group) + ", d " + std::to_string(c.d_k) + "/" + std::to_string(c.d_v) + ", pages of " +
         std::to_string(c.page_keys) + ", keys " + std::to_string(c.first) + " to " + std::to_string(c.end);
}

/// A cache of two KV heads in scattered pages. Only the keys [first, end) of head 1 are numbers, all else is NaN.
class Cache {
 public:
  static constexpr int64_t kHead = 1;

  Cache(const Case& c, const Format& k_format, const Format& v_format) : c_(c) {
    view.page_keys = c.page_keys;
    view.k_row_stride = k_format.bytes(c.d_k) + kGap;
    view.v_row_stride = v_format.bytes(c.d_v) + kGap;
    view.k_head_stride = c.page_keys * view.k_row_stride;
    view.v_head_stride = c.page_keys * view.v_row_stride;
    view.k_offset = kGap;
    view.v_offset = view.k_offset + 2 * view.k_head_stride;
    view.k_format = k_format.id;
    view.v_format = v_format.id;
    // The last head's last value is the page's last byte, so that a sanitizer sees reads beyond it.
    const auto page_bytes = static_cast<size_t>(view.v_offset + 2 * view.v_head_stride - kGap);
    for (int64_t p = 0; p * c.page_keys < c.end; ++p) {
      memory_.push_back(std::make_unique<std::byte[]>(page_bytes));
      std::fill_n(memory_.back().get(), page_bytes, std::byte{0xff});  // NaN in every float format
      pages_.push_back(memory_.back().get());
    }
    view.pages = pages_.data();
    fill(k_format, c.d_k, 1, k, [&](int64_t key) { return view.k_row(kHead, key); });
    fill(v_format, c.d_v, 2, v, [&](int64_t key) { return view.v_row(kHead, key); });
  }

  KvView view;
  std::vector<float> k, v;  // as stored: (end - first, d)

 private:
  static constexpr int64_t kGap = 8;

  template <class Row>
  void fill(const Format& format, int64_t d, uint64_t seed, std::vector<float>& values, Row row) {
    values = test::normal((c_.end - c_.first) * d, seed);
    for (int64_t key = c_.first; key < c_.end; ++key) {
      float* x = values.data() + (key - c_.first) * d;
      format.encode(x, row(key), d);
      format.decode(row(key), x, d);
    }
  }

  Case c_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<std::byte*> pages_;
};

/// One head's result in double, and what rounding may change: by the scores' errors (through the exponential) and by the
/// sums'.
void reference(const Case& c, const Cache& cache, const float* q, float scale, float* want, double* limits) {
  const int64_t n = c.end - c.first;
  std::vector<double> p;
  double largest = -HUGE_VAL, score_error = 0, total = 0;
  for (int64_t j = 0; j < n; ++j) {
    const test::Dot dot(std::span<const float>(q, static_cast<size_t>(c.d_k)),
                        std::span<const float>(cache.k.data() + j * c.d_k, static_cast<size_t>(c.d_k)));
    p.push_back(dot.sum * static_cast<double>(scale));
    score_error = std::max(score_error, dot.limit(2 + std::sqrt(static_cast<double>(c.d_k))) * static_cast<double>(scale));
    largest = std::max(largest, p.back());
  }
  for (double& x : p) total += x = std::exp(x - largest);
  for (int64_t i = 0; i < c.d_v; ++i) {
    double sum = 0, magnitude = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double term =
          p[static_cast<size_t>(j)] / total * static_cast<double>(cache.v[static_cast<size_t>(j * c.d_v + i)]);
      sum += term;
      magnitude += std::abs(term);
    }
    want[i] = static_cast<float>(sum);
    limits[i] = magnitude * (2 * score_error + 0x1p-24 * (8 + 4 * std::sqrt(static_cast<double>(n))));
  }
}

void check(const KernelTable& kernels, const Case& c, const Format& k_format, const Format& v_format) {
  SCOPED_TRACE(text(c) + ", " + std::string(k_format.name) + "/" + std::string(v_format.name));
  const Cache cache(c, k_format, v_format);
  const std::vector<float> q = test::normal(c.group * c.d_k, 3, c.sharpness);
  const float scale = 1 / std::sqrt(static_cast<float>(c.d_k));
  test::Guarded<float> out(c.group * c.d_v), scratch(attention_scratch(c.group, c.page_keys));
  const AttentionFn attention = kernels.attention[k_format.id][v_format.id];
  ASSERT_NE(attention, nullptr);
  attention({q.data(), out.data(), c.group, c.d_k, c.d_v, &cache.view, Cache::kHead, c.first, c.end, scale, scratch.data()});
  std::vector<float> want(static_cast<size_t>(c.group * c.d_v));
  std::vector<double> limits(want.size());
  for (int64_t g = 0; g < c.group; ++g)
    reference(c, cache, q.data() + g * c.d_k, scale, want.data() + g * c.d_v, limits.data() + g * c.d_v);
  EXPECT_TRUE(test::close_to(out.values(), want, limits));
  EXPECT_TRUE(out.intact()) << "output";
  EXPECT_TRUE(scratch.intact()) << "scratch";
}

class AttentionKernel : public test::TierTest {
 protected:
  void check_all_formats(const Case& c) const {
    for (const Format* k : {&format_f32, &format_f16})
      for (const Format* v : {&format_f32, &format_f16}) check(kernels(), c, *k, *v);
  }
};

TEST_P(AttentionKernel, AgreesForEveryHeadSize) {
  for (int64_t d : {8, 32, 64, 80, 96, 112, 128, 256}) check_all_formats({2, d, d, 64, 0, 70});
}

TEST_P(AttentionKernel, AgreesForOddHeadSizes) {
  for (int64_t d : {1, 3, 7, 9, 15, 17, 33, 100}) check_all_formats({1, d, d, 16, 0, 21});
}

TEST_P(AttentionKernel, KeysAndValuesMayDifferInSize) {
  check_all_formats({2, 96, 64, 64, 0, 70});
  check_all_formats({2, 32, 128, 16, 0, 33});
  check_all_formats({3, 8, 112, 16, 2, 33});
  check_all_formats({1, 256, 8, 64, 0, 65});
}

TEST_P(AttentionKernel, AgreesForEveryGroupSize) {
  for (int64_t group = 1; group <= 8; ++group) check_all_formats({group, 32, 32, 16, 0, 37});
}

TEST_P(AttentionKernel, AgreesWhereverTheKeysBeginAndEnd) {
  for (int64_t page_keys : {16, 64})
    for (int64_t first : {0, 1, 15, 16, 17, 63, 64, 65, 130})
      for (int64_t n : {1, 2, 15, 16, 17, 64, 100}) check_all_formats({2, 32, 32, page_keys, first, first + n});
}

TEST_P(AttentionKernel, AgreesForPeakedScores) {
  for (float sharpness : {0.0f, 1e-3f, 10.0f, 50.0f}) check_all_formats({4, 64, 64, 16, 3, 100, sharpness});
}

TEST_P(AttentionKernel, OneKeyGivesItsValue) {
  const Cache cache({1, 32, 32, 16, 20, 21}, format_f32, format_f32);
  const std::vector<float> q = test::normal(32, 3, 100);
  std::vector<float> out(32), scratch(static_cast<size_t>(attention_scratch(1, 16)));
  kernels().attention[0][0]({q.data(), out.data(), 1, 32, 32, &cache.view, Cache::kHead, 20, 21, 1.0f, scratch.data()});
  EXPECT_TRUE(test::close_to(out, cache.v, 0));
}

INSTANTIATE_TEST_SUITE_P(All, AttentionKernel, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
