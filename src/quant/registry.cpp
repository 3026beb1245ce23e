// Look-ups over the generated list of formats.
#include "quant/registry.h"

#include "quant/fragments.h"
#include "quant/panels.h"
#include "tensor/shape.h"

namespace skald {

const Format* find_format(uint32_t id) {
  for (const Format* f : formats())
    if (f->id == id) return f;
  return id == format_i32.id ? &format_i32 : nullptr;
}

const Format* find_format(std::string_view name) {
  for (const Format* f : formats())
    if (f->name == name) return f;
  return name == format_i32.name ? &format_i32 : nullptr;
}

const PanelLayout* find_panels(const Format& format) {
  for (const PanelLayout* p : panel_layouts())
    if (p->format == format.id) return p;
  return nullptr;
}

const FragmentLayout* find_fragments(uint32_t format) {
  for (const FragmentLayout* f : fragment_layouts())
    if (f->format == format) return f;
  return nullptr;
}

int64_t matrices_of(const Shape& shape) {
  int64_t n = 1;
  for (int i = 0; i + 2 < shape.rank(); ++i) n *= shape[i];
  return n;
}

int64_t PanelLayout::bytes(const Shape& shape) const {
  return matrices_of(shape) * bytes(shape.rank() < 2 ? 1 : shape[shape.rank() - 2], shape.back());
}

}  // namespace skald
