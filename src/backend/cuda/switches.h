// Parts of the device cuda that can be switched off, to find out what they cost or give.
#pragma once

namespace skald::gpu {

struct CudaSwitches {
  bool graphs = true;        // a step is recorded once and replayed
  bool early_starts = true;  // kernels begin while those before them end
};

/// `off`: a list of "graphs" and "early-starts" with commas, or null for none. Throws kBadInput naming another word.
CudaSwitches cuda_switches(const char* off);

}  // namespace skald::gpu
