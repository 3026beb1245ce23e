#include "text/chat/jinja/run/capture.h"
#include "text/chat/jinja/run/globals.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/macro.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {

Interpreter::Interpreter(const Tree& tree, Heap& heap, const std::tm& now)
    : tree_(tree), heap_(heap), now_(now), constants_(tree.constants.size()) {}

MarkedText Interpreter::render(const std::vector<std::pair<std::string, Value>>& variables) {
  context_ = heap_.make_circular<Context>(tree_.names.size());
  for (size_t i = 0; i < tree_.names.size(); ++i) {
    const std::string& name = tree_.names[i];
    context_->given[i] = find_global(heap_, name);
    for (const auto& [key, value] : variables)
      if (key == name) context_->given[i] = value;
  }
  MarkedText out;
  out_ = &out;
  try {
    const Frame f = heap_.make_circular<Activation>(Ref<Activation>(), context_, tree_.function.slots);
    if (tree_.self.index >= 0) f->at(tree_.self) = heap_.make<TemplateReference>(context_);
    enter(tree_.scope, f);
    run(tree_.body, f);
  } catch (Failure& failure) {
    if (failure.line() == 0) failure.set_line(line_);
    throw;
  }
  return out;
}

Interpreter::Flow Interpreter::run(const Body& body, const Frame& f) {
  for (const Node* node : body)
    if (const Flow flow = run(*node, f); flow != Flow::kOn) return flow;
  return Flow::kOn;
}

Interpreter::Flow Interpreter::run(const Node& node, const Frame& f) {
  budget().check_depth();
  budget().step();
  line_ = node.line;
  switch (node.kind) {
    case NodeKind::kOutput:
      put_out(static_cast<const OutputNode&>(node), f);
      break;
    case NodeKind::kFor:
      return run_for(static_cast<const ForNode&>(node), f);
    case NodeKind::kIf:
      return run_if(static_cast<const IfNode&>(node), f);
    case NodeKind::kMacro:
      run_macro(static_cast<const MacroNode&>(node), f);
      break;
    case NodeKind::kCallBlock:
      run_call_block(static_cast<const CallBlockNode&>(node), f);
      break;
    case NodeKind::kFilterBlock:
      return run_filter_block(static_cast<const FilterBlockNode&>(node), f);
    case NodeKind::kWith:
      return run_with(static_cast<const WithNode&>(node), f);
    case NodeKind::kSet:
      run_set(static_cast<const SetNode&>(node), f);
      break;
    case NodeKind::kSetBlock:
      return run_set_block(static_cast<const SetBlockNode&>(node), f);
    case NodeKind::kBlock:
      run_block(static_cast<const BlockNode&>(node), f);
      break;
    case NodeKind::kAutoescape:
      return run_autoescape(static_cast<const AutoescapeNode&>(node), f);
    case NodeKind::kInclude:
      raise(ErrorKind::kType, "no loader for this environment specified");
    case NodeKind::kBreak:
      return Flow::kBreak;
    case NodeKind::kContinue:
      return Flow::kContinue;
    default:
      break;
  }
  return Flow::kOn;
}

Interpreter::Flow Interpreter::run_if(const IfNode& node, const Frame& f) {
  for (const auto& [test, body] : node.branches)
    if (truth(eval(*test, f))) return run(body, f);
  return run(node.otherwise, f);
}

void Interpreter::enter(const Scope& scope, const Frame& f) {
  for (const Load& load : scope.loads) {
    budget().step();
    switch (load.action) {
      case Load::Action::kResolve:
        f->at(load.target) = f->context->find(load.name);
        break;
      case Load::Action::kAlias:
        f->at(load.target) = f->at(load.source);
        break;
      case Load::Action::kUndefined:
        f->at(load.target) = Value();
        break;
    }
  }
}

void Interpreter::leave(const Scope& scope, const Frame& f) {
  for (const Slot& slot : scope.all) f->at(slot) = Value();
}

Interpreter::Flow Interpreter::run_with(const WithNode& node, const Frame& f) {
  enter(node.scope, f);
  for (const auto& [target, value] : node.values) assign(*target, eval(*value, f), f);
  const Flow flow = run(node.body, f);
  leave(node.scope, f);
  return flow;
}

Interpreter::Flow Interpreter::run_set_block(const SetBlockNode& node, const Frame& f) {
  enter(node.scope, f);
  Value value;
  {
    Capture capture(*this);
    if (const Flow flow = run(node.body, f); flow != Flow::kOn) return flow;
    value = capture.value(is_escaping(node.escaping));
  }
  line_ = node.line;
  if (node.filter) value = eval_filter(*node.filter, f, &value);
  if (escapes_ && value.is_text() && !value.as<Text>().is_markup())
    value = make_text(heap_, value.as<Text>().marked(), true);
  assign(*node.target, std::move(value), f);
  export_all(node.exports, f);
  leave(node.scope, f);
  return Flow::kOn;
}

