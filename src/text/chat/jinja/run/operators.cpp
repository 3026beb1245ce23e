#include "text/chat/jinja/run/operators.h"

#include <algorithm>

#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/format.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

[[noreturn]] void refuse(Operator op, const Value& a, const Value& b) {
  raise(ErrorKind::kType, "unsupported operand type(s) for {}: '{}' and '{}'", sign_of(op), type_name(a), type_name(b));
}

Value joined_sequences(Heap& heap, const Value& a, const Value& b) {
  const auto &x = a.as<Sequence>().items, &y = b.as<Sequence>().items;
  heap.budget().check_memory((x.size() + y.size()) * sizeof(Value));
  heap.budget().spend(static_cast<int64_t>(x.size() + y.size()));
  std::vector<Value> items;
  items.reserve(x.size() + y.size());
  items.insert(items.end(), x.begin(), x.end());
  items.insert(items.end(), y.begin(), y.end());
  return a.is(Kind::kList) ? make_list(heap, std::move(items)) : make_tuple(heap, std::move(items));
}

// Markup escapes the texts that are joined with it.
Value joined_texts(Heap& heap, const Value& a, const Value& b) {
  if (a.as<Text>().is_markup() == b.as<Text>().is_markup()) return joined(heap, a.as<Text>(), b.as<Text>());
  const Value x = escaped(heap, a), y = escaped(heap, b);
  return joined(heap, x.as<Text>(), y.as<Text>());
}

Value add(Heap& heap, const Value& a, const Value& b) {
  if (a.is_text()) {
    if (!b.is_text()) raise(ErrorKind::kType, "can only concatenate str (not \"{}\") to str", type_name(b));
    return joined_texts(heap, a, b);
  }
  if (a.is_sequence()) {
    if (a.kind() != b.kind())
      raise(ErrorKind::kType, "can only concatenate {0} (not \"{1}\") to {0}", type_name(a), type_name(b));
    return joined_sequences(heap, a, b);
  }
  refuse(Operator::kAdd, a, b);
}

bool repeats(const Value& value) { return value.is_text() || value.is_sequence(); }

Value multiply(Heap& heap, const Value& a, const Value& b) {
  if (repeats(a)) {
    if (!b.is_integer()) raise(ErrorKind::kType, "can't multiply sequence by non-int of type '{}'", type_name(b));
    return repeated(heap, a, index_of(b));
  }
  if (repeats(b)) {
    if (!a.is_integer()) raise(ErrorKind::kType, "can't multiply sequence by non-int of type '{}'", type_name(a));
    return repeated(heap, b, index_of(a));
  }
  refuse(Operator::kMul, a, b);
}

struct Slice {
  int64_t start, stop, step, count;
};

int64_t bound(const Value& value) {
  if (!value.is_integer() && !value.is_undefined())
    raise(ErrorKind::kType, "slice indices must be integers or None or have an __index__ method");
  return index_of(value);
}

// Python's slice.indices().
Slice resolve(const Value& start, const Value& stop, const Value& step, int64_t length) {
  const int64_t by = step.is_none() ? 1 : bound(step);
  if (by == 0) raise(ErrorKind::kValue, "slice step cannot be zero");
  const int64_t low = by < 0 ? -1 : 0, high = by < 0 ? length - 1 : length;
  const auto inside = [&](const Value& value, int64_t otherwise) {
    if (value.is_none()) return otherwise;
    int64_t at = bound(value);
    if (at < 0) at = at < -length ? -1 - length : at;
    return std::clamp(at < 0 ? at + length : at, low, high);
  };
  const int64_t from = inside(start, by < 0 ? high : low), to = inside(stop, by < 0 ? low : high);
  const uint64_t distance = static_cast<uint64_t>(by > 0 ? to - from : from - to);
  const uint64_t stride = by > 0 ? static_cast<uint64_t>(by) : 0 - static_cast<uint64_t>(by);
  const bool empty = by > 0 ? from >= to : from <= to;
  return {from, to, by, empty ? 0 : static_cast<int64_t>((distance - 1) / stride) + 1};
}

Value sliced_text(Heap& heap, const Text& text, Slice slice) {
  if (slice.step == 1 || slice.count <= 1) {
    const auto begin = static_cast<size_t>(std::max<int64_t>(slice.start, 0));
    return text_slice(heap, text, begin, begin + static_cast<size_t>(slice.count));
  }
  const std::string& bytes = text.bytes();
  heap.budget().spend(static_cast<int64_t>(slice.count));
  heap.budget().spend_bytes(bytes.size());
  MarkedText out;
  std::vector<uint32_t> offsets;  // of the characters
  if (!text.is_ascii())
    for (size_t at = 0; at < bytes.size(); next_char(bytes, at)) offsets.push_back(static_cast<uint32_t>(at));
  for (int64_t i = 0, at = slice.start; i < slice.count; ++i, at += slice.step) {
    const size_t begin = text.is_ascii() ? static_cast<size_t>(at) : offsets[static_cast<size_t>(at)];
    size_t end = begin;
    next_char(bytes, end);
    out.append(text.marked(), begin, end);
    if (i + 1 == slice.count) break;
  }
  return make_text(heap, std::move(out), text.is_markup());
}

