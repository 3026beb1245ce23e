// KeysFile: the file beside a saved chat that has the keys of its tokens.
#pragma once

#include <string>

namespace skald {

struct KeysFile {
  std::string folder, name;

  explicit KeysFile(const std::string& chat_file);
  std::string path() const;
  bool is_there() const;
};

}  // namespace skald
