#include "text/chat/jinja/values/show.h"

#include "text/chat/jinja/run/function.h"
#include "text/chat/jinja/run/loop_object.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

void append_items(Shown& out, const std::vector<Value>& items, Budget& budget) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) out.text += ", ";
    append_repr(out, items[i], budget);
  }
}

void append_dict(Shown& out, const Dict& dict, Budget& budget) {
  out.text += '{';
  bool first = true;
  for (const auto& [key, value] : dict.entries()) {
    if (!first) out.text += ", ";
    first = false;
    append_repr(out, key, budget);
    out.text += ": ";
    append_repr(out, value, budget);
  }
  out.text += '}';
}

void append_view(Shown& out, const View& view, Budget& budget) {
  const bool items = view.part == View::Part::kItems;
  out.text += view.part == View::Part::kKeys ? "dict_keys([" : items ? "dict_items([" : "dict_values([";
  bool first = true;
  for (const auto& [key, value] : view.dict->entries()) {
    if (!first) out.text += ", ";
    first = false;
    if (items) out.text += '(';
    if (view.part != View::Part::kValues) append_repr(out, key, budget);
    if (items) out.text += ", ";
    if (view.part != View::Part::kKeys) append_repr(out, value, budget);
    if (items) out.text += ')';
  }
  out.text += "])";
}

void append_sequence(Shown& out, const Value& value, Budget& budget) {
  const std::vector<Value>& items = value.as<Sequence>().items;
  const bool list = value.is(Kind::kList);
  out.text += list ? '[' : '(';
  append_items(out, items, budget);
  out.text += list ? "]" : items.size() == 1 ? ",)" : ")";
}

void append_range(Shown& out, const Range& range) {
  out.text += range.step == 1 ? fmt::format("range({}, {})", range.start, range.stop)
                              : fmt::format("range({}, {}, {})", range.start, range.stop, range.step);
}

void append_quoted(Shown& out, const Text& text, Budget& budget) {
  budget.spend_bytes(text.bytes().size());
  out.trusted = out.trusted && text.marked().all_trusted();
  out.text += text.is_markup() ? "Markup(" + in_quotes(text.bytes()) + ")" : in_quotes(text.bytes());
}

void append_namespace(Shown& out, const Namespace& names, Budget& budget) {
  out.text += "<Namespace ";
  append_dict(out, *names.attributes, budget);
  out.text += '>';
}

}  // namespace

void append_repr(Shown& out, const Value& value, Budget& budget) {
  budget.step();
  budget.check_depth();
  switch (value.kind()) {
    case Kind::kMissing:
      out.text += "missing";
      break;
    case Kind::kUndefined:
      out.text += "Undefined";
      break;
    case Kind::kNone:
      out.text += "None";
      break;
    case Kind::kBool:
      out.text += value.boolean() ? "True" : "False";
      break;
    case Kind::kInt:
    case Kind::kBigInt:
      out.text += integer_text(value);
      break;
    case Kind::kFloat:
      out.text += float_text(value.real());
      break;
    case Kind::kText:
      append_quoted(out, value.as<Text>(), budget);
      break;
    case Kind::kList:
    case Kind::kTuple:
      append_sequence(out, value, budget);
      break;
    case Kind::kDict:
      append_dict(out, value.as<Dict>(), budget);
      break;
    case Kind::kRange:
      append_range(out, value.as<Range>());
      break;
    case Kind::kView:
      append_view(out, value.as<View>(), budget);
      break;
    case Kind::kNamespace:
      append_namespace(out, value.as<Namespace>(), budget);
      break;
    case Kind::kLoop:
      out.text += value.as<LoopObject>().text();
      break;
    case Kind::kFunction:
      out.text += value.as<Function>().text();
      break;
    case Kind::kIterator:
      out.text += fmt::format("<{}>", value.as<Iterator>().name());
      break;
    case Kind::kOther:
      out.text += "<object>";
      break;
  }
  budget.check_text(out.text.size());
}

Shown repr(const Value& value, Budget& budget) {
  Shown out;
  append_repr(out, value, budget);
  return out;
}

Value to_text(Heap& heap, const Value& value) {
  if (value.is_text()) return value;
  if (value.is_undefined()) return make_text(heap, "", true);
  return make_text(heap, repr(value, heap.budget()));
}

void append_text(MarkedText& out, const Value& value, Heap& heap) {
  Budget& budget = heap.budget();
  if (value.is_text()) {
    const MarkedText& text = value.as<Text>().marked();
    budget.check_text(out.size() + text.size());
    budget.spend_bytes(text.size());
    out.append(text);
  } else if (!value.is_undefined()) {
    const Shown text = repr(value, budget);
    budget.check_text(out.size() + text.text.size());
    out.append(text.text, text.trusted);
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Value escaped(Heap& heap, const Value& value) {
  const Value text = to_text(heap, value);
  if (text.as<Text>().is_markup()) return text;
  const MarkedText& marked = text.as<Text>().marked();
  return make_text(heap, MarkedText(escaped(marked.bytes()), marked.all_trusted()), true);
}

}  // namespace skald::jinja
