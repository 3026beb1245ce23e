#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/run/access.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {

Value Interpreter::eval(const Expr& node, const Frame& f) {
  budget().check_depth();
  budget().step();
  switch (node.kind) {
    case NodeKind::kConst:
      return constant(static_cast<const ConstNode&>(node));
    case NodeKind::kName:
      return eval_name(static_cast<const NameNode&>(node), f);
    case NodeKind::kTuple:
    case NodeKind::kList:
      return eval_items(static_cast<const ItemsNode&>(node), f);
    case NodeKind::kConcat:
      return eval_concat(static_cast<const ItemsNode&>(node), f);
    case NodeKind::kDict:
      return eval_dict(static_cast<const DictNode&>(node), f);
    case NodeKind::kUnary:
      return eval_unary(static_cast<const UnaryNode&>(node), f);
    case NodeKind::kBinary:
      return eval_binary(static_cast<const BinaryNode&>(node), f);
    case NodeKind::kLogic:
      return eval_logic(static_cast<const LogicNode&>(node), f);
    case NodeKind::kCompare:
      return eval_compare(static_cast<const CompareNode&>(node), f);
    case NodeKind::kCondition:
      return eval_condition(static_cast<const ConditionNode&>(node), f);
    case NodeKind::kAttribute: {
      const Value object = eval(*static_cast<const AttributeNode&>(node).object, f);
      line_ = node.line;
      return get_attribute(heap_, object, static_cast<const AttributeNode&>(node).name);
    }
    case NodeKind::kItem:
      return eval_item(static_cast<const ItemNode&>(node), f);
    case NodeKind::kCall:
      return eval_call(static_cast<const CallNode&>(node), f);
    case NodeKind::kFilter:
    case NodeKind::kTest:
      return eval_filter(static_cast<const FilterNode&>(node), f);
    default:
      raise(ErrorKind::kSyntax, "an expression is expected here");
  }
}

Value Interpreter::eval_name(const NameNode& node, const Frame& f) {
  Value& value = f->at(node.slot);
  if (!value.is_missing()) return value;
  line_ = node.line;
  const std::string& name = tree_.names[static_cast<size_t>(node.name)];
  return make_undefined(heap_, fmt::format("{} is undefined", in_quotes(name.substr(0, 200))));
}

Value Interpreter::constant(const ConstNode& node) {
  if (node.type == ConstNode::Type::kNone) return Value::none();
  if (node.type == ConstNode::Type::kBool) return Value::of(node.boolean);
  if (node.type == ConstNode::Type::kFloat) return Value::of(node.real);
  Value& value = constants_[static_cast<size_t>(node.place)];
  if (value.is_missing())
    value = node.type == ConstNode::Type::kText ? make_text(heap_, node.text, true)
                                                : make_integer(heap_, Integer::parse(node.text, node.base));
  return value;
}

Value Interpreter::eval_items(const ItemsNode& node, const Frame& f) {
  std::vector<Value> items;
  items.reserve(node.items.size());
  for (const Expr* item : node.items) items.push_back(eval(*item, f));
  return node.kind == NodeKind::kList ? make_list(heap_, std::move(items)) : make_tuple(heap_, std::move(items));
}

// With a text that counts as escaped among them, the others are escaped where values are.
Value Interpreter::eval_concat(const ItemsNode& node, const Frame& f) {
  std::vector<Value> items;
  bool markup = false;
  const bool escaping = is_escaping(node.escaping);
  for (const Expr* item : node.items) {
    items.push_back(eval(*item, f));
    markup = markup || (escaping && items.back().is_text() && items.back().as<Text>().is_markup());
  }
  line_ = node.line;
  MarkedText out;
  for (const Value& item : items) append_text(out, markup ? escaped(heap_, item) : item, heap_);
  return make_text(heap_, std::move(out), markup);
}

Value Interpreter::eval_dict(const DictNode& node, const Frame& f) {
  const Ref<Dict> dict = heap_.make<Dict>();
  for (const auto& [key, value] : node.items) {
    Value k = eval(*key, f);
    Value v = eval(*value, f);
    line_ = node.line;
    dict->set(std::move(k), std::move(v));
  }
  return dict;
}

Value Interpreter::eval_unary(const UnaryNode& node, const Frame& f) {
  const Value operand = eval(*node.operand, f);
  line_ = node.line;
  if (node.sign == '!') return Value::of(!truth(operand));
  return node.sign == '-' ? negative(heap_, operand) : positive(heap_, operand);
}

Value Interpreter::eval_binary(const BinaryNode& node, const Frame& f) {
  const Value left = eval(*node.left, f);
  const Value right = eval(*node.right, f);
  line_ = node.line;
  return operate(heap_, node.op, left, right);
}

Value Interpreter::eval_logic(const LogicNode& node, const Frame& f) {
  Value value;
  for (const Expr* operand : node.operands) {
    value = eval(*operand, f);
    if (truth(value) != node.is_and) break;
  }
  return value;
}

