#include "text/chat/jinja/parse/name_binder.h"

#include <algorithm>

#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/parse/binder.h"
#include "text/chat/jinja/values/walk.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {

Binder::Binder(Tree& tree, Budget& budget) : tree_(tree), budget_(budget) {
  const auto place = [&](std::string_view name) {
    const auto it = std::ranges::find(tree.names, name);
    return it == tree.names.end() ? -1 : static_cast<int>(it - tree.names.begin());
  };
  loop_ = place("loop");
  self_ = place("self");
  super_ = place("super");
  caller_ = place("caller");
  kwargs_ = place("kwargs");
  varargs_ = place("varargs");
}

void Binder::run() {
  Symbols symbols(nullptr);
  FunctionState function{tree_.function, 0, nullptr};
  if (reads_undeclared(tree_.body, self_, budget_)) symbols.declare(self_);
  find_symbols(symbols, tree_.body, budget_);
  if (const auto self = symbols.find(self_); self && symbols.stores().contains(self_)) tree_.self = function.slot_of(*self);
  Frame frame{symbols, function, true};
  tree_.scope = entered(frame);
  bind_body(tree_.body, frame);
  for (size_t i = 0; i < tree_.blocks.size(); ++i) bind_block_function(*tree_.blocks[i]);
}

void Binder::fail(ErrorKind kind, std::string message, int line) { throw Failure(kind, std::move(message), line); }

Slot Binder::slot_of(const Frame& frame, int name) {
  auto variable = frame.symbols.find(name);
  if (!variable) {  // Jinja overlooks the names in the filter of a block that is set
    frame.symbols.load(name);
    variable = frame.symbols.find(name);
  }
  return frame.function.slot_of(*variable);
}

Scope Binder::entered(const Frame& frame) {
  Scope out;
  for (const auto& [variable, load] : frame.symbols.loads()) {
    const Slot target = frame.function.slot_of(variable);
    out.all.push_back(target);
    budget_.step();
    switch (load.action) {
      case VariableLoad::Action::kParameter:
        break;
      case VariableLoad::Action::kResolve:
        out.loads.push_back({Load::Action::kResolve, target, {}, variable.name});
        break;
      case VariableLoad::Action::kAlias:
        out.loads.push_back({Load::Action::kAlias, target, frame.function.slot_of(load.source)});
        break;
      case VariableLoad::Action::kUndefined:
        out.loads.push_back({Load::Action::kUndefined, target, {}});
        break;
    }
  }
  return out;
}

void Binder::bind_body(const Body& body, const Frame& frame) {
  for (Node* node : body) bind(*node, frame);
}

void Binder::bind(Node& node, const Frame& frame) {
  budget_.check_depth();
  budget_.step();
  switch (node.kind) {
    case NodeKind::kOutput: {
      auto& output = static_cast<OutputNode&>(node);
      output.escaping = frame.escaping;
      for (Expr* part : output.parts) bind_expression(*part, frame);
      break;
    }
    case NodeKind::kFor:
      return bind_for(static_cast<ForNode&>(node), frame);
    case NodeKind::kIf:
      return bind_if(static_cast<IfNode&>(node), frame);
    case NodeKind::kMacro:
      return bind_macro(static_cast<MacroNode&>(node), frame);
    case NodeKind::kCallBlock:
      return bind_call_block(static_cast<CallBlockNode&>(node), frame);
    case NodeKind::kFilterBlock:
      return bind_filter_block(static_cast<FilterBlockNode&>(node), frame);
    case NodeKind::kWith:
      return bind_with(static_cast<WithNode&>(node), frame);
    case NodeKind::kSet:
      return bind_set(static_cast<SetNode&>(node), frame);
    case NodeKind::kSetBlock:
      return bind_set_block(static_cast<SetBlockNode&>(node), frame);
    case NodeKind::kBlock:
      return bind_block(static_cast<BlockNode&>(node), frame);
    case NodeKind::kAutoescape:
      return bind_autoescape(static_cast<AutoescapeNode&>(node), frame);
    case NodeKind::kInclude:
      return bind_expression(*static_cast<IncludeNode&>(node).source, frame);
    case NodeKind::kBreak:
    case NodeKind::kContinue:
      if (frame.function.loops == 0)
        fail(ErrorKind::kSyntax, node.kind == NodeKind::kBreak ? "'break' outside loop" : "'continue' not properly in loop",
             node.line);
      break;
    default:
      bind_expression(node, frame);
  }
}

void Binder::bind_expression(Expr& node, const Frame& frame) {
  budget_.check_depth();
  budget_.step();
  const auto child = [&](Expr& e) { bind_expression(e, frame); };
  switch (node.kind) {
    case NodeKind::kName: {
      auto& name = static_cast<NameNode&>(node);
      if (name.use == NameNode::Use::kStore && name.name == loop_ && for_depth_ > 0)
        fail(ErrorKind::kAssertion, "Can't assign to special loop variable in for-loop target", node.line);
      name.slot = slot_of(frame, name.name);
      break;
    }
    case NodeKind::kNamespaceRef: {
      auto& reference = static_cast<NamespaceRefNode&>(node);
      reference.slot = slot_of(frame, reference.name);
      break;
    }
    case NodeKind::kConcat:
      static_cast<ItemsNode&>(node).escaping = frame.escaping;
      return walk_expression(node, child);
    case NodeKind::kCondition: {
      const Frame soft = frame.softened();
      return walk_expression(node, [&](Expr& e) { bind_expression(e, soft); });
    }
    case NodeKind::kFilter:
    case NodeKind::kTest:
      find_native(static_cast<FilterNode&>(node), frame);
      return walk_expression(node, child);
    default:
      walk_expression(node, child);
  }
}

