// tq2_0 in fragments, for GPU kernels.
using fragments_of_tq2_0 = FragmentsOfFewBits<BlockTq2_0, 2, 1, 256>;
