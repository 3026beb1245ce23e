// Files that are not complete yet: however the process ends, they should not stay.
#pragma once

#include <string>

namespace skald {

/// `owner`: the address of the object that writes the file and removes it in the usual way.
void remember_unfinished(const void* owner, const std::string& path);
void forget_unfinished(const void* owner);

/// Removes all of them (of up to 256). For handlers of signals that end the process: takes no lock and no memory.
void remove_unfinished_files();

}  // namespace skald
