// Seed-OSS 36B.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kSeedOssClasses[] = {"SeedOssForCausalLM"};

void describe_seed_oss(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_seed_oss;
const HfFamily hf_family_seed_oss{.classes = kSeedOssClasses,
                                  .arch = "seed_oss",
                                  .describe = describe_seed_oss,
                                  .tensors = {kOuter, kNormsByPlace, kAttention, kGatedFfn}};

}  // namespace skald
