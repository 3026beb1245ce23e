#include "text/special_splitter.h"

#include <utf8proc.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "text/utf8.h"

namespace skald {
namespace {

// Of Unicode, as \s and \w of regular expressions.
bool is_space(uint32_t code) {
  if ((code >= 9 && code <= 13) || code == 0x85) return true;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

bool is_of_word(uint32_t code) {
  if (code == 0x200C || code == 0x200D) return true;  // which join letters
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) || category == UTF8PROC_CATEGORY_PC;
}

// The character at a place (0: broken bytes, or the end) and the place after it.
std::pair<uint32_t, size_t> char_at(std::string_view text, size_t at) {
  if (at >= text.size()) return {0, at};
  const Utf8Step step = utf8_step(text, at);
  const auto end = at + static_cast<size_t>(step.length);
  return {step.kind == Utf8Kind::kChar ? utf8_code(text, at, step.length) : 0, end};
}

// The character before a place, and where it begins.
std::pair<uint32_t, size_t> char_before(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin < 4 && (static_cast<uint8_t>(text[--begin]) & 0xC0) == 0x80) {
  }
  if (begin == at) return {0, at};
  const auto [code, end] = char_at(text, begin);
  return {end == at ? code : 0, begin};
}

bool stands_alone(std::string_view text, size_t begin, size_t end) {
  return !is_of_word(char_before(text, begin).first) && !is_of_word(char_at(text, end).first);
}

// The white space around places of a text; `but_spaces`: of which a space is none.
class WhiteSpace {
 public:
  WhiteSpace(std::string_view text, bool but_spaces) : text_(text), but_spaces_(but_spaces) {}

  // Where it ends after `at`. A row that was looked at is remembered: looking again would take quadratic time.
  size_t end_from(size_t at) {
    if (at >= begin_ && at <= end_) return end_;
    begin_ = end_ = at;
    for (auto [code, next] = char_at(text_, end_); counts(code); std::tie(code, next) = char_at(text_, end_)) end_ = next;
    return end_;
  }
  // Where it begins before `at`, at `least` or after it.
  size_t begin_before(size_t at, size_t least) const {
    while (at > least) {
      const auto [code, begin] = char_before(text_, at);
      if (!counts(code) || begin < least) break;
      at = begin;
    }
    return std::max(at, least);
  }

 private:
  bool counts(uint32_t code) const { return is_space(code) && !(but_spaces_ && code == ' '); }

  std::string_view text_;
  bool but_spaces_;
  size_t begin_ = 1, end_ = 0;  // of the row; none yet
};

}  // namespace

SpecialSplitter::SpecialSplitter(const Vocab& vocab, Normalize normalize) : vocab_(vocab), normalize_(std::move(normalize)) {
  for (TokenId id = 0; id < vocab_.size(); ++id) {
    const bool always = vocab_.kind(id) == PieceKind::kUserDefined;
    if (!always && !vocab_.is_special(id)) continue;
    const std::string& piece = vocab_.pieces[static_cast<size_t>(id)];
    const bool normalized = vocab_.rules[static_cast<size_t>(id)].normalized;
    const std::string& spelling = normalized ? spellings_.emplace_back(normalize_(piece).text()) : piece;
    const auto matcher = normalized ? &Matchers::normalized : &Matchers::plain;
    if (always) (always_.*matcher).add(spelling, id);
    (all_.*matcher).add(spelling, id);
    any_normalized_ = any_normalized_ || normalized;
  }
  for (Matchers* matchers : {&all_, &always_}) {
    matchers->plain.build();
    matchers->normalized.build();
  }
}

// The next token is looked for after the last one's name, even where that one has the white space after it. `after_space`:
// the text is spelled with spaces that are none any more, of which each token has one before it.
std::vector<SpecialSplitter::Span> SpecialSplitter::find_all(std::string_view text, const SpecialMatcher& matcher,
                                                             const SpecialMatcher::Takes& takes, bool after_space) const {
  std::vector<Span> out;
  WhiteSpace spaces(text, after_space);
  size_t free = 0;  // the end of the last token
  for (auto match = matcher.find(text, 0, takes); match; match = matcher.find(text, match->end, takes)) {
    const TokenRules& rules = vocab_.rules[static_cast<size_t>(match->id)];
    if (rules.single_word && !stands_alone(text, match->begin, match->end)) continue;
    Span span{match->begin, match->end, match->begin, match->end, match->id, after_space && match->begin > 0};
    if (span.has_space) --span.begin;
    if (rules.lstrip) span.begin = spaces.begin_before(span.begin, free);
    if (rules.rstrip) span.end = spaces.end_from(span.end);
    free = span.end;
    if (span.begin < span.end) out.push_back(span);  // else it is white space that the last one has
  }
  return out;
}

// In places of the fragment, which begins at `at` of the text.
std::vector<SpecialSplitter::Span> SpecialSplitter::find_normalized(std::string_view fragment, size_t at,
                                                                    const SpecialMatcher& matcher,
                                                                    const SpecialMatcher::Takes& takes) const {
  const NormalText normal = normalize_(fragment);
  const auto accept = [&](const SpecialMatcher::Match& m) {
    if (!normal.is_edge(m.begin) || !normal.is_edge(m.end)) return false;
    if (vocab_.space_first && m.begin > 0 && normal.text()[m.begin - 1] != ' ') return false;
    return !takes || takes({at + normal.from(m.begin), at + normal.from(m.end), m.id});
  };
  std::vector<Span> out = find_all(normal.text(), matcher, accept, vocab_.space_first);
  for (Span& span : out) {
    while (span.begin < span.name_begin && !normal.is_edge(span.begin)) ++span.begin;  // within the space of an ideograph
    span.begin = normal.from(std::min(span.begin, span.name_begin));
    span.end = normal.from(std::max(span.end, span.name_end));
  }
  return out;
}

std::vector<TextFragment> SpecialSplitter::split(std::string_view text, bool parse_special,
                                                 const SpecialMatcher::Takes& takes) const {
  const Matchers& matchers = parse_special ? all_ : always_;
  std::vector<TextFragment> out;
  // Calls f(part) for the texts between tokens, which are put down themselves.
  const auto between = [&out](std::string_view whole, const std::vector<Span>& spans, auto&& f) {
    size_t at = 0;
    for (const Span& span : spans) {
      const bool space_first = span.has_space && span.begin == 0 && at == 0;  // before its own
      if (span.begin > at || space_first) f(whole.substr(at, span.begin - at));
      out.push_back({.text = {}, .token = span.id});
      at = span.end;
    }
    if (at < whole.size()) f(whole.substr(at));
  };
  between(text, find_all(text, matchers.plain, takes, false), [&](std::string_view part) {
    if (!any_normalized_) {
      out.push_back({part});
      return;
    }
    const auto at = static_cast<size_t>(part.data() - text.data());
    between(part, find_normalized(part, at, matchers.normalized, takes), [&](std::string_view rest) {
      out.push_back({.text = rest, .begins = rest.data() == part.data() || !vocab_.space_first});
    });
  });
  return out;
}

}  // namespace skald
