// Filters on lists that keep the order of their items: first, join, batch and their kin.
#include <algorithm>

#include "text/chat/jinja/builtins/attributes.h"
#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/methods/text_parts.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/run/operators.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {
namespace {

Value length(Interpreter&, const Value& operand, Arguments& arguments) {
  bind("len", arguments, {}, 0);
  return Value::of(length_of(operand));
}

Value first(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("first", arguments, {}, 0);
  Value out;
  if (iterate(in.heap(), operand)->next(out)) return out;
  return make_undefined(in.heap(), "No first item, sequence was empty.");
}

Value last(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("last", arguments, {}, 0);
  Heap& heap = in.heap();
  if (operand.is_text() && operand.as<Text>().length() > 0) {
    const size_t count = operand.as<Text>().length();
    return text_slice(heap, operand.as<Text>(), count - 1, count);
  }
  if (operand.is_text()) return make_undefined(heap, "No last item, sequence was empty.");
  const Ref<Iterator> items = find_reverse_iterator(heap, operand);
  if (!items) raise(ErrorKind::kType, "'{}' object is not reversible", type_name(operand));
  Value out;
  return items->next(out) ? out : make_undefined(heap, "No last item, sequence was empty.");
}

// The same in every rendering: a model cannot have learnt a template's random choices.
Value random(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("random", arguments, {}, 0);
  const int64_t count = length_of(operand);
  if (count == 0) return make_undefined(in.heap(), "No random item, sequence was empty.");
  return items_of(in.heap(), operand)[static_cast<size_t>(count / 2)];
}

Value list(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("list", arguments, {}, 0);
  return make_list(in.heap(), items_of(in.heap(), operand));
}

Value reverse(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("reverse", arguments, {}, 0);
  Heap& heap = in.heap();
  if (operand.is_text()) return slice_of(heap, operand, Value::none(), Value::none(), Value::of(int64_t{-1}));
  if (const Ref<Iterator> items = find_reverse_iterator(heap, operand)) return items;
  if (!find_iterator(heap, operand)) raise(ErrorKind::kFilterArgument, "argument must be iterable");
  std::vector<Value> items = items_of(heap, operand);
  std::ranges::reverse(items);
  return make_list(heap, std::move(items));
}

Value join(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("join", arguments, {"d", "attribute"}, 0);
  Heap& heap = in.heap();
  Value separator = a[0].is_missing() ? make_text(heap, "", true) : to_text(heap, a[0]);
  std::vector<Value> items = items_of(heap, operand);
  if (!a[1].is_missing() && !a[1].is_none()) {
    const AttributePath path(heap, a[1]);
    for (Value& item : items) item = path.of(item);
  }
  const auto markup = [](const Value& v) { return v.is_text() && v.as<Text>().is_markup(); };
  if (!in.escapes()) {
    if (markup(separator)) separator = make_text(heap, separator.as<Text>().marked());
  } else if (!markup(separator) && std::ranges::any_of(items, markup)) {
    separator = escaped(heap, separator);
  }
  return joined(heap, separator.as<Text>(), items, true);
}

// One piece of a sequence after the other, as a generator gives them.
class Pieces final : public Iterator {
 public:
  explicit Pieces(std::vector<Value> pieces) : pieces_(std::move(pieces)) {}
  bool next(Value& out) override {
    if (at_ >= pieces_.size()) return false;
    out = pieces_[at_++];
    return true;
  }

 private:
  std::vector<Value> pieces_;
  size_t at_ = 0;
};

bool fills(const Value& fill) { return !fill.is_missing() && !fill.is_none(); }

Value batch(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("batch", arguments, {"linecount", "fill_with"}, 1);
  Heap& heap = in.heap();
  if (!a[0].is_number()) raise(ErrorKind::kType, "batch: an integer is needed, not {}", type_name(a[0]));
  const int64_t count = a[0].is(Kind::kFloat) ? -1 : index_of(a[0]);
  std::vector<Value> out, piece;
  for (Value& item : items_of(heap, operand)) {
    if (static_cast<int64_t>(piece.size()) == count) out.push_back(make_list(heap, std::exchange(piece, {})));
    piece.push_back(std::move(item));
  }
  if (!piece.empty()) {
    const int64_t missing = fills(a[1]) ? count - static_cast<int64_t>(piece.size()) : 0;
    if (missing > 0) {
      if (missing > static_cast<int64_t>(in.budget().limits().memory)) in.budget().check_memory(SIZE_MAX);
      in.budget().check_memory(static_cast<size_t>(missing) * sizeof(Value) * 2);
      in.budget().spend(missing);
      piece.resize(piece.size() + static_cast<size_t>(missing), a[1]);
    }
    out.push_back(make_list(heap, std::move(piece)));
  }
  return heap.make_sized<Pieces>(out.size() * sizeof(Value), std::move(out));
}

Value slice(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("slice", arguments, {"slices", "fill_with"}, 1);
  Heap& heap = in.heap();
  const int64_t slices = index_of(a[0]);
  if (slices == 0) raise(ErrorKind::kZeroDivision, "integer division or modulo by zero");
  const std::vector<Value> items = items_of(heap, operand);
  const auto count = static_cast<int64_t>(items.size());
  if (slices > 0) in.budget().check_memory(slices > (int64_t{1} << 32) ? SIZE_MAX : static_cast<size_t>(slices) * 128);
  const int64_t each = slices > 0 ? count / slices : 0, longer = slices > 0 ? count % slices : 0;
  std::vector<Value> out;
  for (int64_t i = 0, at = 0; i < slices; ++i) {
    const int64_t size = each + (i < longer ? 1 : 0);
    std::vector<Value> piece(items.begin() + at, items.begin() + at + size);
    at += size;
    if (fills(a[1]) && i >= longer) piece.push_back(a[1]);
    out.push_back(make_list(heap, std::move(piece)));
    in.budget().step();
  }
  return heap.make_sized<Pieces>(out.size() * sizeof(Value), std::move(out));
}

Value sum(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("sum", arguments, {"attribute", "start"}, 0);
  Heap& heap = in.heap();
  const AttributePath path(heap, a[0]);
  Value out = a[1].is_missing() ? Value::of(int64_t{0}) : a[1];
  if (out.is_text()) raise(ErrorKind::kType, "sum() can't sum strings [use ''.join(seq) instead]");
  const Ref<Iterator> items = iterate(heap, operand);
  for (Value item; items->next(item);) out = operate(heap, Operator::kAdd, out, path.of(item));
  return out;
}

Value items(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("items", arguments, {}, 0);
  Heap& heap = in.heap();
  if (operand.is_undefined()) return heap.make<Pieces>(std::vector<Value>());
  if (!operand.is(Kind::kDict)) raise(ErrorKind::kType, "Can only get item pairs from a mapping.");
  return iterate(heap, heap.make<View>(Ref<Dict>(&operand.as<Dict>()), View::Part::kItems));
}

constexpr Builtin kFilters[] = {
    {"length", length},   {"count", length}, {"first", first}, {"last", last},   {"random", random}, {"list", list},
    {"reverse", reverse}, {"join", join},    {"batch", batch}, {"slice", slice}, {"sum", sum},       {"items", items},
};

}  // namespace

std::span<const Builtin> list_filters() { return kFilters; }

}  // namespace skald::jinja
