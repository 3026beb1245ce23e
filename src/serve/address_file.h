// AddressFile: a file with the address of a server that runs; health checks and scripts read it.
#pragma once

#include <string>
#include <utility>

namespace skald::serve {

class AddressFile {
 public:
  /// An empty path: there is no file.
  explicit AddressFile(std::string path) : path_(std::move(path)) {}
  ~AddressFile();  // removes the file that it wrote
  AddressFile(const AddressFile&) = delete;
  AddressFile& operator=(const AddressFile&) = delete;

  /// Writes the address and a line feed, whole or not at all. Throws Error as OutputFile does.
  void write(const std::string& address);

 private:
  std::string path_;
  bool written_ = false;
};

}  // namespace skald::serve
