// ProtobufReader: the fields of a protobuf message, from bytes that are not trusted.
#pragma once

#include <cstdint>
#include <string_view>

namespace skald {

/// One field. Which of the values has a meaning depends on the message's schema; all of the accessors throw kBadFile for
/// another wire type than they want.
class ProtobufField {
 public:
  enum class Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  ProtobufField(uint32_t number, Wire wire, uint64_t bits, std::string_view bytes)
      : number_(number), wire_(wire), bits_(bits), bytes_(bytes) {}

  uint32_t number() const { return number_; }
  std::string_view bytes() const;
  float real() const;
  bool flag() const { return varint() != 0; }
  /// Returns an enum or int32, which may be negative.
  int64_t integer() const;

 private:
  uint64_t varint() const;
  void want(Wire wire) const;

  uint32_t number_;
  Wire wire_;
  uint64_t bits_;
  std::string_view bytes_;
};

/// Goes over a message once, field by field; each step takes at least one byte. Throws kBadFile naming the place.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : message_(message) {}

  /// Returns the next field, which stays until the call after; nullptr at the message's end.
  const ProtobufField* next();

 private:
  ProtobufField read();
  uint64_t varint();
  uint64_t fixed(int bytes);
  std::string_view take(uint64_t bytes);

  std::string_view message_;
  size_t at_ = 0;
  ProtobufField field_{0, ProtobufField::Wire::kVarint, 0, {}};
};

}  // namespace skald
