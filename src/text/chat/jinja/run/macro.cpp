#include "text/chat/jinja/run/macro.h"

#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

class BlockReference final : public Function {
 public:
  BlockReference(std::string name, Ref<Context> context) : name_(std::move(name)), context_(std::move(context)) {}
  Value call(Interpreter& in, Arguments& arguments) override {
    bind("block", arguments, {}, 0);
    const BlockNode* block = in.find_block(name_);
    if (!block)
      raise(ErrorKind::kUndefined, "'TemplateReference object' has no attribute {}", in_quotes(name_.substr(0, 100)));
    return in.render_block(*block, context_);
  }
  std::string_view type() const override { return "BlockReference"; }

 private:
  std::string name_;
  Ref<Context> context_;
};

}  // namespace

Value Macro::call(Interpreter& in, Arguments& arguments) { return in.call_macro(node_, around_, arguments); }

std::string Macro::text() const { return node_.name < 0 ? "<Macro anonymous>" : "<Macro " + in_quotes(node_.title) + ">"; }

Value Macro::attribute(Heap& heap, std::string_view name) const {
  if (name == "name") return node_.name < 0 ? Value::none() : make_text(heap, node_.title, true);
  if (name == "catch_kwargs") return Value::of(node_.named.index >= 0);
  if (name == "catch_varargs") return Value::of(node_.positional.index >= 0);
  if (name == "caller") return Value::of(node_.takes_caller);
  if (name == "explicit_caller") return Value::of(node_.explicit_caller);
  if (name == "_func" || name == "_environment" || name == "_argument_count") return Value::none();  // not safe
  if (name != "arguments") return {};
  std::vector<Value> names;
  for (const NameNode* p : node_.parameters)
    names.push_back(make_text(heap, tree_.names[static_cast<size_t>(p->name)], true));
  return make_tuple(heap, std::move(names));
}

Value TemplateReference::call(Interpreter&, Arguments&) {
  raise(ErrorKind::kType, "'TemplateReference' object is not callable");
}

// Any name may be a block's; which one is known when it is called.
Value TemplateReference::attribute(Heap& heap, std::string_view name) const {
  for (const char* hidden : {"_TemplateReference__context"})
    if (name == hidden) return Value::none();
  return heap.make<BlockReference>(std::string(name), context_);
}

}  // namespace skald::jinja
