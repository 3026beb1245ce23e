// GGUF's metadata values: one reader and one writer for all thirteen types, by their place in the variant.
#include "io/gguf_values.h"

#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "io/gguf_format.h"

namespace skald::gguf {
namespace {

// GGUF's type numbers are the places of the alternatives in MetaValue and in MetaArray.
constexpr uint32_t kValueTypes = std::variant_size_v<MetaValue>;
static_assert(kValueTypes == std::variant_size_v<decltype(MetaArray::items)>);

MetaArray read_array(ByteReader& in, int depth);

template <class T>
constexpr int64_t min_bytes() {
  if constexpr (std::is_same_v<T, std::string>) return 8;    // length
  if constexpr (std::is_same_v<T, MetaArray>) return 4 + 8;  // type, length
  return sizeof(T);
}

uint32_t read_type(ByteReader& in) {
  const auto type = in.number<uint32_t>("a value type");
  if (type >= kValueTypes) fail(Errc::kBadFile, "value type {} is unknown; 0 to {} are defined", type, kValueTypes - 1);
  return type;
}

// One value without its type; `depth` counts the arrays around it.
template <class T>
T read_bare(ByteReader& in, int depth) {
  if constexpr (std::is_same_v<T, std::string>) {
    return in.string("a string");
  } else if constexpr (std::is_same_v<T, MetaArray>) {
    return read_array(in, depth + 1);
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto byte = in.number<uint8_t>("a bool");
    if (byte > 1) fail(Errc::kBadFile, "a bool is {}, neither 0 nor 1", byte);
    return byte == 1;
  } else {
    return in.number<T>("a number");
  }
}

template <class T>
std::vector<T> read_items(ByteReader& in, int64_t count, int depth) {
  constexpr bool kPlain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
  if constexpr (kPlain) {
    return in.numbers<T>(count, "an array");
  } else {
    std::vector<T> items;
    items.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) items.push_back(read_bare<T>(in, depth));
    return items;
  }
}

// Fills `out` with its alternative number `type`, made by make.operator()<Alternative>().
template <class Variant, class Make>
void emplace_numbered(Variant& out, uint32_t type, Make&& make) {
  [&]<size_t... kI>(std::index_sequence<kI...>) {
    ((kI == type ? void(out.template emplace<kI>(make.template operator()<std::variant_alternative_t<kI, Variant>>()))
                 : void()),
     ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>());
}

MetaArray read_array(ByteReader& in, int depth) {
  if (depth > kMaxArrayDepth) fail(Errc::kBadFile, "arrays are nested more than {} deep", kMaxArrayDepth);
  const uint32_t type = read_type(in);
  const auto count = in.number<uint64_t>("an array's length");
  MetaArray out;
  emplace_numbered(out.items, type, [&]<class Items>() {
    using T = typename Items::value_type;
    return read_items<T>(in, in.check_count(count, min_bytes<T>(), "an array"), depth);
  });
  return out;
}

void write_array(std::string& out, const MetaArray& array, int depth);

template <class T>
void write_bare(std::string& out, const T& value, int depth) {
  if constexpr (std::is_same_v<T, std::string>) {
    write_string(out, value);
  } else if constexpr (std::is_same_v<T, MetaArray>) {
    write_array(out, value, depth + 1);
  } else if constexpr (std::is_same_v<T, bool>) {
    write_number(out, static_cast<uint8_t>(value));
  } else {
    write_number(out, value);
  }
}

void write_array(std::string& out, const MetaArray& array, int depth) {
  if (depth > kMaxArrayDepth) fail(Errc::kBadInput, "arrays are nested more than {} deep", kMaxArrayDepth);
  write_number(out, static_cast<uint32_t>(array.items.index()));
  write_number(out, static_cast<uint64_t>(array.size()));
  std::visit(
      [&]<class T>(const std::vector<T>& items) {
        for (const auto& item : items) write_bare<T>(out, item, depth);
      },
      array.items);
}

}  // namespace

MetaValue read_value(ByteReader& in) {
  const uint32_t type = read_type(in);
  MetaValue out;
  emplace_numbered(out, type, [&]<class T>() { return read_bare<T>(in, 0); });
  return out;
}

void write_value(std::string& out, const MetaValue& value) {
  write_number(out, static_cast<uint32_t>(value.index()));
  std::visit([&]<class T>(const T& v) { write_bare<T>(out, v, 0); }, value);
}

void write_string(std::string& out, std::string_view text) {
  write_number(out, static_cast<uint64_t>(text.size()));
  out += text;
}

}  // namespace skald::gguf
