#include "backend/cuda/switches.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"

namespace skald::gpu {

CudaSwitches cuda_switches(const char* off) {
  CudaSwitches out;
  for (std::string_view words = off ? off : ""; !words.empty();) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (word == "graphs")
      out.graphs = false;
    else if (word == "early-starts")
      out.early_starts = false;
    else
      fail(Errc::kBadInput, "SKALD_CUDA_OFF: there is no '{}' to switch off: graphs, early-starts", word);
  }
  return out;
}

}  // namespace skald::gpu
