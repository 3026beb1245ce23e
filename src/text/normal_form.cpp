#include "text/normal_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/error.h"
#include "base/interruption.h"
#include "text/utf8.h"

namespace skald {
namespace {

// Characters that do not compose with the ones before them (NFC_QC=Yes, class 0): those of most texts. Others may be safe
// too and are only slower.
bool keeps_apart(uint32_t code) {
  return code < 0x300 || (code >= 0x400 && code <= 0x482) || (code >= 0x3000 && code <= 0x3029) ||
         (code >= 0x3041 && code <= 0x3096) || (code >= 0x30A1 && code <= 0x30FA) || (code >= 0x4E00 && code <= 0x9FFF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xFF01 && code <= 0xFFEF);
}

// The end of the characters from `at` on that keep apart, or of those that do not.
size_t end_of_row(std::string_view text, size_t at, bool apart) {
  while (at < text.size()) {
    const int length = utf8_step(text, at).length;
    if (keeps_apart(utf8_code(text, at, length)) != apart) break;
    at += static_cast<size_t>(length);
  }
  return at;
}

bool is_continuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

int combining_class(int32_t code) { return utf8proc_get_property(code)->combining_class; }

// utf8proc_decompose puts marks in order too, but takes quadratic time for a long row of them.
void order_marks(std::vector<int32_t>& codes) {
  const auto is_mark = [](int32_t code) { return combining_class(code) != 0; };
  for (auto at = codes.begin(); at != codes.end();) {
    const auto begin = std::find_if(at, codes.end(), is_mark);
    at = std::find_if_not(begin, codes.end(), is_mark);
    std::ranges::stable_sort(begin, at, {}, combining_class);
  }
}

void append_composed(std::string_view text, std::vector<int32_t>& codes, std::string& out) {
  codes.clear();
  for (size_t at = 0; at < text.size();) {
    const int length = utf8_step(text, at).length;
    append_decomposed(codes, utf8_code(text, at, length));
    at += static_cast<size_t>(length);
  }
  order_marks(codes);
  const auto count = static_cast<utf8proc_ssize_t>(codes.size());
  const utf8proc_ssize_t left =
      utf8proc_normalize_utf32(codes.data(), count, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  SKALD_ASSERT(left >= 0);
  for (int32_t code : std::span(codes).first(static_cast<size_t>(left))) append_utf8(out, static_cast<uint32_t>(code));
}

}  // namespace

void append_decomposed(std::vector<int32_t>& codes, uint32_t code) {
  std::array<int32_t, 8> parts{};  // the longest canonical decomposition has four characters
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<int32_t>(code), parts.data(), parts.size(), UTF8PROC_DECOMPOSE, &boundary);
  SKALD_ASSERT(count > 0 && count <= static_cast<utf8proc_ssize_t>(parts.size()));
  codes.insert(codes.end(), parts.begin(), parts.begin() + count);
}

// Calls plain(begin, end) for stretches of the text that stay, and composed(begin, end) for those that may change. The
// latter begin with the character before them, with which they may compose.
template <class Plain, class Composed>
static void for_each_stretch(std::string_view text, Plain&& plain, Composed&& composed) {
  size_t copied = 0;
  for (size_t at = end_of_row(text, 0, true); at < text.size();) {
    size_t begin = at;
    while (begin > copied && is_continuation(text[--begin])) {
    }
    const size_t end = end_of_row(text, at, false);
    Interruption::point(end - copied);
    plain(copied, begin);
    composed(begin, end);
    copied = end;
    at = end_of_row(text, end, true);
  }
  plain(copied, text.size());
}

std::string_view nfc(std::string_view text, std::string& buffer) {
  buffer.clear();
  std::vector<int32_t> codes;
  bool same = true;
  for_each_stretch(
      text,
      [&](size_t begin, size_t end) {
        if (begin > 0 || end < text.size()) buffer.append(text, begin, end - begin);
      },
      [&](size_t begin, size_t end) {
        append_composed(text.substr(begin, end - begin), codes, buffer);
        same = false;
      });
  return same ? text : std::string_view(buffer);
}

void for_each_nfc_part(std::string_view text, const std::function<void(std::string_view part, size_t at)>& f) {
  std::vector<int32_t> codes;
  std::string buffer;
  const auto chars = [&](size_t begin, size_t end) {
    while (begin < end) {
      const auto length = static_cast<size_t>(utf8_step(text, begin).length);
      f(text.substr(begin, length), begin);
      begin += length;
    }
  };
  for_each_stretch(text, chars, [&](size_t begin, size_t end) {
    const std::string_view stretch = text.substr(begin, end - begin);
    buffer.clear();
    append_composed(stretch, codes, buffer);
    // Whole characters that stay.
    auto same = static_cast<size_t>(std::ranges::mismatch(stretch, buffer).in1 - stretch.begin());
    while (same > 0 && same < stretch.size() && is_continuation(stretch[same])) --same;
    chars(begin, begin + same);
    if (buffer.size() > same) f(std::string_view(buffer).substr(same), begin + same);
  });
}

}  // namespace skald
