// How names find their places: the pass over a template's tree that gives each name a slot, as jinja2.compiler gives them
// variables of Python functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text/chat/jinja/parse/ast.h"
#include "text/chat/jinja/parse/symbols.h"
#include "text/chat/jinja/run/budget.h"
#include "text/chat/jinja/run/failure.h"

namespace skald::jinja {

// A Python function that Jinja would write.
struct FunctionState {
  FunctionScope& scope;
  int base_level;  // its own variables have this level or a higher one
  FunctionState* outer;
  int loops = 0;  // around the statement
  std::map<Variable, int> places{};

  Slot slot_of(Variable variable) {
    Slot out;
    FunctionState* function = this;
    while (variable.level < function->base_level && function->outer) {
      function = function->outer;
      ++out.hops;
    }
    const auto [it, added] = function->places.try_emplace(variable, function->scope.slots);
    if (added) ++function->scope.slots;
    out.index = it->second;
    return out;
  }
};

// Where a statement stands (jinja2.compiler.Frame).
struct BindFrame {
  Symbols& symbols;
  FunctionState& function;
  bool toplevel = false;
  bool soft = false;  // filters that are not there fail when they are reached
  Escaping escaping = Escaping::kOff;

  BindFrame inner(Symbols& own) const { return {own, function, false, false, escaping}; }
  BindFrame softened() const {
    BindFrame out = *this;
    out.soft = true;
    return out;
  }
  BindFrame in(FunctionState& other) const { return {symbols, other, toplevel, soft, escaping}; }
};

class Binder {
 public:
  Binder(Tree& tree, Budget& budget);
  void run();

 private:
  using Frame = BindFrame;

  [[noreturn]] static void fail(ErrorKind kind, std::string message, int line);
  Slot slot_of(const Frame& frame, int name);
  Scope entered(const Frame& frame);
  void bind_body(const Body& body, const Frame& frame);
  void bind(Node& node, const Frame& frame);
  void bind_expression(Expr& node, const Frame& frame);
  void find_native(FilterNode& node, const Frame& frame);
  void bind_arguments(const Signature& arguments, const Frame& frame);
  void bind_if(IfNode& node, const Frame& frame);
  bool has_scoped_block(const Body& body);
  void bind_test(ForNode& node, const Frame& frame, Symbols& loop_symbols);
  void bind_for(ForNode& node, const Frame& frame);
  void bind_parameters(MacroNode& node, const Frame& frame);
  Slot special(const Body& body, Symbols& symbols, FunctionState& function, int name);
  bool has_parameter(const MacroNode& node, int name) const;
  void bind_macro_body(MacroNode& node, const Frame& frame);
  void bind_macro(MacroNode& node, const Frame& frame);
  void bind_call_block(CallBlockNode& node, const Frame& frame);
  void bind_filter_block(FilterBlockNode& node, const Frame& frame);
  void bind_with(WithNode& node, const Frame& frame);
  void find_exports(const Expr& target, const Frame& frame, std::vector<Export>& out);
  static void find_namespaces(Expr& target, std::vector<NamespaceRefNode*>& out);
  void bind_set(SetNode& node, const Frame& frame);
  void bind_set_block(SetBlockNode& node, const Frame& frame);
  void bind_block(BlockNode& node, const Frame& frame);
  void bind_block_function(BlockNode& node);
  void bind_autoescape(AutoescapeNode& node, const Frame& frame);

  Tree& tree_;
  Budget& budget_;
  int loop_, self_, super_, caller_, kwargs_, varargs_;  // names' places, -1 for those that are not in the template
  int for_depth_ = 0;
};

}  // namespace skald::jinja