bool Interpreter::compares(CompareNode::Op op, const Value& a, const Value& b) {
  using Op = CompareNode::Op;
  switch (op) {
    case Op::kEqual:
      return equal(a, b, budget());
    case Op::kNotEqual:
      return !equal(a, b, budget());
    case Op::kLess:
      return order(a, b, "<", budget()) == -1;
    case Op::kGreater:
      return order(a, b, ">", budget()) == 1;
    case Op::kIn:
      return contains(b, a, budget());
    case Op::kNotIn:
      return !contains(b, a, budget());
    case Op::kLessEqual:
    case Op::kGreaterEqual: {
      const int way = order(a, b, op == Op::kLessEqual ? "<=" : ">=", budget());
      return way == 0 || way == (op == Op::kLessEqual ? -1 : 1);
    }
  }
  return false;
}

// a < b < c asks for each pair, up to the first that does not hold.
Value Interpreter::eval_compare(const CompareNode& node, const Frame& f) {
  Value left = eval(*node.first, f);
  for (const auto& [op, operand] : node.rest) {
    Value right = eval(*operand, f);
    line_ = node.line;
    if (!compares(op, left, right)) return Value::of(false);
    left = std::move(right);
  }
  return Value::of(true);
}

Value Interpreter::eval_condition(const ConditionNode& node, const Frame& f) {
  if (truth(eval(*node.test, f))) return eval(*node.yes, f);
  if (node.no) return eval(*node.no, f);
  return make_undefined(
      heap_,
      fmt::format("the inline if-expression on line {} evaluated to false and no else section was defined.", node.line));
}

Value Interpreter::eval_item(const ItemNode& node, const Frame& f) {
  const Value object = eval(*node.object, f);
  if (node.index->kind != NodeKind::kSlice) {
    const Value index = eval(*node.index, f);
    line_ = node.line;
    return get_item(heap_, object, index);
  }
  const auto& slice = static_cast<const SliceNode&>(*node.index);
  const auto part = [&](const Expr* e) { return e ? eval(*e, f) : Value::none(); };
  const Value start = part(slice.start), stop = part(slice.stop), step = part(slice.step);
  line_ = node.line;
  try {
    return slice_of(heap_, object, start, stop, step);
  } catch (const Failure& failure) {
    if (!node.folded || !failure.is(ErrorKind::kType)) throw;
    return make_undefined(heap_, fmt::format("{} has no element of a slice", type_name(object)));
  }
}

void Interpreter::add_named(Arguments& arguments, const Value& more) {
  if (more.is_undefined()) more.as<Undefined>().fail();
  if (!more.is(Kind::kDict)) raise(ErrorKind::kType, "argument after ** must be a mapping, not {}", type_name(more));
  for (const auto& [key, value] : more.as<Dict>().entries()) {
    budget().step();
    if (!key.is_text()) raise(ErrorKind::kType, "keywords must be strings");
    const std::string& name = key.as<Text>().bytes();
    for (const auto& other : arguments.named)
      if (other.first == name) raise(ErrorKind::kType, "got multiple values for keyword argument '{}'", name.substr(0, 100));
    budget().spend(static_cast<int64_t>(arguments.named.size()));
    arguments.named.emplace_back(name, value);
  }
}

Arguments Interpreter::eval_arguments(const Signature& signature, const Frame& f, const Value* caller) {
  Arguments out;
  for (const Expr* e : signature.positional) out.positional.push_back(eval(*e, f));
  for (const auto& [name, e] : signature.named) out.named.emplace_back(name, eval(*e, f));
  if (caller) out.named.emplace_back("caller", *caller);
  if (signature.more_positional) {
    const std::vector<Value> more = items_of(heap_, eval(*signature.more_positional, f));
    out.positional.insert(out.positional.end(), more.begin(), more.end());
  }
  if (signature.more_named) add_named(out, eval(*signature.more_named, f));
  return out;
}

Value Interpreter::eval_filter(const FilterNode& node, const Frame& f, const Value* operand) {
  Value value;
  if (node.operand)
    value = node.operand->kind == NodeKind::kFilter ? eval_filter(static_cast<const FilterNode&>(*node.operand), f, operand)
                                                    : eval(*node.operand, f);
  else if (operand)
    value = *operand;
  Arguments arguments = eval_arguments(node.arguments, f);
  line_ = node.line;
  budget().check_depth();
  const bool filter = node.kind == NodeKind::kFilter;
  if (!node.native)
    raise(ErrorKind::kRuntime, "No {} named {} found.", filter ? "filter" : "test", in_quotes(node.name.substr(0, 100)));
  return static_cast<const Builtin*>(node.native)->function(*this, value, arguments);
}

Value Interpreter::filter(const Value& name, Value operand, Arguments arguments) {
  const Builtin* builtin = name.is_text() ? find_filter(name.as<Text>().bytes()) : nullptr;
  if (!builtin) raise(ErrorKind::kRuntime, "No filter named {}.", repr(name, budget()).text.substr(0, 100));
  budget().check_depth();
  return builtin->function(*this, operand, arguments);
}

Value Interpreter::test(const Value& name, Value operand, Arguments arguments) {
  const Builtin* builtin = name.is_text() ? find_test(name.as<Text>().bytes()) : nullptr;
  if (!builtin) raise(ErrorKind::kRuntime, "No test named {}.", repr(name, budget()).text.substr(0, 100));
  budget().check_depth();
  return builtin->function(*this, operand, arguments);
}

}  // namespace skald::jinja
