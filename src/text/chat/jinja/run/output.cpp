// The output of a template.
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {

void Interpreter::put_out(const Value& value, Escaping escaping) {
  append_text(*out_, is_escaping(escaping) ? escaped(heap_, value) : value, heap_);
}

// The result of call and filter blocks is put out as it is.
void Interpreter::put_out_text(const Value& value) {
  if (!value.is_text()) raise(ErrorKind::kType, "sequence item 0: expected str instance, {} found", type_name(value));
  append_text(*out_, value, heap_);
}

void Interpreter::put_out(const OutputNode& node, const Frame& f) {
  for (const Expr* part : node.parts) {
    if (part->kind != NodeKind::kData) {
      put_out(eval(*part, f), node.escaping);
      continue;
    }
    const std::string& data = static_cast<const DataNode*>(part)->text;
    budget().check_text(out_->size() + data.size());
    budget().spend_bytes(data.size());
    out_->append(data, true);
  }
}

}  // namespace skald::jinja
