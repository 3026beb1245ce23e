// text.format(): "{name.attribute[index]!conversion:specification}", in the sandbox.
#include "text/chat/jinja/run/access.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/format.h"

namespace skald::jinja {
namespace {

class BraceFormat {
 public:
  BraceFormat(Heap& heap, const Text& text, const Arguments& arguments, const Value& mapping)
      : heap_(heap), arguments_(arguments), mapping_(mapping), markup_(text.is_markup()) {
    trusted_ = text.marked().all_trusted();
  }

  std::string run(std::string_view text, int depth) {
    if (depth < 0) raise(ErrorKind::kValue, "Max string recursion exceeded");
    std::string out;
    size_t at = 0;
    while (at < text.size()) {
      const char c = text[at++];
      if (c == '{' && at < text.size() && text[at] == '{') {
        out += '{';
        ++at;
      } else if (c == '}') {
        if (at >= text.size() || text[at] != '}') raise(ErrorKind::kValue, "Single '}}' encountered in format string");
        out += '}';
        ++at;
      } else if (c == '{') {
        if (at >= text.size()) raise(ErrorKind::kValue, "Single '{{' encountered in format string");
        out += field(text, at, depth);
      } else {
        out += c;
      }
      heap_.budget().check_text(out.size());
    }
    heap_.budget().spend_bytes(text.size() + out.size());
    return out;
  }

  bool trusted() const { return trusted_; }

 private:
  // `at` is after the brace that opens, and then after the one that closes.
  std::string field(std::string_view text, size_t& at, int depth) {
    const size_t begin = at;
    int open = 1;
    bool in_brackets = false;
    size_t name_end = std::string_view::npos;
    for (; at < text.size() && open > 0; ++at) {
      const char c = text[at];
      if (name_end == std::string_view::npos) {
        if (c == '[') in_brackets = true;
        if (c == ']') in_brackets = false;
        if (in_brackets) continue;
        if (c == '{') raise(ErrorKind::kValue, "unexpected '{{' in field name");
        if (c == '!' || c == ':') name_end = at;
      }
      open += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
    if (open > 0) raise(ErrorKind::kValue, "expected '}}' before end of string");
    const size_t end = at - 1;
    name_end = std::min(name_end, end);
    Value value = lookup(text.substr(begin, name_end - begin));
    std::string_view rest = text.substr(name_end, end - name_end);
    if (!rest.empty() && rest[0] == '!') {
      if (rest.size() < 2) raise(ErrorKind::kValue, "unmatched '{{' in format spec");
      value = converted(value, rest[1]);
      rest.remove_prefix(2);
      if (!rest.empty() && rest[0] != ':') raise(ErrorKind::kValue, "expected ':' after conversion specifier");
    }
    if (!rest.empty()) rest.remove_prefix(1);
    const std::string specification = run(rest, depth - 1);
    if (markup_) value = escaped(heap_, format_value(heap_, value, specification));
    const Value shown = markup_ ? value : format_value(heap_, value, specification);
    trusted_ = trusted_ && is_trusted(shown);
    return shown.as<Text>().bytes();
  }

  Value converted(const Value& value, char conversion) {
    if (conversion == 's') return to_text(heap_, value);
    if (conversion == 'r') return make_text(heap_, repr(value, heap_.budget()));
    if (conversion == 'a') raise(ErrorKind::kUnsupported, "the conversion !a");
    raise(ErrorKind::kValue, "Unknown conversion specifier {}", conversion);
  }

  // "name.attribute[index]"
  Value lookup(std::string_view name) {
    const size_t first_end = std::min(name.find_first_of(".["), name.size());
    Value value = first(name.substr(0, first_end));
    for (size_t at = first_end; at < name.size();) {
      if (name[at] == '.') {
        const size_t end = std::min(name.find_first_of(".[", at + 1), name.size());
        if (end == at + 1) raise(ErrorKind::kValue, "Empty attribute in format string");
        value = get_attribute(heap_, value, name.substr(at + 1, end - at - 1));
        at = end;
      } else if (name[at] == '[') {
        const size_t end = name.find(']', at);
        if (end == std::string_view::npos) raise(ErrorKind::kValue, "Missing ']' in format string");
        if (end == at + 1) raise(ErrorKind::kValue, "Empty attribute in format string");
        value = get_item(heap_, value, index(name.substr(at + 1, end - at - 1)));
        at = end + 1;
      } else {
        raise(ErrorKind::kValue, "Only '.' or '[' may follow ']' in format field specifier");
      }
    }
    return value;
  }

  static bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
  }

  static int64_t number(std::string_view word) {
    if (word.size() > 18) raise(ErrorKind::kValue, "Too many decimal digits in format string");
    return std::stoll(std::string(word));
  }

  Value index(std::string_view word) {
    return is_number(word) ? Value::of(number(word)) : make_text(heap_, std::string(word), true);
  }

  Value first(std::string_view name) {
    if (name.empty() || is_number(name)) {
      const bool automatic = name.empty();
      if ((automatic && manual_) || (!automatic && next_ > 0))
        raise(ErrorKind::kValue, "cannot switch from {} field numbering to {}",
              automatic ? "manual field specification" : "automatic field numbering",
              automatic ? "automatic field numbering" : "manual field specification");
      manual_ = manual_ || !automatic;
      const auto at = static_cast<size_t>(automatic ? next_++ : number(name));
      if (at >= arguments_.positional.size())
        raise(ErrorKind::kIndex, "Replacement index {} out of range for positional args tuple", at);
      return arguments_.positional[at];
    }
    if (!mapping_.is_missing()) {
      const Value* value = mapping_.is(Kind::kDict) ? mapping_.as<Dict>().find(name) : nullptr;
      if (!value) raise(ErrorKind::kKey, "'{}'", name.substr(0, 100));
      return *value;
    }
    for (const auto& [key, value] : arguments_.named)
      if (key == name) return value;
    raise(ErrorKind::kKey, "'{}'", name.substr(0, 100));
  }

  Heap& heap_;
  const Arguments& arguments_;
  const Value& mapping_;
  bool markup_, trusted_, manual_ = false;
  int64_t next_ = 0;
};

}  // namespace

Value brace_format(Heap& heap, const Value& text, const Arguments& arguments, const Value& mapping) {
  const Text& self = text.as<Text>();
  BraceFormat format(heap, self, arguments, mapping);
  std::string out = format.run(self.bytes(), 2);
  return make_text(heap, MarkedText(std::move(out), format.trusted()), self.is_markup());
}

}  // namespace skald::jinja
