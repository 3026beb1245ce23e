// The tests that follow "is".
#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/methods/text_methods.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {
namespace {

template <bool (*is)(const Value&)>
Value plain(Interpreter&, const Value& operand, Arguments& arguments) {
  bind("test", arguments, {}, 0);
  return Value::of(is(operand));
}

bool defined(const Value& v) { return !v.is_undefined(); }
bool undefined(const Value& v) { return v.is_undefined(); }
bool none(const Value& v) { return v.is_none(); }
bool boolean(const Value& v) { return v.is(Kind::kBool); }
bool is_true(const Value& v) { return v.is(Kind::kBool) && v.boolean(); }
bool is_false(const Value& v) { return v.is(Kind::kBool) && !v.boolean(); }
bool integer(const Value& v) { return v.is(Kind::kInt) || v.is(Kind::kBigInt); }
bool real(const Value& v) { return v.is(Kind::kFloat); }
bool number(const Value& v) { return v.is_number(); }
bool text(const Value& v) { return v.is_text(); }
bool mapping(const Value& v) { return v.is(Kind::kDict); }
bool markup(const Value& v) { return v.is_text() && v.as<Text>().is_markup(); }
bool sequence(const Value& v) {
  return v.is_text() || v.is_sequence() || v.is(Kind::kDict) || v.is(Kind::kRange) || v.is_undefined();
}
// Undefined objects and loops have __call__; a call of them may fail.
bool callable(const Value& v) { return v.is(Kind::kFunction) || v.is(Kind::kLoop) || v.is_undefined(); }

Value iterable(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("iterable", arguments, {}, 0);
  return Value::of(find_iterator(in.heap(), operand).get() != nullptr);
}

template <bool upper_case>
Value of_case(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("test", arguments, {}, 0);
  return Value::of(is_of_case(to_text(in.heap(), operand).as<Text>().bytes(), upper_case, in.budget()));
}

template <CompareNode::Op op>
Value compares(Interpreter& in, const Value& operand, Arguments& arguments) {
  using Op = CompareNode::Op;
  const auto a = bind("comparison", arguments, {"other"}, 1);
  if (op == Op::kEqual) return Value::of(equal(operand, a[0], in.budget()));
  if (op == Op::kNotEqual) return Value::of(!equal(operand, a[0], in.budget()));
  const char* sign = op == Op::kLess ? "<" : op == Op::kLessEqual ? "<=" : op == Op::kGreater ? ">" : ">=";
  const int way = order(operand, a[0], sign, in.budget());
  return Value::of(way == (op == Op::kLess || op == Op::kLessEqual ? -1 : 1) ||
                   (way == 0 && (op == Op::kLessEqual || op == Op::kGreaterEqual)));
}

bool modulo_is(Interpreter& in, const Value& operand, const Value& by, int64_t wanted) {
  return equal(operate(in.heap(), Operator::kMod, operand, by), Value::of(wanted), in.budget());
}

template <int64_t rest>
Value modulo_two(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("test", arguments, {}, 0);
  return Value::of(modulo_is(in, operand, Value::of(int64_t{2}), rest));
}

Value divisible(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("divisibleby", arguments, {"num"}, 1);
  return Value::of(modulo_is(in, operand, a[0], 0));
}

// Python keeps one object for each text of one Latin-1 character.
Value same(Interpreter&, const Value& operand, Arguments& arguments) {
  const auto a = bind("sameas", arguments, {"other"}, 1);
  const bool short_texts = operand.is_text() && a[0].is_text() && operand.as<Text>().length() <= 1;
  return Value::of(operand.same(a[0]) || (short_texts && operand.as<Text>().bytes() == a[0].as<Text>().bytes()));
}

Value is_in(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("in", arguments, {"seq"}, 1);
  return Value::of(contains(a[0], operand, in.budget()));
}

template <const Builtin* (*find)(std::string_view)>
Value is_known(Interpreter&, const Value& operand, Arguments& arguments) {
  bind("test", arguments, {}, 0);
  return Value::of(operand.is_text() && find(operand.as<Text>().bytes()) != nullptr);
}

using Op = CompareNode::Op;

constexpr Builtin kTests[] = {
    {"defined", plain<defined>},
    {"undefined", plain<undefined>},
    {"none", plain<none>},
    {"boolean", plain<boolean>},
    {"true", plain<is_true>},
    {"false", plain<is_false>},
    {"integer", plain<integer>},
    {"float", plain<real>},
    {"number", plain<number>},
    {"string", plain<text>},
    {"mapping", plain<mapping>},
    {"sequence", plain<sequence>},
    {"escaped", plain<markup>},
    {"callable", plain<callable>},
    {"iterable", iterable},
    {"lower", of_case<false>},
    {"upper", of_case<true>},
    {"odd", modulo_two<1>},
    {"even", modulo_two<0>},
    {"divisibleby", divisible},
    {"sameas", same},
    {"in", is_in},
    {"filter", is_known<find_filter>},
    {"test", is_known<find_test>},
    {"eq", compares<Op::kEqual>},
    {"equalto", compares<Op::kEqual>},
    {"==", compares<Op::kEqual>},
    {"ne", compares<Op::kNotEqual>},
    {"!=", compares<Op::kNotEqual>},
    {"lt", compares<Op::kLess>},
    {"lessthan", compares<Op::kLess>},
    {"<", compares<Op::kLess>},
    {"le", compares<Op::kLessEqual>},
    {"<=", compares<Op::kLessEqual>},
    {"gt", compares<Op::kGreater>},
    {"greaterthan", compares<Op::kGreater>},
    {">", compares<Op::kGreater>},
    {"ge", compares<Op::kGreaterEqual>},
    {">=", compares<Op::kGreaterEqual>},
};

}  // namespace

std::span<const Builtin> value_tests() { return kTests; }

}  // namespace skald::jinja
