#include "text/chat/jinja/methods/text_parts.h"

#include <algorithm>

#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

bool is_among(char32_t c, std::string_view chars) {
  for (size_t at = 0; at < chars.size();)
    if (next_char(chars, at) == c) return true;
  return false;
}

std::vector<Part> split_at_blanks(std::string_view text, int64_t most, Budget& budget) {
  std::vector<Part> out;
  size_t at = 0;
  while (true) {
    at = stripped(text.substr(at), nullptr, true, false).first + at;
    if (at >= text.size()) return out;
    if (most >= 0 && static_cast<int64_t>(out.size()) == most) {
      out.emplace_back(at, text.size());
      return out;
    }
    const size_t begin = at;
    size_t end = at;
    while (at < text.size() && !is_space(next_char(text, at))) end = at;
    at = end;
    budget.step();
    out.emplace_back(begin, end);
  }
}

std::vector<Part> split_at_blanks_from_right(std::string_view text, int64_t most, Budget& budget) {
  std::vector<Part> out;
  size_t end = text.size();
  while (true) {
    end = stripped(text.substr(0, end), nullptr, false, true).second;
    if (end == 0) break;
    if (most >= 0 && static_cast<int64_t>(out.size()) == most) {
      out.emplace_back(0, end);
      break;
    }
    size_t begin = end;
    for (size_t at = end; at > 0;) {
      if (is_space(previous_char(text, at))) break;
      begin = at;
    }
    budget.step();
    out.emplace_back(begin, end);
    end = begin;
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<Part> split_at(std::string_view text, std::string_view separator, int64_t most, Budget& budget) {
  std::vector<Part> out;
  size_t begin = 0;
  while (most < 0 || static_cast<int64_t>(out.size()) < most) {
    const size_t at = text.find(separator, begin);
    if (at == std::string_view::npos) break;
    budget.step();
    out.emplace_back(begin, at);
    begin = at + separator.size();
  }
  out.emplace_back(begin, text.size());
  return out;
}

std::vector<Part> split_at_from_right(std::string_view text, std::string_view separator, int64_t most, Budget& budget) {
  std::vector<Part> out;
  size_t end = text.size();
  while (most < 0 || static_cast<int64_t>(out.size()) < most) {
    const size_t at = end < separator.size() ? std::string_view::npos : text.rfind(separator, end - separator.size());
    if (at == std::string_view::npos) break;
    budget.step();
    out.emplace_back(at + separator.size(), end);
    end = at;
  }
  out.emplace_back(0, end);
  std::ranges::reverse(out);
  return out;
}

}  // namespace

Part stripped(std::string_view text, const std::string* chars, bool left, bool right) {
  size_t begin = 0, end = text.size();
  const auto goes = [&](char32_t c) { return chars ? is_among(c, *chars) : is_space(c); };
  while (left && begin < end) {
    size_t at = begin;
    if (!goes(next_char(text, at))) break;
    begin = at;
  }
  while (right && end > begin) {
    size_t at = end;
    if (!goes(previous_char(text, at))) break;
    end = at;
  }
  return {begin, end};
}

std::vector<Part> split(std::string_view text, const std::string* separator, int64_t most, bool from_right, Budget& budget) {
  budget.spend_bytes(text.size());
  if (!separator) return from_right ? split_at_blanks_from_right(text, most, budget) : split_at_blanks(text, most, budget);
  if (separator->empty()) raise(ErrorKind::kValue, "empty separator");
  return from_right ? split_at_from_right(text, *separator, most, budget) : split_at(text, *separator, most, budget);
}

std::vector<Part> split_lines(std::string_view text, bool keep_ends, Budget& budget) {
  std::vector<Part> out;
  budget.spend_bytes(text.size());
  for (size_t begin = 0, at = 0; at < text.size();) {
    size_t end = at;
    const char32_t c = next_char(text, at);
    if (!is_line_end(c)) {
      if (at == text.size()) out.emplace_back(begin, at);
      continue;
    }
    if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
    budget.step();
    out.emplace_back(begin, keep_ends ? at : end);
    begin = at;
  }
  return out;
}

Value part_of(Heap& heap, const Text& text, Part part) {
  return make_text(heap, text.marked().slice(part.first, part.second), text.is_markup());
}

Value parts_of(Heap& heap, const Text& text, const std::vector<Part>& parts) {
  std::vector<Value> items;
  items.reserve(parts.size());
  for (const Part& part : parts) items.push_back(part_of(heap, text, part));
  return make_list(heap, std::move(items));
}

Value replaced(Heap& heap, const Text& text, const Text& from, const Text& to, int64_t most) {
  const std::string &all = text.bytes(), &old = from.bytes();
  Budget& budget = heap.budget();
  budget.spend_bytes(all.size());
  MarkedText out;
  size_t done = 0;
  for (size_t at = 0; most != 0 && at <= all.size();) {
    const size_t place = old.empty() ? at : all.find(old, at);
    if (place == std::string::npos) break;
    budget.step();
    budget.check_text(out.size() + (place - done) + to.bytes().size());
    out.append(text.marked(), done, place);
    out.append(to.marked());
    done = place + old.size();
    at = done;
    if (old.empty()) {  // before each character, and at the end
      if (at == all.size()) break;
      next_char(all, at);
    }
    --most;
  }
  budget.check_text(out.size() + all.size() - done);
  out.append(text.marked(), done, all.size());
  return make_text(heap, std::move(out), text.is_markup());
}

Value joined(Heap& heap, const Text& separator, const std::vector<Value>& items, bool make_texts) {
  MarkedText out;
  const bool markup = separator.is_markup();
  for (size_t i = 0; i < items.size(); ++i) {
    heap.budget().step();
    if (!make_texts && !items[i].is_text())
      raise(ErrorKind::kType, "sequence item {}: expected str instance, {} found", i, type_name(items[i]));
    heap.budget().check_text(out.size() + separator.bytes().size());
    if (i) out.append(separator.marked());
    append_text(out, markup ? escaped(heap, items[i]) : items[i], heap);
  }
  return make_text(heap, std::move(out), markup);
}

}  // namespace skald::jinja
