// AddressSpace: the memory of the host as a device: addresses that fault but while programs of the device run, and others,
// of the same bytes, for copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace skald::simt::host {

class AddressSpace {
 public:
  /// Of at most this many bytes; what was not allocated takes none. `writable`: by kernels. Throws kNoMemory.
  AddressSpace(int64_t bytes, bool writable);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Zeroed, whole pages; null where there is no room.
  std::byte* allocate(int64_t bytes);
  void release(const std::byte* data);
  bool holds(const std::byte* at) const { return at >= device_ && at < device_ + bytes_; }
  /// The address for copies of bytes that lie within one allocation; ends the program for others.
  std::byte* for_copies(const std::byte* at, int64_t bytes) const;
  int64_t used() const { return used_; }

  /// Lets programs of the device follow the addresses for as long as it lives.
  class Open {
   public:
    explicit Open(AddressSpace& space) : space_(space) { space_.protect(true); }
    ~Open() { space_.protect(false); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    AddressSpace& space_;
  };

 private:
  void protect(bool open);
  int64_t taken(int64_t bytes) const;

  int64_t bytes_, page_;
  bool writable_;
  int file_ = -1;
  std::byte *device_ = nullptr, *host_ = nullptr;
  std::map<int64_t, int64_t> pieces_;  // bytes, by where they begin
  int64_t used_ = 0;
};

}  // namespace skald::simt::host
