// q4_0 in fragments, for GPU kernels.
using fragments_of_q4_0 = FragmentsOfBlocks<BlockQ4_0, CentredCodes<128, 4>>;
