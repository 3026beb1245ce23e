// The children of a tree's nodes, in the order in which Jinja visits them.
#pragma once

#include <algorithm>
#include <string_view>

#include "text/chat/jinja/parse/ast.h"
#include "text/chat/jinja/run/budget.h"

namespace skald::jinja {

template <class F>
void walk_arguments(const Signature& arguments, F&& f) {
  for (Expr* e : arguments.positional) f(*e);
  for (const auto& named : arguments.named) f(*named.second);
  if (arguments.more_positional) f(*arguments.more_positional);
  if (arguments.more_named) f(*arguments.more_named);
}

template <class F>
void walk_body(const Body& body, F&& f) {
  for (Node* node : body) f(*node);
}

/// Calls f(child) for each child of an expression.
template <class F>
void walk_expression(const Expr& node, F&& f) {
  const auto maybe = [&](Expr* e) {
    if (e) f(*e);
  };
  switch (node.kind) {
    case NodeKind::kTuple:
    case NodeKind::kList:
    case NodeKind::kConcat:
      for (Expr* e : static_cast<const ItemsNode&>(node).items) f(*e);
      break;
    case NodeKind::kDict:
      for (const auto& [key, value] : static_cast<const DictNode&>(node).items) {
        f(*key);
        f(*value);
      }
      break;
    case NodeKind::kUnary:
      f(*static_cast<const UnaryNode&>(node).operand);
      break;
    case NodeKind::kBinary:
      f(*static_cast<const BinaryNode&>(node).left);
      f(*static_cast<const BinaryNode&>(node).right);
      break;
    case NodeKind::kLogic:
      for (Expr* e : static_cast<const LogicNode&>(node).operands) f(*e);
      break;
    case NodeKind::kCompare:
      f(*static_cast<const CompareNode&>(node).first);
      for (const auto& part : static_cast<const CompareNode&>(node).rest) f(*part.second);
      break;
    case NodeKind::kCondition:
      f(*static_cast<const ConditionNode&>(node).test);
      f(*static_cast<const ConditionNode&>(node).yes);
      maybe(static_cast<const ConditionNode&>(node).no);
      break;
    case NodeKind::kAttribute:
      f(*static_cast<const AttributeNode&>(node).object);
      break;
    case NodeKind::kItem:
      f(*static_cast<const ItemNode&>(node).object);
      f(*static_cast<const ItemNode&>(node).index);
      break;
    case NodeKind::kSlice:
      maybe(static_cast<const SliceNode&>(node).start);
      maybe(static_cast<const SliceNode&>(node).stop);
      maybe(static_cast<const SliceNode&>(node).step);
      break;
    case NodeKind::kCall:
      f(*static_cast<const CallNode&>(node).function);
      walk_arguments(static_cast<const CallNode&>(node).arguments, f);
      break;
    case NodeKind::kFilter:
    case NodeKind::kTest:
      maybe(static_cast<const FilterNode&>(node).operand);
      walk_arguments(static_cast<const FilterNode&>(node).arguments, f);
      break;
    default:
      break;
  }
}

/// Returns whether Jinja could work an expression out before it renders; of items, by the parser's answer.
inline bool is_constant(const Expr& node, Budget& budget) {
  budget.check_depth();
  constexpr std::string_view kNeedContext[] = {"map", "select", "reject", "selectattr", "rejectattr", "random"};
  if (node.kind == NodeKind::kName || node.kind == NodeKind::kCall) return false;
  if (node.kind == NodeKind::kFilter &&
      std::ranges::find(kNeedContext, static_cast<const FilterNode&>(node).name) != std::end(kNeedContext))
    return false;
  if (node.kind == NodeKind::kItem) return static_cast<const ItemNode&>(node).constant;
  bool out = true;
  walk_expression(node, [&](const Expr& child) { out = out && is_constant(child, budget); });
  return out;
}

/// Calls f(child) for each child of any node.
template <class F>
void walk(const Node& node, F&& f) {
  const auto maybe = [&](Node* e) {
    if (e) f(*e);
  };
  switch (node.kind) {
    case NodeKind::kOutput:
      for (Expr* e : static_cast<const OutputNode&>(node).parts) f(*e);
      break;
    case NodeKind::kFor: {
      const auto& n = static_cast<const ForNode&>(node);
      f(*n.target);
      f(*n.iterable);
      walk_body(n.body, f);
      walk_body(n.otherwise, f);
      maybe(n.test);
      break;
    }
    case NodeKind::kIf: {
      const auto& n = static_cast<const IfNode&>(node);
      for (const auto& [test, body] : n.branches) {
        f(*test);
        walk_body(body, f);
      }
      walk_body(n.otherwise, f);
      break;
    }
    case NodeKind::kMacro: {
      const auto& n = static_cast<const MacroNode&>(node);
      for (NameNode* e : n.parameters) f(*e);
      for (Expr* e : n.defaults) f(*e);
      walk_body(n.body, f);
      break;
    }
    case NodeKind::kCallBlock:
      maybe(static_cast<const CallBlockNode&>(node).call);
      f(*static_cast<const CallBlockNode&>(node).macro);
      break;
    case NodeKind::kFilterBlock:
      walk_body(static_cast<const FilterBlockNode&>(node).body, f);
      f(*static_cast<const FilterBlockNode&>(node).filter);
      break;
    case NodeKind::kWith: {
      const auto& n = static_cast<const WithNode&>(node);
      for (const auto& value : n.values) f(*value.first);
      for (const auto& value : n.values) f(*value.second);
      walk_body(n.body, f);
      break;
    }
    case NodeKind::kSet:
      f(*static_cast<const SetNode&>(node).target);
      f(*static_cast<const SetNode&>(node).value);
      break;
    case NodeKind::kSetBlock:
      f(*static_cast<const SetBlockNode&>(node).target);
      maybe(static_cast<const SetBlockNode&>(node).filter);
      walk_body(static_cast<const SetBlockNode&>(node).body, f);
      break;
    case NodeKind::kBlock:
      walk_body(static_cast<const BlockNode&>(node).body, f);
      break;
    case NodeKind::kAutoescape:
      f(*static_cast<const AutoescapeNode&>(node).enabled);
      walk_body(static_cast<const AutoescapeNode&>(node).body, f);
      break;
    case NodeKind::kInclude:
      f(*static_cast<const IncludeNode&>(node).source);
      break;
    default:
      walk_expression(node, f);
  }
}

}  // namespace skald::jinja
