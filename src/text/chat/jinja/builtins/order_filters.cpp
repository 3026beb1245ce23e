// Filters that compare items: sort, dictsort, unique, groupby, min, max.
#include <algorithm>
#include <numeric>

#include "text/chat/jinja/builtins/attributes.h"
#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/methods/text_parts.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/values/numbers.h"

namespace skald::jinja {
namespace {

bool flag(const Value& value) { return !value.is_missing() && truth(value); }

// Items in the order of their keys; equal ones stay as they were.
std::vector<Value> sorted(Interpreter& in, const std::vector<Value>& items, const std::vector<Value>& keys, bool reverse) {
  std::vector<size_t> places(items.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::stable_sort(places, [&](size_t a, size_t b) {
    return reverse ? less(keys[b], keys[a], in.budget()) : less(keys[a], keys[b], in.budget());
  });
  std::vector<Value> out;
  out.reserve(items.size());
  for (size_t place : places) out.push_back(items[place]);
  return out;
}

Value sort(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("sort", arguments, {"reverse", "case_sensitive", "attribute"}, 0);
  Heap& heap = in.heap();
  std::vector<AttributePath> paths;
  if (a[2].is_text()) {
    const Text& text = a[2].as<Text>();
    const std::string comma = ",";
    for (const Part& part : split(text.bytes(), &comma, -1, false, in.budget()))
      paths.emplace_back(heap, part_of(heap, text, part));
  } else {
    paths.emplace_back(heap, a[2]);
  }
  const std::vector<Value> items = items_of(heap, operand);
  std::vector<Value> keys;
  for (const Value& item : items) {
    std::vector<Value> key;
    for (const AttributePath& path : paths) {
      const Value part = path.of(item);
      key.push_back(flag(a[1]) ? part : without_case(heap, part));
    }
    keys.push_back(make_list(heap, std::move(key)));
  }
  return make_list(heap, sorted(in, items, keys, flag(a[0])));
}

Value dict_sort(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("dictsort", arguments, {"case_sensitive", "by", "reverse"}, 0);
  Heap& heap = in.heap();
  const std::string by = a[1].is_missing() ? "key" : a[1].is_text() ? a[1].as<Text>().bytes() : "";
  if (by != "key" && by != "value") raise(ErrorKind::kFilterArgument, "You can only sort by either \"key\" or \"value\"");
  if (operand.is_undefined()) operand.as<Undefined>().fail();
  if (!operand.is(Kind::kDict)) raise(ErrorKind::kAttribute, "'{}' object has no attribute 'items'", type_name(operand));
  std::vector<Value> items, keys;
  for (const auto& [key, value] : operand.as<Dict>().entries()) {
    items.push_back(make_tuple(heap, {key, value}));
    const Value& chosen = by == "key" ? key : value;
    keys.push_back(flag(a[0]) ? chosen : without_case(heap, chosen));
  }
  return make_list(heap, sorted(in, items, keys, flag(a[2])));
}

// Items whose key did not come before, as they are asked for.
class UniqueItems final : public Iterator {
 public:
  UniqueItems(Ref<Iterator> items, AttributePath path, bool case_sensitive, Ref<Dict> seen)
      : items_(std::move(items)), path_(std::move(path)), case_sensitive_(case_sensitive), seen_(std::move(seen)) {}
  bool next(Value& out) override {
    heap().budget().check_depth();
    while (items_->next(out)) {
      Value key = path_.of(out);
      if (!case_sensitive_) key = without_case(heap(), key);
      if (seen_->find(key)) continue;
      seen_->set(std::move(key), Value::none());
      return true;
    }
    return false;
  }

 private:
  Ref<Iterator> items_;
  AttributePath path_;
  bool case_sensitive_;
  Ref<Dict> seen_;
};

Value unique(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("unique", arguments, {"case_sensitive", "attribute"}, 0);
  Heap& heap = in.heap();
  return heap.make<UniqueItems>(iterate(heap, operand), AttributePath(heap, a[1]), flag(a[0]), heap.make<Dict>());
}

Value make_group(Heap& heap, Value key, std::vector<Value> items) {
  return heap.make<Sequence>(Kind::kTuple, std::vector<Value>{std::move(key), make_list(heap, std::move(items))}, true);
}

Value group_by(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("groupby", arguments, {"attribute", "default", "case_sensitive"}, 1);
  Heap& heap = in.heap();
  const AttributePath path(heap, a[0]);
  const bool case_sensitive = flag(a[2]);
  const auto key_of = [&](const Value& item) {
    const Value key = path.of(item, a[1]);
    return case_sensitive ? key : without_case(heap, key);
  };
  const std::vector<Value> items = items_of(heap, operand);
  std::vector<Value> keys;
  for (const Value& item : items) keys.push_back(key_of(item));
  std::vector<Value> out, group;
  Value key;
  const auto close = [&] {
    if (group.empty()) return;
    const Value shown = case_sensitive ? key : path.of(group[0], a[1]);
    out.push_back(make_group(heap, shown, std::exchange(group, {})));
  };
  for (const Value& item : sorted(in, items, keys, false)) {
    const Value own = key_of(item);
    if (!group.empty() && !equal(own, key, in.budget())) close();
    key = own;
    group.push_back(item);
  }
  close();
  return make_list(heap, std::move(out));
}

template <bool largest>
Value extreme(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind(largest ? "max" : "min", arguments, {"case_sensitive", "attribute"}, 0);
  Heap& heap = in.heap();
  const AttributePath path(heap, a[1]);
  const Ref<Iterator> items = iterate(heap, operand);
  Value best, best_key;
  for (Value item; items->next(item);) {
    Value key = path.of(item);
    if (!flag(a[0])) key = without_case(heap, key);
    const bool better =
        best_key.is_missing() || order(key, best_key, largest ? ">" : "<", in.budget()) == (largest ? 1 : -1);
    if (!better) continue;
    best = item;
    best_key = std::move(key);
  }
  return best.is_missing() ? make_undefined(heap, "No aggregated item, sequence was empty.") : best;
}

constexpr Builtin kFilters[] = {
    {"sort", sort},        {"dictsort", dict_sort}, {"unique", unique},
    {"groupby", group_by}, {"min", extreme<false>}, {"max", extreme<true>},
};

}  // namespace

std::span<const Builtin> order_filters() { return kFilters; }

}  // namespace skald::jinja
