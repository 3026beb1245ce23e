// Files that commands write, looked at before the work begins.
#pragma once

#include <string>
#include <vector>

namespace skald {

/// Throws Error: kNotFound where the folder of `out` is not there, kBadInput where it may not be written to. Also kBadInput
/// where `out` is empty, "-", a folder or a device, or, by any name, one of the files that are read. `inputs`: files (of a
/// split model any shard), folders of models, and empty names or "-" for none.
void check_output(const std::string& out, const std::vector<std::string>& inputs);

}  // namespace skald
