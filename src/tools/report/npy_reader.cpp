#include "tools/report/npy_reader.h"

#include <charconv>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/mapped_file.h"

namespace skald {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMostDims = 2;

// The value of a key of the header, a Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) fail(Errc::kBadFile, "its header has no {}", key);
  size_t from = header.find(':', at);
  if (from == std::string_view::npos) fail(Errc::kBadFile, "its header has no value for {}", key);
  while (++from < header.size() && header[from] == ' ') {
  }
  return header.substr(std::min(from, header.size()));
}

std::vector<int64_t> parse_shape(std::string_view text) {
  const size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) fail(Errc::kBadFile, "its header's shape is no tuple");
  text = text.substr(1, end - 1);
  std::vector<int64_t> shape;
  while (text.find_first_not_of(" ,") != std::string_view::npos) {
    text.remove_prefix(text.find_first_not_of(" ,"));
    int64_t n = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{} || n < 0) fail(Errc::kBadFile, "its header's shape has no number where one belongs");
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    shape.push_back(n);
    if (shape.size() > kMostDims) fail(Errc::kBadFile, "it has more than {} dimensions", kMostDims);
  }
  return shape;
}

// The header, and where the numbers begin.
std::pair<std::string_view, size_t> find_header(std::string_view file) {
  constexpr size_t kFixed = 8;  // magic and version
  if (!file.starts_with(kMagic) || file.size() < kFixed + 4) fail(Errc::kBadFile, "it is no .npy file");
  const auto major = static_cast<unsigned char>(file[6]);
  if (major < 1 || major > 3) fail(Errc::kBadFile, "it is of version {} of the format; want 1 to 3", major);
  const size_t width = major == 1 ? 2 : 4;
  size_t size = 0;
  for (size_t i = 0; i < width; ++i) size |= size_t{static_cast<unsigned char>(file[kFixed + i])} << (8 * i);
  const size_t begin = kFixed + width;
  if (size > file.size() - begin) fail(Errc::kBadFile, "it ends within its header");
  return {file.substr(begin, size), begin + size};
}

NpyFloats parse(std::string_view file) {
  const auto [header, begin] = find_header(file);
  if (const std::string_view type = value_of(header, "'descr'"); !type.starts_with("'<f4'"))
    fail(Errc::kBadFile, "its numbers are {}; want '<f4', float32", type.substr(0, std::min(type.find(','), size_t{40})));
  if (!value_of(header, "'fortran_order'").starts_with("False")) fail(Errc::kBadFile, "it is in Fortran's order; want C's");
  NpyFloats out{.shape = parse_shape(value_of(header, "'shape'")), .values = {}};
  size_t n = 1;
  for (const int64_t dim : out.shape)
    if (__builtin_mul_overflow(n, static_cast<size_t>(dim), &n)) fail(Errc::kBadFile, "its shape is too large");
  if ((file.size() - begin) % sizeof(float) != 0 || (file.size() - begin) / sizeof(float) != n)
    fail(Errc::kBadFile, "it holds {} bytes for {} numbers of float32", file.size() - begin, n);
  out.values.resize(n);
  if (n > 0) std::memcpy(out.values.data(), file.data() + begin, n * sizeof(float));
  return out;
}

}  // namespace

NpyFloats read_npy(const std::string& path) {
  const FileBytes file = FileBytes::open(path, FileBytes::How::kRead);
  const std::span<const std::byte> bytes = file.bytes();
  return doing(path, [&] { return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); });
}

}  // namespace skald
