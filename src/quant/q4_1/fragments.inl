// q4_1 in fragments, for GPU kernels.
using fragments_of_q4_1 = FragmentsOfBlocks<BlockQ4_1, PlainCodes<128, 4>, true>;
