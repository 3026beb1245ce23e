// Statements that become functions of their own: loops, macros, call blocks and blocks.
#include "text/chat/jinja/parse/name_binder.h"

#include <algorithm>

#include "text/chat/jinja/values/walk.h"

namespace skald::jinja {

bool Binder::has_scoped_block(const Body& body) {
  bool out = false;
  const auto visit = [&](const auto& self, const Node& node) -> void {
    budget_.check_depth();
    budget_.step();
    if (node.kind == NodeKind::kBlock && static_cast<const BlockNode&>(node).scoped) out = true;
    if (!out) walk(node, [&](const Node& child) { self(self, child); });
  };
  if (tree_.blocks.empty()) return false;
  for (const Node* node : body) visit(visit, *node);
  return out;
}

void Binder::bind_test(ForNode& node, const Frame& frame, Symbols& loop_symbols) {
  FunctionState function{node.test_function, frame.symbols.level() + 1, &frame.function};
  Symbols symbols(&frame.symbols);
  declare_target(symbols, *node.target, budget_);
  find_symbols(symbols, *node.test, budget_);
  const Frame test = frame.inner(symbols).in(function);
  node.test_scope = entered(test);
  bind_expression(*node.test_target, Frame{loop_symbols, function, false, false, frame.escaping});
  bind_expression(*node.test, test);
}

void Binder::bind_for(ForNode& node, const Frame& frame) {
  bind_expression(*node.iterable, frame);
  ++for_depth_;
  Symbols symbols(&frame.symbols), otherwise(&frame.symbols);
  node.escaping = frame.escaping;
  node.has_loop = node.recursive || reads_undeclared(node.body, loop_, budget_) || has_scoped_block(node.body);
  if (node.has_loop && loop_ >= 0) symbols.declare(loop_);
  declare_target(symbols, *node.target, budget_);
  find_symbols(symbols, node.body, budget_);
  find_symbols(otherwise, node.otherwise, budget_);
  if (node.test) bind_test(node, frame, symbols);
  FunctionState own{node.function, symbols.level(), &frame.function};
  FunctionState& function = node.recursive ? own : frame.function;
  const Frame loop = frame.inner(symbols).in(function);
  if (node.has_loop && loop_ >= 0) node.loop = slot_of(loop, loop_);
  bind_expression(*node.target, loop);
  node.scope = entered(loop);
  ++function.loops;
  bind_body(node.body, loop);
  --function.loops;
  const Frame rest = frame.inner(otherwise).in(function);
  node.otherwise_scope = entered(rest);
  bind_body(node.otherwise, rest);
  --for_depth_;
}

void Binder::bind_parameters(MacroNode& node, const Frame& frame) {
  for (size_t i = 0; i < node.parameters.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      budget_.step();
      if (node.parameters[i]->name == node.parameters[j]->name)
        fail(ErrorKind::kSyntax,
             fmt::format("duplicate argument '{}' in function definition",
                         tree_.names[static_cast<size_t>(node.parameters[i]->name)]),
             node.line);
    }
  for (NameNode* parameter : node.parameters) parameter->slot = slot_of(frame, parameter->name);
  for (Expr* expression : node.defaults) bind_expression(*expression, frame);
}

// A special variable of a macro or block, where its body reads it.
Slot Binder::special(const Body& body, Symbols& symbols, FunctionState& function, int name) {
  if (!reads_undeclared(body, name, budget_)) return {};
  symbols.declare(name);
  return function.slot_of(*symbols.find(name));
}

bool Binder::has_parameter(const MacroNode& node, int name) const {
  return std::ranges::any_of(node.parameters, [name](const NameNode* p) { return p->name == name; });
}

void Binder::bind_macro_body(MacroNode& node, const Frame& frame) {
  Symbols symbols(&frame.symbols);
  const auto analyze = [&] {
    for (const NameNode* parameter : node.parameters) symbols.declare(parameter->name);
    for (const Expr* expression : node.defaults) find_symbols(symbols, *expression, budget_);
    find_symbols(symbols, node.body, budget_);
  };
  analyze();
  FunctionState function{node.function, symbols.level(), &frame.function};
  node.explicit_caller = caller_ >= 0 && has_parameter(node, caller_);
  if (node.explicit_caller) {
    if (reads_undeclared(node.body, caller_, budget_)) {
      const auto at = std::ranges::find(node.parameters, caller_, &NameNode::name) - node.parameters.begin();
      if (static_cast<size_t>(at) + node.defaults.size() < node.parameters.size())
        fail(ErrorKind::kAssertion,
             "When defining macros or call blocks the special \"caller\" argument must be omitted or be given a default.",
             node.line);
      node.takes_caller = true;
    }
  } else {
    node.caller = special(node.body, symbols, function, caller_);
    node.takes_caller = node.caller.index >= 0;
  }
  if (!has_parameter(node, kwargs_)) node.named = special(node.body, symbols, function, kwargs_);
  if (!has_parameter(node, varargs_)) node.positional = special(node.body, symbols, function, varargs_);
  analyze();
  const Frame inside = frame.inner(symbols).in(function);
  node.scope = entered(inside);
  bind_parameters(node, inside);
  bind_body(node.body, inside);
}

void Binder::bind_macro(MacroNode& node, const Frame& frame) {
  bind_macro_body(node, frame);
  node.slot = slot_of(frame, node.name);
  node.is_exported = frame.toplevel;
}

void Binder::bind_call_block(CallBlockNode& node, const Frame& frame) {
  node.escaping = frame.escaping;
  bind_macro_body(*node.macro, frame);
  if (node.call) bind_expression(*node.call, frame);
}

void Binder::bind_block_function(BlockNode& node) {
  Symbols symbols(nullptr);
  FunctionState function{node.function, 0, nullptr};
  node.self = special(node.body, symbols, function, self_);
  node.super = special(node.body, symbols, function, super_);
  find_symbols(symbols, node.body, budget_);
  const Frame frame{symbols, function};
  node.scope = entered(frame);
  bind_body(node.body, frame);
}

}  // namespace skald::jinja
