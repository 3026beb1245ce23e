#include "text/chat/jinja/builtins/pretty.h"

#include <algorithm>

#include "text/chat/jinja/methods/text_parts.h"
#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

constexpr int64_t kWidth = 80;

// The value with all its dicts sorted by key; keys of different types by the names of these.
Value sorted(Heap& heap, const Value& value) {
  heap.budget().check_depth();
  heap.budget().step();
  if (value.is_sequence()) {
    std::vector<Value> items;
    for (const Value& item : value.as<Sequence>().items) items.push_back(sorted(heap, item));
    return value.is(Kind::kList) ? make_list(heap, std::move(items)) : make_tuple(heap, std::move(items));
  }
  if (!value.is(Kind::kDict)) return value;
  Dict::Entries entries = value.as<Dict>().entries();
  std::ranges::stable_sort(entries, [&heap](const auto& a, const auto& b) {
    try {
      return less(a.first, b.first, heap.budget());
    } catch (const Failure& failure) {
      if (!failure.is(ErrorKind::kType)) throw;
      return type_name(a.first) < type_name(b.first);
    }
  });
  const Ref<Dict> out = heap.make<Dict>();
  for (const auto& [key, item] : entries) out->set(key, sorted(heap, item));
  return out;
}

class PrettyWriter {
 public:
  explicit PrettyWriter(Budget& budget) : budget_(budget) {}

  void write(const Value& value, int64_t indent, int64_t allowance, int level) {
    budget_.check_depth();
    const Shown flat = repr(value, budget_);
    out.trusted = out.trusted && flat.trusted;
    if (static_cast<int64_t>(count_chars(flat.text)) <= kWidth - indent - allowance) {
      out.text += flat.text;
    } else if (value.is(Kind::kDict) && value.as<Dict>().size() > 0) {
      write_dict(value.as<Dict>(), indent, allowance, level + 1);
    } else if (value.is_sequence() && !value.as<Sequence>().items.empty()) {
      write_items(value, indent, allowance, level + 1);
    } else if (value.is_text() && !value.as<Text>().bytes().empty() && !value.as<Text>().is_markup()) {
      write_text(value.as<Text>(), indent, allowance, level + 1);
    } else {
      out.text += flat.text;
    }
    budget_.check_text(out.text.size());
  }

  Shown out;

 private:
  void new_line(int64_t indent) {
    budget_.spend_bytes(static_cast<size_t>(indent));
    out.text += '\n';
    out.text.append(static_cast<size_t>(indent), ' ');
  }

  void write_dict(const Dict& dict, int64_t indent, int64_t allowance, int level) {
    out.text += '{';
    for (size_t i = 0; i < dict.size(); ++i) {
      const bool last = i + 1 == dict.size();
      const auto& [key, value] = dict.entries()[i];
      const Shown name = repr(key, budget_);
      out.text += name.text + ": ";
      write(value, indent + 1 + static_cast<int64_t>(count_chars(name.text)) + 2, last ? allowance + 1 : 1, level);
      if (last) continue;
      out.text += ',';
      new_line(indent + 1);
    }
    out.text += '}';
  }

  void write_items(const Value& value, int64_t indent, int64_t allowance, int level) {
    const std::vector<Value>& items = value.as<Sequence>().items;
    const bool list = value.is(Kind::kList);
    const std::string_view close = list ? "]" : items.size() == 1 ? ",)" : ")";
    out.text += list ? '[' : '(';
    for (size_t i = 0; i < items.size(); ++i) {
      const bool last = i + 1 == items.size();
      write(items[i], indent + 1, last ? allowance + static_cast<int64_t>(close.size()) : 1, level);
      if (last) continue;
      out.text += ',';
      new_line(indent + 1);
    }
    out.text += close;
  }

  static int64_t width_of(std::string_view text) { return static_cast<int64_t>(count_chars(text)); }

  // A word with the blanks after it.
  static size_t word_end(std::string_view line, size_t at) {
    bool blank = false;
    while (at < line.size()) {
      size_t next = at;
      const bool space = is_space(next_char(line, next));
      if (blank && !space) break;
      blank = blank || space;
      at = next;
    }
    return at;
  }

  // Long texts become several that Python puts together again.
  void write_text(const Text& text, int64_t indent, int64_t allowance, int level) {
    if (level == 1) {
      ++indent;
      ++allowance;
    }
    std::vector<std::string> chunks;
    std::string last_line;
    const std::vector<Part> lines = split_lines(text.bytes(), true, budget_);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string_view line = std::string_view(text.bytes()).substr(lines[i].first, lines[i].second - lines[i].first);
      const bool last = i + 1 == lines.size();
      last_line = in_quotes(line);
      if (width_of(last_line) <= kWidth - indent - (last ? allowance : 0)) {
        chunks.push_back(last_line);
        continue;
      }
      std::string current;
      for (size_t at = 0; at < line.size();) {
        const size_t end = word_end(line, at);
        const std::string candidate = current + std::string(line.substr(at, end - at));
        const int64_t room = kWidth - indent - (last && end == line.size() ? allowance : 0);
        budget_.spend_bytes(candidate.size());
        if (width_of(in_quotes(candidate)) > room) {
          if (!current.empty()) chunks.push_back(in_quotes(current));
          current = line.substr(at, end - at);
        } else {
          current = candidate;
        }
        at = end;
      }
      if (!current.empty()) chunks.push_back(in_quotes(current));
    }
    if (chunks.size() == 1) {
      out.text += last_line;
      return;
    }
    if (level == 1) out.text += '(';
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (i) new_line(indent);
      out.text += chunks[i];
    }
    if (level == 1) out.text += ')';
  }

  Budget& budget_;
};

}  // namespace

Shown pretty_text(Heap& heap, const Value& value) {
  PrettyWriter writer(heap.budget());
  writer.write(sorted(heap, value), 0, 0, 0);
  return std::move(writer.out);
}

}  // namespace skald::jinja