Interpreter::Flow Interpreter::run_filter_block(const FilterBlockNode& node, const Frame& f) {
  enter(node.scope, f);
  Value value;
  {
    Capture capture(*this);
    if (const Flow flow = run(node.body, f); flow != Flow::kOn) return flow;
    value = capture.value(is_escaping(node.escaping));
  }
  line_ = node.line;
  put_out_text(eval_filter(*node.filter, f, &value));
  leave(node.scope, f);
  return Flow::kOn;
}

Interpreter::Flow Interpreter::run_autoescape(const AutoescapeNode& node, const Frame& f) {
  enter(node.scope, f);
  const bool before = escapes_;
  escapes_ = truth(eval(*node.enabled, f));
  const Flow flow = run(node.body, f);
  escapes_ = before;
  leave(node.scope, f);
  return flow;
}

void Interpreter::run_macro(const MacroNode& node, const Frame& f) {
  const Value macro = heap_.make<Macro>(node, f, tree_);
  f->at(node.slot) = macro;
  if (node.is_exported) f->context->set[static_cast<size_t>(node.name)] = macro;
}

void Interpreter::run_call_block(const CallBlockNode& node, const Frame& f) {
  if (!node.call) {
    Arguments none;
    return append_text(*out_, call_macro(*node.macro, f, none), heap_);
  }
  const Value caller = heap_.make<Macro>(*node.macro, f, tree_);
  put_out_text(eval_call(*node.call, f, &caller));
}

void Interpreter::run_set(const SetNode& node, const Frame& f) {
  for (const NamespaceRefNode* reference : node.namespaces)
    if (!f->at(reference->slot).is(Kind::kNamespace))
      raise(ErrorKind::kRuntime, "cannot assign attribute on non-namespace object");
  assign(*node.target, eval(*node.value, f), f);
  export_all(node.exports, f);
}

void Interpreter::export_all(const std::vector<Export>& exports, const Frame& f) {
  for (const Export& e : exports) f->context->set[static_cast<size_t>(e.name)] = f->at(e.slot);
}

void Interpreter::assign_parts(const ItemsNode& target, const Value& value, const Frame& f) {
  if (!find_iterator(heap_, value)) raise(ErrorKind::kType, "cannot unpack non-iterable {} object", type_name(value));
  const std::vector<Value> items = items_of(heap_, value);
  const size_t wanted = target.items.size();
  if (items.size() < wanted)
    raise(ErrorKind::kValue, "not enough values to unpack (expected {}, got {})", wanted, items.size());
  if (items.size() > wanted) raise(ErrorKind::kValue, "too many values to unpack (expected {})", wanted);
  for (size_t i = 0; i < wanted; ++i) assign(*target.items[i], items[i], f);
}

void Interpreter::assign(const Expr& target, Value value, const Frame& f) {
  budget().check_depth();
  if (target.kind == NodeKind::kName) {
    f->at(static_cast<const NameNode&>(target).slot) = std::move(value);
  } else if (target.kind == NodeKind::kNamespaceRef) {
    const auto& reference = static_cast<const NamespaceRefNode&>(target);
    set_namespace(heap_, f->at(reference.slot).as<Namespace>(), reference.attribute, std::move(value));
  } else {
    assign_parts(static_cast<const ItemsNode&>(target), value, f);
  }
}

void Interpreter::run_block(const BlockNode& node, const Frame& f) {
  if (node.required) raise(ErrorKind::kRuntime, "Required block '{}' not found", node.name);
  Ref<Context> context = f->context;
  if (node.scoped) {
    context = heap_.make_circular<Context>(tree_.names.size());
    budget().spend(static_cast<int64_t>(tree_.names.size()));
    for (size_t i = 0; i < tree_.names.size(); ++i) context->given[i] = f->context->find(static_cast<int>(i));
    for (const Export& e : node.visible)
      if (const Value& value = f->at(e.slot); !value.is_missing()) context->given[static_cast<size_t>(e.name)] = value;
  }
  append_text(*out_, render_block(node, context), heap_);
}

Value Interpreter::render_block(const BlockNode& node, const Ref<Context>& context) {
  Capture capture(*this);
  const Frame f = heap_.make_circular<Activation>(Ref<Activation>(), context, node.function.slots);
  if (node.self.index >= 0) f->at(node.self) = heap_.make<TemplateReference>(context);
  if (node.super.index >= 0)
    f->at(node.super) = make_undefined(heap_, fmt::format("there is no parent block called '{}'.", node.name));
  enter(node.scope, f);
  run(node.body, f);
  return capture.value(escapes_);
}

const BlockNode* Interpreter::find_block(std::string_view name) const {
  for (const BlockNode* block : tree_.blocks)
    if (block->name == name) return block;
  return nullptr;
}

}  // namespace skald::jinja
