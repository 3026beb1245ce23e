// SafetensorsBytes: safetensors files written piece by piece, so that tests can also write wrong ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skald::test {

class SafetensorsBytes {
 public:
  /// A tensor whose data follows that of those before.
  SafetensorsBytes& tensor(std::string_view name, std::string_view dtype, const std::vector<int64_t>& shape,
                           std::span<const std::byte> data) {
    const size_t begin = data_.size();
    data_.append(reinterpret_cast<const char*>(data.data()), data.size());
    return entry(name, {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, data_.size()}}});
  }
  template <class T>
  SafetensorsBytes& tensor(std::string_view name, std::string_view dtype, const std::vector<int64_t>& shape,
                           const std::vector<T>& data) {
    return tensor(name, dtype, shape, std::as_bytes(std::span(data)));
  }

  /// Sets the header's entry of a name, right or wrong.
  SafetensorsBytes& entry(std::string_view name, nlohmann::json value) {
    header_[std::string(name)] = std::move(value);
    return *this;
  }
  SafetensorsBytes& data(size_t bytes) {
    data_.append(bytes, '\1');
    return *this;
  }

  /// The header is filled up to 8 bytes, as writers do it.
  std::string str() const {
    std::string header = header_.dump();
    header.resize((header.size() + 7) / 8 * 8, ' ');
    return with_header(header, data_);
  }
  /// Any text as a header.
  static std::string with_header(std::string_view header, std::string_view data = "") {
    const uint64_t size = header.size();
    std::string out(sizeof size, '\0');
    std::memcpy(out.data(), &size, sizeof size);
    return out.append(header).append(data);
  }

 private:
  nlohmann::ordered_json header_ = nlohmann::ordered_json::object();
  std::string data_;
};

}  // namespace skald::test
