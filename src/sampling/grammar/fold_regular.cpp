#include "sampling/grammar/fold_regular.h"

#include <algorithm>
#include <utility>

namespace skald {

namespace {

using Kind = Grammar::Kind;

// A rule that is larger stays one: as a terminal it would be written out at each use.
constexpr uint64_t kMaxSize = 20'000;

// What an expression became: a language, or an expression of the new grammar.
struct Folded {
  bool regular = false;
  uint32_t id = 0;    // RegexId or ExprId
  uint64_t size = 0;  // of a language, about
};

class Folder {
 public:
  explicit Folder(Grammar& from) : from_(from), folded_(from.exprs()), rules_(from.rules().size(), Folded{}) {
    to_.regexes = std::move(from.regexes);
    for (const Grammar::Rule& rule : from.rules()) to_.add_rule(rule.name);
    to_.set_start(from.start());
  }

  Grammar fold() {
    visit(from_.start());
    while (!stack_.empty()) {
      const Visit at = stack_.back();
      stack_.pop_back();
      if (at.is_rule)
        finish_rule(at.id);
      else if (at.parts_done)
        finish(at.id);
      else
        open(at.id);
    }
    for (RuleId rule = 0; rule < from_.rules().size(); ++rule) {
      if (done_[rule]) to_.define(rule, as_expr(rules_[rule]));
    }
    return std::move(to_);
  }

 private:
  struct Visit {
    uint32_t id;
    bool parts_done, is_rule;
  };

  void visit(RuleId rule) {
    if (seen_[rule]) return;
    seen_[rule] = true;
    stack_.push_back({rule, false, true});
    if (from_.rules()[rule].body != Grammar::kUndefined) stack_.push_back({from_.rules()[rule].body, false, false});
  }

  void open(ExprId id) {
    if (known_[id]) return;
    stack_.push_back({id, true, false});
    const Grammar::Expr& expr = from_.expr(id);
    if (expr.kind == Kind::kRule) visit(expr.what);
    if (expr.kind == Kind::kRepeat) stack_.push_back({expr.what, false, false});
    if (expr.kind == Kind::kSequence || expr.kind == Kind::kAnyOf) {
      for (const ExprId part : from_.parts(id)) stack_.push_back({part, false, false});
    }
  }

  void finish_rule(RuleId rule) {
    if (from_.rules()[rule].body == Grammar::kUndefined) return;
    rules_[rule] = folded_[from_.rules()[rule].body];
    done_[rule] = true;
  }

  ExprId as_expr(const Folded& folded) { return folded.regular ? to_.terminal(folded.id) : folded.id; }

  void finish(ExprId id) {
    const Grammar::Expr expr = from_.expr(id);
    known_[id] = true;
    Folded& out = folded_[id];
    switch (expr.kind) {
      case Kind::kTerminal:
        out = {true, expr.what, 1 + to_.regexes.node(expr.what).least / 16};
        break;
      case Kind::kRule:
        // Of a rule that is not done yet this is a use of itself.
        if (done_[expr.what] && rules_[expr.what].regular && rules_[expr.what].size <= kMaxSize)
          out = rules_[expr.what];
        else
          out = {false, to_.rule(expr.what), 0};
        break;
      case Kind::kRepeat:
        out = repeated(expr);
        break;
      case Kind::kSequence:
        out = sequence(id);
        break;
      case Kind::kAnyOf:
        out = choice(id);
        break;
    }
  }

  Folded repeated(const Grammar::Expr& expr) {
    const Folded what = folded_[expr.what];
    if (!what.regular) return {false, to_.repeat(what.id, expr.min, expr.max), 0};
    return {true, to_.regexes.repeat(what.id, expr.min, expr.max), what.size + 1};
  }

  Folded sequence(ExprId id) {
    std::vector<ExprId> parts;
    std::vector<RegexId> regexes;
    uint64_t size = 0;
    const auto flush = [&] {
      if (!regexes.empty()) parts.push_back(to_.terminal(to_.regexes.concat(regexes)));
      regexes.clear();
      size = 0;
    };
    for (const ExprId part : from_.parts(id)) {
      const Folded& folded = folded_[part];
      if (folded.regular && size + folded.size > kMaxSize) flush();
      if (folded.regular) {
        regexes.push_back(folded.id);
        size += folded.size;
      } else {
        flush();
        parts.push_back(folded.id);
      }
    }
    if (parts.empty()) return {true, to_.regexes.concat(regexes), size};
    flush();
    return {false, to_.sequence(parts), 0};
  }

  Folded choice(ExprId id) {
    std::vector<ExprId> parts;
    std::vector<RegexId> regexes;
    uint64_t size = 0;
    for (const ExprId part : from_.parts(id)) {
      const Folded& folded = folded_[part];
      if (folded.regular) {
        regexes.push_back(folded.id);
        size += folded.size;
      } else {
        parts.push_back(folded.id);
      }
    }
    const RegexId regex = to_.regexes.any_of(regexes);
    if (parts.empty()) return {true, regex, size};
    if (!regexes.empty()) parts.push_back(to_.terminal(regex));
    return {false, to_.any_of(parts), 0};
  }

  Grammar& from_;
  Grammar to_;
  std::vector<Folded> folded_, rules_;
  std::vector<bool> known_ = std::vector<bool>(from_.exprs()), seen_ = std::vector<bool>(from_.rules().size()),
                    done_ = seen_;
  std::vector<Visit> stack_;
};

}  // namespace

Grammar fold_regular(Grammar grammar) { return Folder(grammar).fold(); }

}  // namespace skald
