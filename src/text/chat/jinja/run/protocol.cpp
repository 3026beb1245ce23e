#include "text/chat/jinja/run/protocol.h"

#include "text/chat/jinja/run/function.h"
#include "text/chat/jinja/run/loop_object.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

class TextIterator final : public Iterator {
 public:
  explicit TextIterator(Ref<Text> text) : text_(std::move(text)) {}
  bool next(Value& out) override {
    if (at_ >= text_->bytes().size()) return false;
    const size_t begin = at_;
    next_char(text_->bytes(), at_);
    heap().budget().step();
    out = make_text(heap(), text_->marked().slice(begin, at_));  // of Markup too: str
    return true;
  }
  std::string_view name() const override { return "str_iterator"; }

 private:
  Ref<Text> text_;
  size_t at_ = 0;
};

class SequenceIterator final : public Iterator {
 public:
  SequenceIterator(Ref<Sequence> items, bool backwards) : items_(std::move(items)), backwards_(backwards) {}
  bool next(Value& out) override {
    const size_t count = items_->items.size();
    if (at_ >= count) return false;
    heap().budget().step();
    out = items_->items[backwards_ ? count - 1 - at_ : at_];
    ++at_;
    return true;
  }
  std::string_view name() const override { return backwards_ ? "list_reverseiterator" : "list_iterator"; }

 private:
  Ref<Sequence> items_;
  bool backwards_;
  size_t at_ = 0;
};

class EntryIterator final : public Iterator {
 public:
  EntryIterator(Ref<Dict> dict, View::Part part, bool backwards)
      : dict_(std::move(dict)), part_(part), backwards_(backwards) {}
  bool next(Value& out) override {
    const size_t count = dict_->size();
    if (at_ >= count) return false;
    heap().budget().step();
    const auto& [key, value] = dict_->entries()[backwards_ ? count - 1 - at_ : at_];
    ++at_;
    if (part_ == View::Part::kItems)
      out = make_tuple(heap(), {key, value});
    else
      out = part_ == View::Part::kKeys ? key : value;
    return true;
  }
  std::string_view name() const override { return "dict_keyiterator"; }

 private:
  Ref<Dict> dict_;
  View::Part part_;
  bool backwards_;
  size_t at_ = 0;
};

class RangeIterator final : public Iterator {
 public:
  RangeIterator(Ref<Range> range, bool backwards) : range_(std::move(range)), backwards_(backwards) {}
  bool next(Value& out) override {
    if (at_ >= range_->length) return false;
    heap().budget().step();
    out = Value::of(range_->at(backwards_ ? range_->length - 1 - at_ : at_));
    ++at_;
    return true;
  }
  std::string_view name() const override { return "range_iterator"; }

 private:
  Ref<Range> range_;
  bool backwards_;
  int64_t at_ = 0;
};

class EmptyIterator final : public Iterator {
 public:
  bool next(Value&) override { return false; }
};

Ref<Iterator> iterator_of(Heap& heap, const Value& value, bool backwards) {
  switch (value.kind()) {
    case Kind::kList:
    case Kind::kTuple:
      return heap.make<SequenceIterator>(Ref<Sequence>(&value.as<Sequence>()), backwards);
    case Kind::kDict:
      return heap.make<EntryIterator>(Ref<Dict>(&value.as<Dict>()), View::Part::kKeys, backwards);
    case Kind::kView:
      return heap.make<EntryIterator>(value.as<View>().dict, value.as<View>().part, backwards);
    case Kind::kRange:
      return heap.make<RangeIterator>(Ref<Range>(&value.as<Range>()), backwards);
    default:
      return {};
  }
}

}  // namespace

std::string type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kMissing:
      return "missing";
    case Kind::kUndefined:
      return "Undefined";
    case Kind::kNone:
      return "NoneType";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
    case Kind::kBigInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kText:
      return value.as<Text>().is_markup() ? "Markup" : "str";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return value.as<Sequence>().is_group ? "_GroupTuple" : "tuple";
    case Kind::kDict:
      return "dict";
    case Kind::kRange:
      return "range";
    case Kind::kView:
      return value.as<View>().part == View::Part::kKeys    ? "dict_keys"
             : value.as<View>().part == View::Part::kItems ? "dict_items"
                                                           : "dict_values";
    case Kind::kNamespace:
      return "TemplateNamespace";
    case Kind::kLoop:
      return "LoopContext";
    case Kind::kFunction:
      return std::string(value.as<Function>().type());
    case Kind::kIterator:
      return std::string(value.as<Iterator>().name());
    case Kind::kOther:
      return "object";
  }
  return "object";
}

