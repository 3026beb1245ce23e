#include "convert/tokenizers/protobuf_reader.h"

#include <bit>
#include <limits>

#include "base/error.h"

namespace skald {

void ProtobufField::want(Wire wire) const {
  if (wire_ != wire)
    fail(Errc::kBadFile, "field {}: wire type {}, want {}", number_, static_cast<int>(wire_), static_cast<int>(wire));
}

std::string_view ProtobufField::bytes() const {
  want(Wire::kBytes);
  return bytes_;
}

float ProtobufField::real() const {
  want(Wire::kFixed32);
  return std::bit_cast<float>(static_cast<uint32_t>(bits_));
}

uint64_t ProtobufField::varint() const {
  want(Wire::kVarint);
  return bits_;
}

int64_t ProtobufField::integer() const {
  const auto value = static_cast<int64_t>(varint());
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
    fail(Errc::kBadFile, "field {}: {} is not of 32 bits", number_, value);
  return value;
}

uint64_t ProtobufReader::varint() {
  uint64_t out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(take(1)[0]);
    out |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (!(byte & 0x80)) return out;
  }
  fail(Errc::kBadFile, "a number of more than ten bytes before byte {}", at_);
}

uint64_t ProtobufReader::fixed(int bytes) {
  const std::string_view from = take(static_cast<uint64_t>(bytes));
  uint64_t out = 0;
  for (int i = bytes - 1; i >= 0; --i) out = out << 8 | static_cast<uint8_t>(from[static_cast<size_t>(i)]);
  return out;
}

std::string_view ProtobufReader::take(uint64_t bytes) {
  if (bytes > message_.size() - at_) fail(Errc::kBadFile, "{} bytes wanted at byte {} of {}", bytes, at_, message_.size());
  const std::string_view out = message_.substr(at_, static_cast<size_t>(bytes));
  at_ += out.size();
  return out;
}

const ProtobufField* ProtobufReader::next() {
  if (at_ == message_.size()) return nullptr;
  field_ = read();
  return &field_;
}

ProtobufField ProtobufReader::read() {
  const size_t begin = at_;
  const uint64_t tag = varint();
  const uint64_t number = tag >> 3;
  if (number == 0 || number > 0x1FFFFFFF) fail(Errc::kBadFile, "no field's number at byte {}", begin);
  using Wire = ProtobufField::Wire;
  const auto field = [&](Wire wire, uint64_t bits, std::string_view bytes) {
    return ProtobufField(static_cast<uint32_t>(number), wire, bits, bytes);
  };
  switch (tag & 7) {
    case 0:
      return field(Wire::kVarint, varint(), {});
    case 1:
      return field(Wire::kFixed64, fixed(8), {});
    case 2:
      return field(Wire::kBytes, 0, take(varint()));
    case 5:
      return field(Wire::kFixed32, fixed(4), {});
    default:
      fail(Errc::kBadFile, "field {} at byte {}: unknown wire type {}", number, begin, tag & 7);
  }
}

}  // namespace skald
