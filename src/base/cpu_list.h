// CpuList: processors by number, and the notation for them that Linux and people use: "0-3,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// Ascending, each once.
using CpuList = std::vector<int>;

/// The largest number that a list may hold: Linux has room for 8192 processors.
inline constexpr int kMaxCpu = 8191;

/// Parses "0-3,8". Throws kBadInput naming the part that is no number or range, or a number that is too large.
CpuList parse_cpu_list(std::string_view text);

/// "0-3,8"; "" for none.
std::string to_string(const CpuList& cpus);

/// Returns those of `cpus` that are in `among` too.
CpuList intersection(const CpuList& cpus, const CpuList& among);

/// Returns those of `cpus` that are not in `among`.
CpuList difference(const CpuList& cpus, const CpuList& among);

}  // namespace skald
