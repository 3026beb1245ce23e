// Files that have no name and lie in memory, to be mapped twice.
#pragma once

#include <cstdint>

namespace skald {

/// Returns a descriptor of an empty file; less than 0, with errno, where there is none.
int make_memory_file();

/// Gives whole pages of the file back to the system: they are zeros from then on. All numbers are multiples of a page.
void empty_pages(int file, int64_t at, int64_t bytes);

}  // namespace skald