bool truth(const Value& value) {
  switch (value.kind()) {
    case Kind::kMissing:
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
    case Kind::kInt:
      return value.integer() != 0;
    case Kind::kFloat:
      return value.real() != 0;
    case Kind::kText:
      return !value.as<Text>().bytes().empty();
    case Kind::kList:
    case Kind::kTuple:
      return !value.as<Sequence>().items.empty();
    case Kind::kDict:
      return value.as<Dict>().size() != 0;
    case Kind::kRange:
      return value.as<Range>().length != 0;
    case Kind::kView:
      return value.as<View>().dict->size() != 0;
    case Kind::kLoop:
      return value.as<LoopObject>().length() != 0;
    default:
      return true;
  }
}

std::optional<int64_t> find_length(const Value& value) {
  switch (value.kind()) {
    case Kind::kText:
      return static_cast<int64_t>(value.as<Text>().length());
    case Kind::kList:
    case Kind::kTuple:
      return static_cast<int64_t>(value.as<Sequence>().items.size());
    case Kind::kDict:
      return static_cast<int64_t>(value.as<Dict>().size());
    case Kind::kRange:
      return value.as<Range>().length;
    case Kind::kView:
      return static_cast<int64_t>(value.as<View>().dict->size());
    case Kind::kUndefined:
      return 0;
    case Kind::kLoop:
      return value.as<LoopObject>().length();
    default:
      return std::nullopt;
  }
}

int64_t length_of(const Value& value) {
  const auto length = find_length(value);
  if (!length) raise(ErrorKind::kType, "object of type '{}' has no len()", type_name(value));
  return *length;
}

Ref<Iterator> find_iterator(Heap& heap, const Value& value) {
  switch (value.kind()) {
    case Kind::kText:
      return heap.make<TextIterator>(Ref<Text>(&value.as<Text>()));
    case Kind::kUndefined:
      return heap.make<EmptyIterator>();
    case Kind::kIterator:
      return Ref<Iterator>(&value.as<Iterator>());
    case Kind::kLoop:
      return value.as<LoopObject>().pairs(heap);
    default:
      return iterator_of(heap, value, false);
  }
}

Ref<Iterator> iterate(Heap& heap, const Value& value) {
  Ref<Iterator> out = find_iterator(heap, value);
  if (!out) raise(ErrorKind::kType, "'{}' object is not iterable", type_name(value));
  return out;
}

std::vector<Value> items_of(Heap& heap, const Value& value) {
  if (value.is_sequence()) {
    heap.budget().spend(static_cast<int64_t>(value.as<Sequence>().items.size()));
    heap.budget().check_memory(value.as<Sequence>().items.size() * sizeof(Value));
    return value.as<Sequence>().items;
  }
  const Ref<Iterator> it = iterate(heap, value);
  std::vector<Value> out;
  for (Value v; it->next(v);) {
    out.push_back(std::move(v));
    if (out.size() % 1024 == 0) heap.budget().check_memory(out.size() * sizeof(Value) * 2);
    heap.budget().step();
  }
  return out;
}

Ref<Iterator> find_reverse_iterator(Heap& heap, const Value& value) {
  if (value.is_undefined()) return heap.make<EmptyIterator>();
  return iterator_of(heap, value, true);
}

bool iterated_contains(const Value& container, const Value& item, Budget& budget) {
  if (!container.is_object() || (!container.is(Kind::kIterator) && !container.is(Kind::kLoop)))
    raise(ErrorKind::kType, "argument of type '{}' is not iterable", type_name(container));
  const Ref<Iterator> it = iterate(container.object()->heap(), container);
  for (Value v; it->next(v);)
    if (v.same(item) || equal(v, item, budget)) return true;
  return false;
}

Value make_text(Heap& heap, MarkedText text, bool markup) {
  heap.budget().check_text(text.size());
  heap.budget().spend_bytes(text.size());
  const size_t bytes = text.size();
  return heap.make_sized<Text>(bytes, std::move(text), markup);
}

Value make_integer(Heap& heap, Integer value) {
  if (const auto small = value.small()) return Value::of(*small);
  const size_t bytes = value.bits() / 8;
  heap.budget().spend_bytes(bytes);
  return heap.make_sized<BigInt>(bytes, std::move(value));
}

Value make_list(Heap& heap, std::vector<Value> items) {
  const size_t bytes = items.size() * sizeof(Value);
  return heap.make_sized<Sequence>(bytes, Kind::kList, std::move(items), false);
}

Value make_tuple(Heap& heap, std::vector<Value> items) {
  const size_t bytes = items.size() * sizeof(Value);
  return heap.make_sized<Sequence>(bytes, Kind::kTuple, std::move(items), false);
}

Value make_undefined(Heap& heap, std::string message, ErrorKind kind) {
  const size_t bytes = message.size();
  return heap.make_sized<Undefined>(bytes, std::move(message), kind);
}

Value text_slice(Heap& heap, const Text& text, size_t begin, size_t end) {
  heap.budget().spend_bytes(text.is_ascii() ? 0 : text.bytes().size());
  return make_text(heap, text.marked().slice(text.offset(begin), text.offset(end)), text.is_markup());
}

}  // namespace skald::jinja
