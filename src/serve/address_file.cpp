#include "serve/address_file.h"

#include <filesystem>
#include <span>
#include <system_error>

#include "io/output_file.h"

namespace skald::serve {

AddressFile::~AddressFile() {
  std::error_code ignored;
  if (written_) std::filesystem::remove(path_, ignored);
}

void AddressFile::write(const std::string& address) {
  if (path_.empty()) return;
  const std::string line = address + "\n";
  OutputFile file(path_);
  file.write(std::as_bytes(std::span(line)));
  file.commit();
  written_ = true;
}

}  // namespace skald::serve
