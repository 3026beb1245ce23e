// What the program for measures of a card does.
#pragma once

namespace skald::gpu {

/// Runs each word of simt on the first card and on the host, and tells where the two differ. Gives how many words do.
int try_words();

/// Measures kernels of decoding in several cuts on the first card; the figures as JSON go to `file`, unless it is null.
/// Throws kDevice.
void measure_cuts(const char* file);

}  // namespace skald::gpu
