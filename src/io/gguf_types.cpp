// The table of GGUF tensor types: block sizes of every type that files may hold, also those the engine cannot compute with.
#include <algorithm>
#include <vector>

#include "io/gguf.h"
#include "quant/panels.h"
#include "quant/registry.h"

namespace skald {
namespace {

// 4, 5, 31 to 33 and 36 to 38 were withdrawn. The sizes are those of the gguf package (0.19; of q2_0, llama.cpp's), also the
// 40 bytes of q8_1. That and q8_k are formats of activations, which model files do not hold.
constexpr GgufType kGgufTypes[] = {
    {0, "f32", 1, 4},         {1, "f16", 1, 2},         {2, "q4_0", 32, 18},      {3, "q4_1", 32, 20},
    {6, "q5_0", 32, 22},      {7, "q5_1", 32, 24},      {8, "q8_0", 32, 34},      {9, "q8_1", 32, 40},
    {10, "q2_k", 256, 84},    {11, "q3_k", 256, 110},   {12, "q4_k", 256, 144},   {13, "q5_k", 256, 176},
    {14, "q6_k", 256, 210},   {15, "q8_k", 256, 292},   {16, "iq2_xxs", 256, 66}, {17, "iq2_xs", 256, 74},
    {18, "iq3_xxs", 256, 98}, {19, "iq1_s", 256, 50},   {20, "iq4_nl", 32, 18},   {21, "iq3_s", 256, 110},
    {22, "iq2_s", 256, 82},   {23, "iq4_xs", 256, 136}, {24, "i8", 1, 1},         {25, "i16", 1, 2},
    {26, "i32", 1, 4},        {27, "i64", 1, 8},        {28, "f64", 1, 8},        {29, "iq1_m", 256, 56},
    {30, "bf16", 1, 2},       {34, "tq1_0", 256, 54},   {35, "tq2_0", 256, 66},   {39, "mxfp4", 32, 17},
    {40, "nvfp4", 64, 36},    {41, "q1_0", 128, 18},    {42, "q2_0", 64, 18},
};

const std::vector<GgufType>& panel_types() {
  static const std::vector<GgufType> types = [] {
    std::vector<GgufType> out;
    for (const PanelLayout* p : panel_layouts()) out.push_back({p->id, p->name, find_format(p->format)->block, 0, p});
    return out;
  }();
  return types;
}

template <class Types>
const GgufType* find_in(const Types& types, uint32_t id) {
  const auto it = std::ranges::find(types, id, &GgufType::id);
  return it == std::end(types) ? nullptr : &*it;
}

}  // namespace

const GgufType* find_gguf_type(uint32_t id) {
  const GgufType* type = find_in(kGgufTypes, id);
  return type ? type : find_in(panel_types(), id);
}

const Format* format_of(const GgufType& type) {
  const Format* format = find_format(type.panels ? type.panels->format : type.id);
  return format && format->decode ? format : nullptr;
}

}  // namespace skald
