// q5_0 in fragments, for GPU kernels.
using fragments_of_q5_0 = FragmentsOfBlocks<BlockQ5_0, CentredCodes<128, 4, 1>>;
