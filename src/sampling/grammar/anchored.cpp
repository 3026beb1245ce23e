#include "sampling/grammar/anchored.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

namespace {

RegexId union_of(RegexSet& regexes, std::initializer_list<RegexId> ids) {
  return regexes.any_of(std::span(ids.begin(), ids.size()));
}
RegexId chain(RegexSet& regexes, std::initializer_list<RegexId> ids) {
  return regexes.concat(std::span(ids.begin(), ids.size()));
}

Anchored nothing_or(Anchored a) {
  a.empty.fill(true);
  return a;
}

Anchored star(RegexSet& regexes, const Anchored& a) {
  Anchored out;
  out.empty.fill(true);
  const RegexId middle = regexes.repeat(a.texts_at(false, false), 0, -1);
  for (const Anchored::Place p : Anchored::kPlaces) {
    const RegexId several = chain(regexes, {a.texts_at(p.at_begin, false), middle, a.texts_at(false, p.at_end)});
    out.texts[p.index()] = union_of(regexes, {a.texts[p.index()], several});
  }
  return out;
}

}  // namespace

RegexId Anchored::whole(RegexSet& regexes) const {
  return union_of(regexes, {empty_at(true, true) ? regexes.empty() : regexes.nothing(), texts_at(true, true)});
}

Anchored Anchored::begin() { return {.empty = {false, false, true, true}, .texts = {}}; }

Anchored Anchored::end() { return {.empty = {false, true, false, true}, .texts = {}}; }

Anchored Anchored::plain(RegexSet& regexes, RegexId regex) {
  Anchored out;
  out.empty.fill(regexes.nullable(regex));
  out.texts.fill(regexes.without_empty(regex));
  return out;
}

Anchored Anchored::concat(RegexSet& regexes, const Anchored& a, const Anchored& b) {
  Anchored out;
  for (const Place p : kPlaces) {
    const size_t i = p.index();
    out.empty[i] = a.empty[i] && b.empty[i];
    out.texts[i] = union_of(regexes, {chain(regexes, {a.texts_at(p.at_begin, false), b.texts_at(false, p.at_end)}),
                                      b.empty_at(false, p.at_end) ? a.texts[i] : regexes.nothing(),
                                      a.empty_at(p.at_begin, false) ? b.texts[i] : regexes.nothing()});
  }
  return out;
}

Anchored Anchored::any_of(RegexSet& regexes, const Anchored& a, const Anchored& b) {
  Anchored out;
  for (size_t i = 0; i < kPlaces.size(); ++i) {
    out.empty[i] = a.empty[i] || b.empty[i];
    out.texts[i] = union_of(regexes, {a.texts[i], b.texts[i]});
  }
  return out;
}

Anchored Anchored::repeat(RegexSet& regexes, const Anchored& a, int64_t min, int64_t max) {
  constexpr int64_t kMost = 1000;
  if (std::max(min, max) > kMost) fail(Errc::kBadInput, "an anchor is repeated more than {} times", kMost);
  Anchored out = plain(regexes, regexes.empty());
  for (int64_t i = 0; i < min; ++i) out = concat(regexes, out, a);
  if (max < 0) return concat(regexes, out, star(regexes, a));
  const Anchored maybe = nothing_or(a);
  for (int64_t i = min; i < max; ++i) out = concat(regexes, out, maybe);
  return out;
}

}  // namespace skald
