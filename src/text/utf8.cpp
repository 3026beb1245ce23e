#include "text/utf8.h"

namespace skald {
namespace {

struct Lead {
  int length;         // of the sequence that this byte begins; 0 where none begins with it
  uint8_t low, high;  // range of its second byte (Unicode 15, table 3-7)
};

Lead lead_of(uint8_t b) noexcept {
  if (b < 0x80) return {1, 0, 0};
  if (b < 0xC2) return {0, 0, 0};
  if (b < 0xE0) return {2, 0x80, 0xBF};
  if (b == 0xE0) return {3, 0xA0, 0xBF};
  if (b == 0xED) return {3, 0x80, 0x9F};
  if (b < 0xF0) return {3, 0x80, 0xBF};
  if (b == 0xF0) return {4, 0x90, 0xBF};
  if (b < 0xF4) return {4, 0x80, 0xBF};
  if (b == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Step utf8_step(std::string_view text, size_t at) noexcept {
  const Lead lead = lead_of(static_cast<uint8_t>(text[at]));
  if (lead.length == 0) return {1, Utf8Kind::kBroken};
  uint8_t low = lead.low, high = lead.high;
  for (int i = 1; i < lead.length; ++i) {
    if (at + static_cast<size_t>(i) >= text.size()) return {i, Utf8Kind::kUnfinished};
    const auto b = static_cast<uint8_t>(text[at + static_cast<size_t>(i)]);
    if (b < low || b > high) return {i, Utf8Kind::kBroken};
    low = 0x80, high = 0xBF;
  }
  return {lead.length, Utf8Kind::kChar};
}

uint32_t utf8_code(std::string_view text, size_t at, int length) noexcept {
  const auto first = static_cast<uint8_t>(text[at]);
  if (length == 1) return first;
  uint32_t code = first & (0x7Fu >> length);
  for (int i = 1; i < length; ++i) code = code << 6 | (static_cast<uint8_t>(text[at + static_cast<size_t>(i)]) & 0x3Fu);
  return code;
}

void append_utf8(std::string& out, uint32_t code) {
  const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80 | (code >> shift & 0x3F))); };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | code >> 12));
    tail(6), tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | code >> 18));
    tail(12), tail(6), tail(0);
  }
}

void append_valid_utf8(std::string& out, std::string_view bytes) {
  size_t copied = 0;
  for (size_t at = 0; at < bytes.size();) {
    const Utf8Step step = utf8_step(bytes, at);
    if (step.kind != Utf8Kind::kChar) {
      out.append(bytes, copied, at - copied);
      out.append(kReplacement);
      copied = at + static_cast<size_t>(step.length);
    }
    at += static_cast<size_t>(step.length);
  }
  out.append(bytes, copied);
}

}  // namespace skald
