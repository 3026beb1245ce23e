// iq4_nl in fragments, for GPU kernels.
using fragments_of_iq4_nl = FragmentsOfBlocks<BlockIq4Nl, LevelCodes<128, kIq4Levels>>;
