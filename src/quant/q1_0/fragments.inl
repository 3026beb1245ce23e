// q1_0 in fragments, for GPU kernels.
using fragments_of_q1_0 = FragmentsOfFewBits<BlockQ1_0, 1, 2, 128>;
