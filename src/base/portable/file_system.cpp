#include "base/file_system.h"

namespace skald {

std::string file_system_of(const std::string&, const std::string&) { return ""; }
int64_t changed_at(const struct stat& file) { return file.st_mtim.tv_sec * int64_t{1'000'000'000} + file.st_mtim.tv_nsec; }

}  // namespace skald
