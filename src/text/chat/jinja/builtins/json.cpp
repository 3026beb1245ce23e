#include "text/chat/jinja/builtins/json.h"

#include <algorithm>
#include <cmath>

#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/values/numbers.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

class JsonWriter {
 public:
  JsonWriter(const JsonStyle& style, Budget& budget) : style_(style), budget_(budget) {}

  void write(const Value& value, size_t level) {
    budget_.check_depth();
    budget_.step();
    switch (value.kind()) {
      case Kind::kNone:
        put("null");
        break;
      case Kind::kBool:
        put(value.boolean() ? "true" : "false");
        break;
      case Kind::kInt:
      case Kind::kBigInt:
        put(integer_text(value));
        break;
      case Kind::kFloat:
        put(number(value.real()));
        break;
      case Kind::kText:
        write_text(value.as<Text>());
        break;
      case Kind::kList:
      case Kind::kTuple:
        write_items(value.as<Sequence>().items, level);
        break;
      case Kind::kDict:
        write_dict(value.as<Dict>(), level);
        break;
      default:
        raise(ErrorKind::kType, "Object of type {} is not JSON serializable", type_name(value));
    }
  }

  Shown out;

 private:
  void put(std::string_view text) {
    out.text += text;
    budget_.check_text(out.text.size());
  }

  static std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    return float_text(value);
  }

  void new_line(size_t level) {
    if (!style_.indent) return;
    budget_.check_text(out.text.size() + style_.indent->size() * level);
    budget_.spend_bytes(style_.indent->size() * level);
    out.text += '\n';
    for (size_t i = 0; i < level; ++i) out.text += *style_.indent;
  }

  void put_escape(char32_t c) { put(fmt::format("\\u{:04x}", static_cast<uint32_t>(c))); }

  void write_text(const Text& text) {
    out.trusted = out.trusted && text.marked().all_trusted();
    budget_.spend_bytes(text.bytes().size());
    out.text += '"';
    for (size_t at = 0; at < text.bytes().size();) {
      const size_t begin = at;
      const char32_t c = next_char(text.bytes(), at);
      switch (c) {
        case '"':
          out.text += "\\\"";
          break;
        case '\\':
          out.text += "\\\\";
          break;
        case '\n':
          out.text += "\\n";
          break;
        case '\r':
          out.text += "\\r";
          break;
        case '\t':
          out.text += "\\t";
          break;
        case '\f':
          out.text += "\\f";
          break;
        case '\b':
          out.text += "\\b";
          break;
        default:
          if (c < 0x20 || (style_.ascii && c > 0x7F && c < 0x10000)) {
            put_escape(c);
          } else if (style_.ascii && c >= 0x10000) {
            put_escape(0xD800 + ((c - 0x10000) >> 10));
            put_escape(0xDC00 + ((c - 0x10000) & 0x3FF));
          } else {
            out.text.append(text.bytes(), begin, at - begin);
          }
      }
    }
    put("\"");
  }

  void write_items(const std::vector<Value>& items, size_t level) {
    if (items.empty()) return put("[]");
    put("[");
    for (size_t i = 0; i < items.size(); ++i) {
      if (i) put(style_.between_items);
      new_line(level + 1);
      write(items[i], level + 1);
    }
    new_line(level);
    put("]");
  }

  void write_key(const Value& key) {
    if (key.is_text()) return write_text(key.as<Text>());
    std::string text;
    if (key.is_none())
      text = "null";
    else if (key.is(Kind::kBool))
      text = key.boolean() ? "true" : "false";
    else if (key.is_integer())
      text = integer_text(key);
    else if (key.is(Kind::kFloat))
      text = number(key.real());
    else
      raise(ErrorKind::kType, "keys must be str, int, float, bool or None, not {}", type_name(key));
    put("\"" + text + "\"");
  }

  void write_dict(const Dict& dict, size_t level) {
    if (dict.size() == 0) return put("{}");
    std::vector<const std::pair<Value, Value>*> entries;
    for (const auto& entry : dict.entries()) entries.push_back(&entry);
    if (style_.sort_keys)
      std::ranges::stable_sort(entries, [this](const auto* a, const auto* b) { return less(a->first, b->first, budget_); });
    put("{");
    bool first = true;
    for (const auto* entry : entries) {
      if (!first) put(style_.between_items);
      first = false;
      new_line(level + 1);
      write_key(entry->first);
      put(style_.after_key);
      write(entry->second, level + 1);
    }
    new_line(level);
    put("}");
  }

  const JsonStyle& style_;
  Budget& budget_;
};

}  // namespace

Shown json_text(const Value& value, const JsonStyle& style, Budget& budget) {
  JsonWriter writer(style, budget);
  writer.write(value, 0);
  return std::move(writer.out);
}

}  // namespace skald::jinja
