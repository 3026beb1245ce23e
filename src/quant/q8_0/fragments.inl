// q8_0 in fragments, for GPU kernels.
using fragments_of_q8_0 = FragmentsOfBlocks<BlockQ8_0, PlainCodes<128, 8>>;
