// Filters for HTML and addresses: escape, safe, striptags, urlencode, xmlattr.
#include <algorithm>

#include "text/chat/jinja/builtins/html.h"
#include "text/chat/jinja/builtins/registry.h"
#include "text/chat/jinja/methods/text_parts.h"
#include "text/chat/jinja/run/interpreter.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/values/show.h"

namespace skald::jinja {
namespace {

Value as_markup(Heap& heap, const Value& value, bool markup) {
  const Value text = to_text(heap, value);
  return make_text(heap, text.as<Text>().marked(), markup);
}

Value escape(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("escape", arguments, {}, 0);
  return escaped(in.heap(), operand);
}

Value force_escape(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("forceescape", arguments, {}, 0);
  return escaped(in.heap(), as_markup(in.heap(), operand, false));
}

Value safe(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("safe", arguments, {}, 0);
  return as_markup(in.heap(), operand, true);
}

Value strip_tags(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("striptags", arguments, {}, 0);
  const Value text = to_text(in.heap(), operand);
  return make_text(in.heap(), without_tags(text.as<Text>().bytes(), in.budget()), is_trusted(text));
}

Value quoted_pairs(Interpreter& in, const std::vector<Value>& pairs) {
  Heap& heap = in.heap();
  Shown out;
  for (const Value& pair : pairs) {
    const std::vector<Value> parts = items_of(heap, pair);
    if (parts.size() != 2) raise(ErrorKind::kValue, "not enough values to unpack (expected 2, got {})", parts.size());
    if (!out.text.empty()) out.text += '&';
    for (size_t i = 0; i < 2; ++i) {
      const Value text = to_text(heap, parts[i]);
      out.trusted = out.trusted && is_trusted(text);
      if (i) out.text += '=';
      out.text += url_quoted(text.as<Text>().bytes(), true, in.budget());
    }
  }
  return make_text(heap, std::move(out));
}

Value url_encode(Interpreter& in, const Value& operand, Arguments& arguments) {
  bind("urlencode", arguments, {}, 0);
  Heap& heap = in.heap();
  if (operand.is(Kind::kDict))
    return quoted_pairs(in, items_of(heap, heap.make<View>(Ref<Dict>(&operand.as<Dict>()), View::Part::kItems)));
  if (!operand.is_text() && find_iterator(heap, operand)) return quoted_pairs(in, items_of(heap, operand));
  const Value text = to_text(heap, operand);
  return make_text(heap, url_quoted(text.as<Text>().bytes(), false, in.budget()), is_trusted(text));
}

Value xml_attributes(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("xmlattr", arguments, {"autospace"}, 0);
  if (operand.is_undefined()) operand.as<Undefined>().fail();
  if (!operand.is(Kind::kDict)) raise(ErrorKind::kAttribute, "'{}' object has no attribute 'items'", type_name(operand));
  Shown out;
  for (const auto& [key, value] : operand.as<Dict>().entries()) {
    if (value.is_none() || value.is_undefined()) continue;
    if (!key.is_text()) raise(ErrorKind::kType, "expected string or bytes-like object, got '{}'", type_name(key));
    if (key.as<Text>().bytes().find_first_of(" \t\n\r\f\v/>=") != std::string::npos)
      raise(ErrorKind::kValue, "Invalid character in attribute name: {}", repr(key, in.budget()).text.substr(0, 100));
    const Value name = escaped(in.heap(), key), text = escaped(in.heap(), value);
    out.trusted = out.trusted && is_trusted(name) && is_trusted(text);
    if (!out.text.empty()) out.text += ' ';
    out.text += fmt::format("{}=\"{}\"", name.as<Text>().bytes(), text.as<Text>().bytes());
    in.budget().check_text(out.text.size());
  }
  if ((a[0].is_missing() || truth(a[0])) && !out.text.empty()) out.text = fmt::format(" {}", out.text);
  return make_text(in.heap(), MarkedText(std::move(out.text), out.trusted), in.escapes());
}

Value url_ize(Interpreter& in, const Value& operand, Arguments& arguments) {
  const auto a = bind("urlize", arguments, {"trim_url_limit", "nofollow", "target", "rel", "extra_schemes"}, 0);
  LinkOptions options;
  const auto text_of = [](const Value& v) { return v.is_text() ? v.as<Text>().bytes() : std::string(); };
  if (!a[0].is_missing() && !a[0].is_none()) options.most_shown = index_of(a[0]);
  std::vector<std::string> words = {"noopener"};
  if (!a[1].is_missing() && truth(a[1])) words.emplace_back("nofollow");
  const std::string rel = text_of(a[3]);
  for (const auto& [begin, end] : split(rel, nullptr, -1, false, in.budget()))
    words.push_back(rel.substr(begin, end - begin));
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  for (const std::string& word : words) options.rel.append(options.rel.empty() ? 0 : 1, ' ').append(word);
  options.target = text_of(a[2]);
  if (!a[4].is_missing() && !a[4].is_none()) raise(ErrorKind::kUnsupported, "urlize with extra_schemes");
  const Value text = escaped(in.heap(), operand);
  return make_text(in.heap(), MarkedText(with_links(text.as<Text>().bytes(), options, in.budget()), is_trusted(text)),
                   in.escapes());
}

constexpr Builtin kFilters[] = {
    {"e", escape},
    {"escape", escape},
    {"forceescape", force_escape},
    {"safe", safe},
    {"striptags", strip_tags},
    {"urlencode", url_encode},
    {"xmlattr", xml_attributes},
    {"urlize", url_ize},
};

}  // namespace

std::span<const Builtin> html_filters() { return kFilters; }

}  // namespace skald::jinja
