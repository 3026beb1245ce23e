// Fuzzes the reader of saved slots: a file is refused as a bad one, or gives an image that is written as the same file.
//
// Input: a file without its checksum and without whose it is, which are put right.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "engine/slot_image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skald;
  const PageKey root = root_key({}, "x");
  std::vector<std::byte> file(reinterpret_cast<const std::byte*>(data), reinterpret_cast<const std::byte*>(data) + size);
  constexpr size_t kRootAt = 8;
  if (file.size() >= kRootAt + root.size()) std::ranges::copy(root, file.begin() + kRootAt);
  const Sha256Sum sum = sha256({file});
  file.insert(file.end(), sum.begin(), sum.end());
  try {
    const SlotImage image = read_slot_file(file, root);
    if (image.n_pages() * kPageKeys > std::ssize(image.tokens)) std::abort();
    const SlotImage again = read_slot_file(slot_file(image, root), root);
    if (again.tokens != image.tokens || again.scope != image.scope || again.records.size() != image.records.size())
      std::abort();
  } catch (const Error& e) {
    if (e.code() != Errc::kBadFile) std::abort();
  }
  return 0;
}
