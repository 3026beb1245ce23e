// q5_k in fragments, for GPU kernels.
using fragments_of_q5_k = FragmentsLined<BlockQ5K, PlainCodes<256, 4, 1>>;
