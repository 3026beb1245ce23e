// A cache whose slots lie in two memories that the host does not see: what is copied there and back is what was there.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/memory.h"
#include "base/rng.h"
#include "kv/page_bytes.h"
#include "kv/saved_sequence.h"
#include "kv/slot_memories.h"
#include "tests/support/errors.h"
#include "tests/support/faulting_memory.h"

namespace skald::memories_test {
namespace {

constexpr int64_t kMaxKeys = 4096;
const AttentionState kAll = {.n_kv_heads = 2, .d_k = 4, .d_v = 4},
                     kWindow = {.n_kv_heads = 1, .d_k = 4, .d_v = 4, .window = 100};
const std::vector<StateSpec> kSlots = {kAll, kWindow, RecurrentState{8}, kAll, RecurrentState{3}};
const std::vector<size_t> kMemoryOf = {0, 1, 1, 1, 0};

using Bytes = std::vector<std::byte>;

TEST(MemoriesOfSlots, AreNamedOnceInOrder) {
  test::FaultingMemory a, b;
  const std::vector<DeviceMemory*> of_slots = {&b, &a, &b, &host_memory()};
  const SlotMemories found(of_slots);
  EXPECT_EQ(found.memories, (std::vector<DeviceMemory*>{&b, &a, &host_memory()}));
  EXPECT_EQ(found.memory_of, (std::vector<size_t>{0, 1, 0, 2}));
  EXPECT_EQ(SlotMemories({}).memories.size(), 1u);
}

TEST(MemoriesOfGroups, AreOrderedByTheirFirstSlots) {
  const KvSpec spec = make_kv_spec(kSlots, {.key_sums = true}, kMaxKeys, kMemoryOf);
  ASSERT_EQ(spec.groups.size(), 3u);
  for (size_t g = 0; g < 3; ++g) {
    EXPECT_EQ(spec.groups[g].slots, (std::vector<int64_t>{static_cast<int64_t>(g == 2 ? 3 : g)}));
    EXPECT_EQ(spec.groups[g].memory, g == 0 ? 0u : 1u);
  }
  EXPECT_EQ(spec.recurrent_at[2], 0);
  EXPECT_EQ(spec.recurrent_at[4], 0) << "each memory counts from 0";
  EXPECT_EQ(spec.shares[0].recurrent_floats + spec.shares[1].recurrent_floats, spec.recurrent_floats);
  EXPECT_EQ(spec.shares[0].key_sums_bytes + spec.shares[1].key_sums_bytes, spec.key_sums_bytes);
  EXPECT_LT(spec.key_sums_at[3], spec.shares[1].key_sums_bytes);
}

TEST(MemoriesOfGroups, OfOneMemoryAreThoseWithoutANumber) {
  const KvSpec one = make_kv_spec(kSlots, {}, kMaxKeys), same = make_kv_spec(kSlots, {}, kMaxKeys, {0, 0, 0, 0, 0});
  ASSERT_EQ(one.groups.size(), 2u);
  EXPECT_EQ(one.groups[0].slots, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(one.group_of, same.group_of);
  EXPECT_EQ(one.recurrent_at, same.recurrent_at);
}

// With an index and all that it keeps besides, or plain.
class Memories : public testing::TestWithParam<bool> {
 protected:
  static KvStorage storage() {
    KvStorage s{.k_type = "f32", .v_type = "f32"};
    if (!GetParam()) return s;
    s.index = KeyIndex::kInt4;
    s.value_sums = s.page_bounds = s.key_sums = true;
    return s;
  }

  void random(Bytes& bytes) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(rng_.next());
  }
  Bytes random(int64_t n) {
    Bytes out(static_cast<size_t>(n));
    random(out);
    return out;
  }
  // The page's bytes of a group, and sets them.
  Bytes page(size_t group, const PageRef& page) const {
    Bytes out(static_cast<size_t>(cache_.pool(group).page_bytes()));
    ReadPieces pieces;
    pieces.add(out, cache_.pool(group).strip(page));
    pieces.read(cache_.memory_of_group(group));
    return out;
  }
  void fill(size_t group, const PageRef& page, std::span<const std::byte> bytes) {
    WritePieces pieces;
    pieces.add(bytes, cache_.pool(group).strip(page));
    pieces.write(cache_.memory_of_group(group));
  }
  Bytes states(const KvSequence& s) {
    Bytes out(static_cast<size_t>(cache_.recurrent().block_bytes()));
    cache_.recurrent().read(*s.share(0, s.length()).recurrent, out);
    return out;
  }
  // A prompt of n tokens with numbers by chance.
  void append(KvSequence& s, int64_t n) {
    const int64_t from = s.length();
    ASSERT_TRUE(s.reserve(from + n));
    s.set_length(from + n);
    const SharedPages pages = s.share(from - from % kPageKeys, s.length());
    for (size_t g = 0; g < pages.groups.size(); ++g)
      for (const PageRef& p : pages.groups[g].pages)
        if (p) fill(g, p, random(cache_.pool(g).page_bytes()));
    cache_.recurrent().write(*pages.recurrent, random(cache_.recurrent().block_bytes()));
  }
  // All pages and states of the sequence.
  std::vector<Bytes> content(const KvSequence& s) {
    std::vector<Bytes> out = {states(s)};
    const SharedPages pages = s.share(0, s.length());
    for (size_t g = 0; g < pages.groups.size(); ++g)
      for (const PageRef& p : pages.groups[g].pages) out.push_back(p ? page(g, p) : Bytes());
    return out;
  }
  // A float of the slot's key of head 1, or of the only one.
  float key(const KvSequence& s, int64_t slot, int64_t position) const {
    const KvView view = s.view(slot);
    const int64_t at = position - view.shift, step = view.k_order == KeyOrder::kDims ? 4 : view.k_stride;
    float out = 0;
    cache_.memory(cache_.spec().memory_of[static_cast<size_t>(slot)])
        .read(reinterpret_cast<std::byte*>(&out), view.k_page(0, at) + at % kPageKeys * step, sizeof out);
    return out;
  }

  Rng rng_{1};
  test::FaultingMemory first_, second_;
  KvCache cache_{make_kv_spec(kSlots, storage(), kMaxKeys, kMemoryOf),
                 {.max_keys = kMaxKeys, .max_rows = 300, .n_sequences = 4},
                 {&first_, &second_}};
};

TEST_P(Memories, HoldTheirSlotsAlone) {
  KvSequence s(cache_);
  append(s, 64);
  int64_t in_first = 0, in_second = 0;
  for (size_t g = 0; g < 3; ++g) (g == 0 ? in_first : in_second) += cache_.pool(g).bytes() + cache_.index_pool(g).bytes();
  for (size_t m = 0; m < 2; ++m) {
    const KvShare& share = cache_.spec().shares[m];
    (m == 0 ? in_first : in_second) += share.recurrent_floats * int64_t{sizeof(float)} + share.key_sums_bytes;
  }
  EXPECT_EQ(first_.held(), in_first);
  EXPECT_EQ(second_.held(), in_second);
}

TEST_P(Memories, OfAForkCopyTheKeysSoFar) {
  KvSequence s(cache_);
  append(s, 100);
  KvSequence other = s.fork();
  ASSERT_TRUE(other.reserve(101));
  for (const int64_t slot : {0, 1, 3})
    for (const int64_t position : {63, 64, 99}) {
      EXPECT_EQ(key(other, slot, position), key(s, slot, position)) << slot << ", " << position;
    }
  EXPECT_NE(other.view(0).k_page(0, 99), s.view(0).k_page(0, 99));
  other.set_length(101);
  EXPECT_EQ(states(other), states(s));
  append(other, 1);
  EXPECT_NE(states(other), states(s));
}

TEST_P(Memories, ComeBackFromASavedSequence) {
  KvSequence s(cache_);
  for (int i = 0; i < 3; ++i) append(s, 90);
  const std::vector<Bytes> want = content(s);
  const SavedSequence saved(s);
  s.clear();
  KvSequence noise(cache_);
  append(noise, 300);
  ASSERT_TRUE(saved.restore(s));
  EXPECT_EQ(content(s), want);
}

// As the disk tier does, page by page.
TEST_P(Memories, ComeBackFromRecords) {
  KvSequence s(cache_), other(cache_);
  for (int i = 0; i < 4; ++i) append(s, 64);
  for (int64_t first = 0; first < 256; first += kPageKeys) {
    ASSERT_TRUE(other.reserve(first + kPageKeys));
    for (const RecordPart part : parts_of(cache_, first, 256)) {
      if (part.number == RecordPart::kCheckpoint) continue;
      const std::optional<Bytes> bytes = read_page(cache_, s.share(first, first + kPageKeys), part);
      if (!bytes) continue;  // a window gave it up
      EXPECT_TRUE(SequenceBytes::write(other, part, *bytes));
    }
    if (first + kPageKeys == 256 && !GetParam()) {
      const std::optional<Bytes> cut = SequenceBytes::read_checkpoint(s);
      ASSERT_TRUE(cut);
      EXPECT_TRUE(SequenceBytes::write(other, {RecordPart::kCheckpoint}, *cut));
    }
    SequenceBytes::end_page(other);
  }
  for (int64_t first = 0; first < 256; first += kPageKeys)
    EXPECT_EQ(read_page(cache_, other.share(first, first + kPageKeys), {}),
              read_page(cache_, s.share(first, first + kPageKeys), {}));
  if (!GetParam()) {
    EXPECT_EQ(states(other), states(s));
  }
}

// The CPU's slots and a device's, each with a window's.
class MemoriesOfACpuAndADevice : public testing::TestWithParam<KvStorage> {
 protected:
  KvSpec spec() { return make_kv_spec({big(0), big(0), big(100), big(100)}, GetParam(), kMaxKeys, {0, 1, 0, 1}, all_); }
  static AttentionState big(int64_t window) { return {.n_kv_heads = 2, .d_k = 64, .d_v = 96, .window = window}; }
  // All bytes of the keys and values of a slot's positions [0, n): rows, or codes and scales.
  Bytes content(KvCache& cache, const KvSequence& s, int64_t slot, int64_t n) {
    Bytes out;
    const KvView view = s.view(slot);
    const KvGroup& group = cache.spec().groups[cache.spec().group_of[static_cast<size_t>(slot)]];
    const auto read = [&](const std::byte* from, int64_t bytes) {
      out.resize(out.size() + static_cast<size_t>(bytes));
      cache.memory(group.memory).read(out.data() + std::ssize(out) - bytes, from, bytes);
    };
    const auto read_row = [&](const std::byte* first, int64_t i, int64_t stride, const KeyPlace& place) {
      read(first + i * stride, place.stride);
      if (place.scales) read(first + place.scales + i * place.scale_stride, place.scale_stride);
    };
    const AttentionState& of = cache.spec().attention(slot);
    for (int64_t at = view.begin; at < n - view.shift; ++at)
      for (int64_t head = 0; head < 2; ++head) {
        const int64_t i = at % kPageKeys;
        if (view.k_order != KeyOrder::kDims)
          read_row(view.k_page(head, at), i, view.k_stride, group.k_layout->place(*cache.spec().k_format, of.d_k));
        read_row(view.v_row(head, at - i), i, view.v_stride, group.v_layout->place(*cache.spec().v_format, of.d_v));
      }
    return out;
  }