void Binder::find_native(FilterNode& node, const Frame& frame) {
  const bool filter = node.kind == NodeKind::kFilter;
  node.native = filter ? find_filter(node.name) : find_test(node.name);
  if (!node.native && !frame.soft)
    fail(ErrorKind::kAssertion,
         fmt::format("No {} named {}.", filter ? "filter" : "test", in_quotes(node.name.substr(0, 100))), node.line);
}

void Binder::bind_arguments(const Signature& arguments, const Frame& frame) {
  walk_arguments(arguments, [&](Expr& e) { bind_expression(e, frame); });
}

void Binder::bind_if(IfNode& node, const Frame& frame) {
  const Frame soft = frame.softened();
  for (auto& [test, body] : node.branches) {
    bind_expression(*test, soft);
    bind_body(body, soft);
  }
  bind_body(node.otherwise, soft);
}

void Binder::bind_filter_block(FilterBlockNode& node, const Frame& frame) {
  Symbols symbols(&frame.symbols);
  find_symbols(symbols, node.body, budget_);
  find_symbols(symbols, *node.filter, budget_);
  const Frame inside = frame.inner(symbols);
  node.escaping = frame.escaping;
  node.scope = entered(inside);
  bind_body(node.body, inside);
  bind_expression(*node.filter, inside);
}

void Binder::bind_with(WithNode& node, const Frame& frame) {
  Symbols symbols(&frame.symbols);
  for (const auto& value : node.values) find_symbols(symbols, *value.first, budget_);
  find_symbols(symbols, node.body, budget_);
  const Frame inside = frame.inner(symbols);
  node.scope = entered(inside);
  for (auto& [target, value] : node.values) {
    bind_expression(*target, inside);
    bind_expression(*value, frame);
  }
  bind_body(node.body, inside);
}

// The names that a target sets, where others than its frame can see them.
void Binder::find_exports(const Expr& target, const Frame& frame, std::vector<Export>& out) {
  if (!frame.toplevel) return;
  if (target.kind == NodeKind::kName) {
    const auto& name = static_cast<const NameNode&>(target);
    out.push_back({name.name, name.slot});
  } else if (target.kind == NodeKind::kTuple) {
    for (const Expr* item : static_cast<const ItemsNode&>(target).items) find_exports(*item, frame, out);
  }
}

void Binder::find_namespaces(Expr& target, std::vector<NamespaceRefNode*>& out) {
  if (target.kind == NodeKind::kNamespaceRef) out.push_back(static_cast<NamespaceRefNode*>(&target));
  if (target.kind != NodeKind::kTuple) return;
  for (Expr* item : static_cast<ItemsNode&>(target).items) find_namespaces(*item, out);
}

void Binder::bind_set(SetNode& node, const Frame& frame) {
  bind_expression(*node.target, frame);
  bind_expression(*node.value, frame);
  find_exports(*node.target, frame, node.exports);
  find_namespaces(*node.target, node.namespaces);
}

void Binder::bind_set_block(SetBlockNode& node, const Frame& frame) {
  Symbols symbols(&frame.symbols);
  find_symbols(symbols, node.body, budget_);
  const Frame inside = frame.inner(symbols);
  node.escaping = frame.escaping;
  if (node.filter) bind_expression(*node.filter, inside);
  bind_body(node.body, inside);
  node.scope = entered(inside);
  bind_expression(*node.target, frame);
  find_exports(*node.target, frame, node.exports);
}

void Binder::bind_block(BlockNode& node, const Frame& frame) {
  if (!node.scoped) return;
  std::set<int> seen;
  for (const Symbols* s = &frame.symbols; s; s = s->parent())
    for (int name : s->stores()) {
      budget_.step();
      if (seen.insert(name).second) node.visible.push_back({name, slot_of(frame, name)});
    }
}

void Binder::bind_autoescape(AutoescapeNode& node, const Frame& frame) {
  Symbols symbols(&frame.symbols);
  find_symbols(symbols, *node.enabled, budget_);
  find_symbols(symbols, node.body, budget_);
  Frame inside = frame.inner(symbols);
  node.scope = entered(inside);
  bind_expression(*node.enabled, inside);
  inside.escaping = Escaping::kDynamic;
  if (node.enabled->kind == NodeKind::kConst) {
    const auto& constant = static_cast<const ConstNode&>(*node.enabled);
    if (constant.type == ConstNode::Type::kBool) inside.escaping = constant.boolean ? Escaping::kOn : Escaping::kOff;
  }
  bind_body(node.body, inside);
}

void bind_names(Tree& tree, Budget& budget) { Binder(tree, budget).run(); }

}  // namespace skald::jinja