Value sliced_items(Heap& heap, const Value& value, Slice slice) {
  const std::vector<Value>& all = value.as<Sequence>().items;
  heap.budget().spend(slice.count);
  heap.budget().check_memory(static_cast<size_t>(slice.count) * sizeof(Value));
  std::vector<Value> items;
  items.reserve(static_cast<size_t>(slice.count));
  for (int64_t i = 0, at = slice.start; i < slice.count; ++i) {
    items.push_back(all[static_cast<size_t>(at)]);
    if (i + 1 < slice.count) at += slice.step;
  }
  return value.is(Kind::kList) ? make_list(heap, std::move(items)) : make_tuple(heap, std::move(items));
}

Value sliced_range(Heap& heap, const Range& range, Slice slice) {
  const auto narrow = [](const Integer& value) {
    const auto small = value.small();
    if (!small) raise(ErrorKind::kOverflow, "a range beyond 64 bits");
    return *small;
  };
  const auto at = [&](int64_t index) { return narrow(Integer(range.start) + Integer(index) * Integer(range.step)); };
  return heap.make<Range>(at(slice.start), at(slice.stop), narrow(Integer(range.step) * Integer(slice.step)));
}

}  // namespace

Value joined(Heap& heap, const Text& a, const Text& b) {
  heap.budget().check_text(a.bytes().size() + b.bytes().size());
  MarkedText out = a.marked();
  out.append(b.marked());
  return make_text(heap, std::move(out), a.is_markup());
}

Value repeated(Heap& heap, const Value& sequence, int64_t times) {
  const auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  if (sequence.is_text()) {
    const Text& text = sequence.as<Text>();
    if (count != 0 && text.bytes().size() > heap.budget().limits().output / count) heap.budget().check_text(SIZE_MAX);
    MarkedText out;
    if (text.marked().all_trusted() || text.marked().none_trusted()) {
      std::string bytes;
      bytes.reserve(text.bytes().size() * count);
      for (size_t i = 0; i < count && !text.bytes().empty(); ++i) bytes += text.bytes();
      out = MarkedText(std::move(bytes), text.marked().all_trusted());
    } else {
      for (size_t i = 0; i < count; ++i) out.append(text.marked());
    }
    return make_text(heap, std::move(out), text.is_markup());
  }
  const std::vector<Value>& all = sequence.as<Sequence>().items;
  if (count != 0 && all.size() > heap.budget().limits().memory / count) heap.budget().check_memory(SIZE_MAX);
  heap.budget().check_memory(all.size() * count * sizeof(Value));
  heap.budget().spend(static_cast<int64_t>(all.size() * count));
  std::vector<Value> items;
  items.reserve(all.size() * count);
  for (size_t i = 0; i < count && !all.empty(); ++i) items.insert(items.end(), all.begin(), all.end());
  return sequence.is(Kind::kList) ? make_list(heap, std::move(items)) : make_tuple(heap, std::move(items));
}

Value operate(Heap& heap, Operator op, const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return calculate(heap, op, a, b);
  if (a.is_text() && op == Operator::kMod) return percent_format(heap, a, b);
  if (a.is_undefined()) a.as<Undefined>().fail();
  if (b.is_undefined()) b.as<Undefined>().fail();
  if (op == Operator::kAdd) return add(heap, a, b);
  if (op == Operator::kMul) return multiply(heap, a, b);
  if (a.is(Kind::kView) && op == Operator::kSub) raise(ErrorKind::kUnsupported, "sets are not supported");
  refuse(op, a, b);
}

Value positive(Heap& heap, const Value& value) {
  if (value.is_undefined()) value.as<Undefined>().fail();
  if (value.is_text() && value.as<Text>().is_markup()) return value;
  if (!value.is_number()) raise(ErrorKind::kType, "bad operand type for unary +: '{}'", type_name(value));
  return value.is(Kind::kBool) ? calculate(heap, Operator::kAdd, value, Value::of(int64_t{0})) : value;
}

Value negative(Heap& heap, const Value& value) {
  if (value.is_undefined()) value.as<Undefined>().fail();
  if (!value.is_number()) raise(ErrorKind::kType, "bad operand type for unary -: '{}'", type_name(value));
  return negate(heap, value);
}

Value slice_of(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step) {
  switch (value.kind()) {
    case Kind::kUndefined:
      value.as<Undefined>().fail();
    case Kind::kText: {
      const Text& text = value.as<Text>();
      return sliced_text(heap, text, resolve(start, stop, step, static_cast<int64_t>(text.length())));
    }
    case Kind::kList:
    case Kind::kTuple:
      return sliced_items(heap, value, resolve(start, stop, step, static_cast<int64_t>(value.as<Sequence>().items.size())));
    case Kind::kRange: {
      const Range& range = value.as<Range>();
      return sliced_range(heap, range, resolve(start, stop, step, range.length));
    }
    case Kind::kDict:
      raise(ErrorKind::kType, "unhashable type: 'slice'");
    default:
      raise(ErrorKind::kType, "'{}' object is not subscriptable", type_name(value));
  }
}

}  // namespace skald::jinja
