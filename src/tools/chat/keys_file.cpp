#include "tools/chat/keys_file.h"

#include <filesystem>
#include <system_error>

namespace skald {

KeysFile::KeysFile(const std::string& chat_file) {
  const std::filesystem::path path(chat_file);
  folder = path.has_parent_path() ? path.parent_path().string() : ".";
  name = path.filename().string() + ".keys";
}

std::string KeysFile::path() const { return folder == "." ? name : (std::filesystem::path(folder) / name).string(); }

bool KeysFile::is_there() const {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path(), error));
}

}  // namespace skald
