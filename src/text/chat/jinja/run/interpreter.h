// Interpreter: renders one template once.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/chat/jinja/parse/ast.h"
#include "text/chat/jinja/run/activation.h"
#include "text/chat/jinja/run/function.h"
#include "text/chat/jinja/run/loop_object.h"
#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {

/// Statements are run in statements.cpp and loops.cpp, expressions in expressions.cpp, calls in calls.cpp.
class Interpreter {
 public:
  /// `now`: the time of strftime_now().
  Interpreter(const Tree& tree, Heap& heap, const std::tm& now);

  /// Throws Failure.
  MarkedText render(const std::vector<std::pair<std::string, Value>>& variables);

  // For filters and functions:

  Heap& heap() { return heap_; }
  Budget& budget() { return heap_.budget(); }
  const std::tm& now() const { return now_; }
  bool escapes() const { return escapes_; }
  /// Returns the line of the template that is run.
  int line() const { return line_; }
  Value call(const Value& function, Arguments& arguments);
  /// By name, as map() and select() do. Throws Failure (kRuntime) where there is none.
  Value filter(const Value& name, Value operand, Arguments arguments);
  Value test(const Value& name, Value operand, Arguments arguments);

  // For macros, loops and blocks:

  Value call_macro(const MacroNode& node, const Ref<Activation>& around, Arguments& arguments);
  Value recurse(const LoopObject& loop, const Value& iterable);
  Value render_block(const BlockNode& node, const Ref<Context>& context);
  const BlockNode* find_block(std::string_view name) const;

 private:
  enum class Flow : uint8_t { kOn, kBreak, kContinue };
  using Frame = Ref<Activation>;
  struct Capture;

  // statements
  Flow run(const Body& body, const Frame& f);
  Flow run(const Node& node, const Frame& f);
  void put_out(const OutputNode& node, const Frame& f);
  void put_out(const Value& value, Escaping escaping);
  void put_out_text(const Value& value);
  Flow run_if(const IfNode& node, const Frame& f);
  Flow run_with(const WithNode& node, const Frame& f);
  Flow run_set_block(const SetBlockNode& node, const Frame& f);
  Flow run_filter_block(const FilterBlockNode& node, const Frame& f);
  Flow run_autoescape(const AutoescapeNode& node, const Frame& f);
  void run_call_block(const CallBlockNode& node, const Frame& f);
  void run_macro(const MacroNode& node, const Frame& f);
  void run_set(const SetNode& node, const Frame& f);
  void run_block(const BlockNode& node, const Frame& f);
  void enter(const Scope& scope, const Frame& f);
  void leave(const Scope& scope, const Frame& f);
  void assign(const Expr& target, Value value, const Frame& f);
  void assign_parts(const ItemsNode& target, const Value& value, const Frame& f);
  void export_all(const std::vector<Export>& exports, const Frame& f);
  bool is_escaping(Escaping escaping) const {
    return escaping == Escaping::kOn || (escaping == Escaping::kDynamic && escapes_);
  }

  // loops
  Flow run_for(const ForNode& node, const Frame& f);
  Flow run_items(const ForNode& node, const Value& iterable, const Frame& around, const Frame& f, int64_t depth0);

  // expressions
  Value eval(const Expr& node, const Frame& f);
  Value eval_name(const NameNode& node, const Frame& f);
  Value constant(const ConstNode& node);
  Value eval_items(const ItemsNode& node, const Frame& f);
  Value eval_concat(const ItemsNode& node, const Frame& f);
  Value eval_dict(const DictNode& node, const Frame& f);
  Value eval_unary(const UnaryNode& node, const Frame& f);
  Value eval_binary(const BinaryNode& node, const Frame& f);
  Value eval_logic(const LogicNode& node, const Frame& f);
  Value eval_compare(const CompareNode& node, const Frame& f);
  bool compares(CompareNode::Op op, const Value& a, const Value& b);
  Value eval_condition(const ConditionNode& node, const Frame& f);
  Value eval_item(const ItemNode& node, const Frame& f);
  Value eval_call(const CallNode& node, const Frame& f, const Value* caller = nullptr);
  Value eval_filter(const FilterNode& node, const Frame& f, const Value* operand = nullptr);
  Arguments eval_arguments(const Signature& signature, const Frame& f, const Value* caller = nullptr);
  void add_named(Arguments& arguments, const Value& more);

  const Tree& tree_;
  Heap& heap_;
  std::tm now_;
  std::vector<Value> constants_;
  Ref<Context> context_;
  MarkedText* out_ = nullptr;
  bool escapes_ = false;
  int line_ = 1;
};

}  // namespace skald::jinja
