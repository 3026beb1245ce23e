// q4_k in fragments, for GPU kernels.
using fragments_of_q4_k = FragmentsLined<BlockQ4K, PlainCodes<256, 4>>;
