// q5_1 in fragments, for GPU kernels.
using fragments_of_q5_1 = FragmentsOfBlocks<BlockQ5_1, PlainCodes<128, 4, 1>, true>;
