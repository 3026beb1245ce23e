// How SchemaWriter writes objects.
#include <algorithm>
#include <array>

#include "sampling/grammar/schema/object_states.h"
#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/schema_writer.h"

namespace skald {
namespace {

constexpr size_t kMaxOrders = 100;  // states of several chains side by side; beyond it they stand after each other
constexpr size_t kMaxLoose = 6;     // members in any order: 2^n states
constexpr size_t kMaxWishes = 4;    // for members that must be somewhere

}  // namespace

// The object without members that must be somewhere: one form for each member that they can be. Further members with a given
// value have none: a key could come again with another one.
std::vector<ObjectShape> SchemaWriter::settled(const ObjectShape& object) {
  std::vector<ObjectShape> forms{object};
  forms[0].some.clear();
  for (const SomeMember& s : object.some) {
    std::vector<ObjectShape> next;
    for (const ObjectShape& form : forms) {
      for (size_t i = 0; i < form.properties.size(); ++i) {
        if (!grammar_.regexes.matches(s.keys, spelled(form.properties[i].key))) continue;
        ObjectShape one = form;
        one.properties[i].required = true;
        one.properties[i].value = algebra_.formulas.all(form.properties[i].value, s.value);
        if (!reader_.surely_empty(one.properties[i].value)) next.push_back(std::move(one));
      }
      RegexId keys = RegexSet::kNothing;
      for (const KeyClass& c : form.others) {
        const RegexId here = algebra_.strings.minus(algebra_.strings.both(c.keys, s.keys), algebra_.declared_keys(form));
        const FormulaId value = algebra_.formulas.all(c.value, s.value);
        if (here == RegexSet::kNothing || reader_.surely_empty(value)) continue;
        if (value != c.value)
          refuse(reader_.document(), s.origin.schema,
                 reader_.keyword_at(s.origin.schema, {"additionalProperties", "patternProperties"}),
                 "that some member breaks it cannot be told");
        keys = algebra_.strings.either(keys, here);
      }
      if (keys == RegexSet::kNothing) continue;
      next.push_back(form);
      next.back().some.push_back({keys, Formulas::kAnything, s.origin});
    }
    forms = std::move(next);
  }
  return forms;
}

// Any member with a key that is not declared; only keys `within`.
Piece SchemaWriter::other_members(const ObjectShape& object, const MemberNotation& notation, RegexId within) {
  const RegexId declared = algebra_.declared_keys(object);
  std::vector<Piece> ways;
  for (const KeyClass& c : object.others) {
    if (reader_.surely_empty(c.value)) continue;
    const RegexId possible = algebra_.strings.both(algebra_.strings.both(c.keys, within), notation.keys);
    const RegexId keys = algebra_.strings.minus(possible, declared);
    if (keys == RegexSet::kNothing) continue;
    ways.push_back(notation.member(nullptr, keys, c.value));
  }
  return pieces_.any_of(ways);
}

std::optional<SchemaWriter::ObjectPlan> SchemaWriter::plan(const ObjectShape& object, const MemberNotation& notation) {
  ObjectPlan out{.chains = {},
                 .loose = {},
                 .other = pieces_.nothing(),
                 .wanted = {},
                 .origin = object.origin,
                 .comma = notation.comma,
                 .gap = notation.gap};
  int64_t required = 0, possible = 0;
  std::vector<uint32_t> names;  // of chains
  for (const Property& p : object.properties) {
    const bool empty = reader_.surely_empty(p.value);
    if (empty && p.required) return std::nullopt;
    if (empty) continue;
    required += p.required, ++possible;
    Member written{p.key, notation.member(&p.key, algebra_.strings.text(p.key), p.value), p.required};
    if (!p.listed) {
      out.loose.push_back(std::move(written));
      continue;
    }
    const size_t at = static_cast<size_t>(std::ranges::find(names, p.chain) - names.begin());
    if (at == names.size()) names.push_back(p.chain), out.chains.emplace_back();
    out.chains[at].push_back(std::move(written));
  }
  out.other = other_members(object, notation, algebra_.strings.all());
  if (object.some.size() > kMaxWishes)
    refuse(reader_.document(), object.origin.schema, reader_.keyword_at(object.origin.schema),
           "asks for too many members at once");
  out.wishes = static_cast<uint32_t>(object.some.size());
  for (uint32_t set = 0; set < 1u << out.wishes; ++set) {
    RegexId keys = algebra_.strings.all();
    for (uint32_t i = 0; i < out.wishes; ++i) {
      if ((set >> i & 1) != 0) keys = algebra_.strings.both(keys, object.some[i].keys);
    }
    out.wanted.push_back(set == 0 ? out.other : other_members(object, notation, keys));
  }
  const bool closed = out.other.regular && out.other.id == RegexSet::kNothing;
  out.min = object.min > required ? object.min : 0;
  out.max = closed && object.max >= possible ? kNoLimit : object.max;
  if (object.max != kNoLimit && required > object.max) return std::nullopt;
  size_t orders = 1;
  for (const auto& chain : out.chains) orders = std::min(orders * (chain.size() + 1), kMaxOrders + 1);
  if (out.chains.size() > 1 && orders > kMaxOrders) {
    // In the order of the properties, whatever chain they are of.
    std::vector<Member> all;
    for (const Property& p : object.properties) {
      for (auto& chain : out.chains) {
        const auto it = std::ranges::find(chain, p.key, &Member::key);
        if (it != chain.end()) all.push_back(*it);
      }
    }
    out.chains = {std::move(all)};
  }
  if (out.loose.size() > kMaxLoose) {
    if (out.chains.empty()) out.chains.emplace_back();
    out.chains.back().insert(out.chains.back().end(), out.loose.begin(), out.loose.end());
    out.loose.clear();
  }
  return out;
}

// What stands between the braces.
Piece SchemaWriter::planned(const ObjectPlan& plan) {
  const bool simple =
      plan.chains.size() <= 1 && plan.loose.empty() && plan.wishes == 0 && plan.min <= 1 && plan.max == kNoLimit;
  if (simple) return ordered_object(plan);
  const bool open = !(plan.other.regular && plan.other.id == RegexSet::kNothing);
  if (plan.min > 1 && open)
    refuse(reader_.document(), plan.origin.schema, "minProperties", "keys that are not listed cannot be counted beyond one");
  return ObjectStates(*this, plan).start();
}

std::optional<Piece> SchemaWriter::object(const ObjectShape& object) {
  const auto members_planned = plan(object, members());
  if (!members_planned) return std::nullopt;
  return pieces_.sequence(std::array{pieces_.text("{"), gap_, planned(*members_planned), pieces_.text("}")});
}

// Members in their order, then others. What comes first has no comma in front: as long as nothing must come, there is a way
// for each member that may be the first. The gap in front of the brace is after the last member: none needs but one.
Piece SchemaWriter::ordered_object(const ObjectPlan& plan) {
  const std::vector<Member> members = plan.chains.empty() ? std::vector<Member>() : plan.chains[0];
  const bool closed = plan.other.regular && plan.other.id == RegexSet::kNothing;
  const auto behind_comma = [&](const Piece& member) { return pieces_.sequence(std::array{plan.comma, member}); };
  const Piece more = closed ? pieces_.empty() : pieces_.repeat(behind_comma(plan.other), 0, -1);
  const size_t first_required = static_cast<size_t>(std::ranges::find(members, true, &Member::required) - members.begin());
  // What follows member i, if something was written.
  const auto flat_tail = [&](size_t from) {
    std::vector<Piece> parts;
    for (size_t i = from; i < members.size(); ++i) {
      const Piece member = behind_comma(members[i].text);
      parts.push_back(members[i].required ? member : pieces_.optional(member));
    }
    parts.push_back(more);
    parts.push_back(plan.gap);
    return pieces_.sequence(parts);
  };
  const size_t last_start = std::min(first_required, members.size());
  Piece tail = flat_tail(std::min(last_start + 1, members.size())), head;
  if (first_required < members.size()) {
    head = pieces_.sequence(std::array{members[first_required].text, tail});
    tail = pieces_.sequence(std::array{behind_comma(members[first_required].text), tail});
  } else {
    const Piece others = closed ? pieces_.nothing() : pieces_.sequence(std::array{plan.other, more, plan.gap});
    head = plan.min > 0 ? others : pieces_.optional(others);
    tail = pieces_.sequence(std::array{more, plan.gap});
  }
  for (size_t i = last_start; i-- > 0;) {
    if (!tail.regular || tail.size > 16) tail = pieces_.rule(add_rule("members", tail));
    head = pieces_.any_of(std::array{pieces_.sequence(std::array{members[i].text, tail}), head});
    if (i == 0) break;
    tail = pieces_.sequence(std::array{pieces_.optional(behind_comma(members[i].text)), tail});
    if (!head.regular) head = pieces_.rule(add_rule("first", head));
  }
  return head;
}

}  // namespace skald
