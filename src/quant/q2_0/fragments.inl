// q2_0 in fragments, for GPU kernels.
using fragments_of_q2_0 = FragmentsOfFewBits<BlockQ2_0, 2, 1, 128>;