  test::FaultingMemory host_;
  test::DeviceLike device_;
  std::vector<DeviceMemory*> all_ = {&host_, &device_};
};

TEST_P(MemoriesOfACpuAndADevice, HaveTheLayoutOfEach) {
  const KvSpec spec = this->spec();
  ASSERT_EQ(spec.groups.size(), 4u);
  const bool k_blocks = spec.k_format->block > 1, v_blocks = spec.v_format->block > 1;
  for (const KvGroup& group : spec.groups) {
    const bool device = group.memory == 1;
    const KvView& view = spec.views[static_cast<size_t>(group.slots.front())];
    EXPECT_EQ(view.k_order, device && k_blocks ? KeyOrder::kPlanes : device || k_blocks ? KeyOrder::kRows : KeyOrder::kDims);
    EXPECT_EQ(view.v_order, device && v_blocks ? KeyOrder::kPlanes : KeyOrder::kRows);
    EXPECT_EQ(group.slab.bytes, spec.groups[0].slab.bytes) << "all layouts take as many bytes";
    if (device && v_blocks) {
      EXPECT_EQ(view.v_offset % 128, 0);
    }
  }
}

TEST_P(MemoriesOfACpuAndADevice, CopyTheKeysOfAForkSoFar) {
  KvCache cache(spec(), {.max_keys = kMaxKeys, .max_rows = 300, .n_sequences = 4}, all_);
  KvSequence s(cache), noise(cache);
  Rng rng(5);
  for (KvSequence* each : {&s, &noise}) {
    ASSERT_TRUE(each->reserve(100));
    each->set_length(100);
    const SharedPages pages = each->share(0, 100);
    for (size_t g = 0; g < pages.groups.size(); ++g)
      for (const PageRef& page : pages.groups[g].pages) {
        Bytes bytes(static_cast<size_t>(cache.pool(g).page_bytes()));
        for (std::byte& b : bytes) b = static_cast<std::byte>(rng.next());
        WritePieces pieces;
        pieces.add(bytes, cache.pool(g).strip(page));
        pieces.write(cache.memory_of_group(g));
      }
  }
  noise.clear();  // whose pages are taken again
  KvSequence other = s.fork();
  ASSERT_TRUE(other.reserve(101));
  for (int64_t slot = 0; slot < 4; ++slot) {
    EXPECT_NE(other.view(slot).k_page(0, 99), s.view(slot).k_page(0, 99));
    EXPECT_EQ(content(cache, other, slot, 100), content(cache, s, slot, 100)) << slot;
    EXPECT_NE(content(cache, other, slot, 101), content(cache, s, slot, 101)) << "no more than that";
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MemoriesOfACpuAndADevice,
                         testing::Values(KvStorage{.k_type = "q8_0", .v_type = "q8_0"},
                                         KvStorage{.k_type = "q4_0", .v_type = "q8_0"},
                                         KvStorage{.k_type = "f16", .v_type = "q4_0"},
                                         KvStorage{.k_type = "q8_0", .v_type = "f16"}),
                         [](const auto& info) { return info.param.k_type + "_" + info.param.v_type; });

TEST(MemoriesOfADevice, AreNamedWithTheirLayouts) {
  test::DeviceLike device;
  const auto text = [&](const KvStorage& storage, std::vector<size_t> memory_of) {
    return describe(make_kv_spec({kAll, kAll}, storage, kMaxKeys, std::move(memory_of), {&host_memory(), &device}));
  };
  EXPECT_EQ(text({.k_type = "q8_0", .v_type = "q4_0"}, {1, 1}),
            "keys q8_0 by planes rotated, values q4_0 by planes rotated");
  EXPECT_EQ(text({.v_type = "q8_0"}, {0, 0}), "keys f16 by dims, values q8_0 rotated");
  EXPECT_EQ(text({.v_type = "q8_0"}, {0, 1}), "keys f16 by dims and rows, values q8_0 by rows and planes rotated");
}

TEST(MemoriesOfADevice, TakePlanesWhereTheCpuDoesNot) {
  test::DeviceLike device;
  const KvStorage planes{.k_type = "q8_0", .layout = "planes"};
  EXPECT_EQ(make_kv_spec({kAll}, planes, kMaxKeys, {0}, {&device}).views[0].k_order, KeyOrder::kPlanes);
  for (const std::vector<size_t>& memory_of : {std::vector<size_t>{0, 1}, std::vector<size_t>{1, 1}}) {
    const Error e = test::error_of([&] {
      make_kv_spec({kAll, kAll}, planes, kMaxKeys, memory_of, {&device, &host_memory()});
    });
    EXPECT_EQ(e.code(), Errc::kUnsupported);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Memories, testing::Bool(),
                         [](const auto& info) { return info.param ? "with_an_index" : "plain"; });

TEST(MemoriesWithALock, LockWhatTheHostSees) {
  test::FaultingMemory hidden;
  const int64_t before = locked_memory();
  KvCache cache(make_kv_spec({kAll}, {}, kMaxKeys), {.max_keys = kMaxKeys, .lock = true}, {&hidden});
  KvSequence s(cache);
  ASSERT_TRUE(s.reserve(100));
  EXPECT_GT(hidden.held(), 0);
  EXPECT_EQ(locked_memory(), before);
}

}  // namespace
}  // namespace skald::memories_test
