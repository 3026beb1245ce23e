// Tables of results as people and programs want them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skald {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as long as the header

  std::string markdown() const;  // columns aligned; numbers to the right
  std::string csv() const;       // RFC 4180
};

/// "2,146,435,072"
std::string in_thousands(int64_t n);

}  // namespace skald
