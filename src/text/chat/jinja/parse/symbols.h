// Symbols: which variable a name means in a scope, decided as Jinja's compiler decides it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/chat/jinja/parse/ast.h"
#include "text/chat/jinja/run/budget.h"

namespace skald::jinja {

/// A variable of the Python code that Jinja would write: "l_<level>_<name>".
struct Variable {
  int level, name;
  auto operator<=>(const Variable&) const = default;
};

struct VariableHash {
  size_t operator()(const Variable& v) const {
    return static_cast<size_t>(v.level) * 0x9E3779B97F4A7C15u ^ static_cast<size_t>(v.name);
  }
};

/// The value of a variable as its scope is entered (jinja2.idtracking).
struct VariableLoad {
  enum class Action : uint8_t { kParameter, kResolve, kAlias, kUndefined } action;
  Variable source{};  // of kAlias
};

class Symbols {
 public:
  explicit Symbols(const Symbols* parent) : level_(parent ? parent->level_ + 1 : 0), parent_(parent) {}

  int level() const { return level_; }
  const Symbols* parent() const { return parent_; }
  std::optional<Variable> find(int name) const;
  const std::vector<std::pair<Variable, VariableLoad>>& loads() const { return loads_; }
  const std::set<int>& stores() const { return stores_; }

  /// A name is read, set, or a parameter.
  void load(int name);
  void store(int name);
  void declare(int name);
  /// After the branches of an `if`, which are copies of this.
  void merge(const std::vector<Symbols>& branches, Budget& budget);
  size_t size() const { return refs_.size() + loads_.size() + stores_.size(); }

 private:
  void define(int name, std::optional<VariableLoad> load);

  int level_;
  const Symbols* parent_;
  std::unordered_map<int, Variable> refs_;
  std::vector<std::pair<Variable, VariableLoad>> loads_;
  std::unordered_map<Variable, size_t, VariableHash> load_places_;
  std::set<int> stores_;
};

/// Enters the uses of names in the nodes of a body, or one expression, into the symbols of their scope.
void find_symbols(Symbols& symbols, const Body& body, Budget& budget);
void find_symbols(Symbols& symbols, const Node& node, Budget& budget);
/// The names that a target sets, as parameters.
void declare_target(Symbols& symbols, const Node& target, Budget& budget);

/// Returns whether the name is read in the body before anything in it sets it.
bool reads_undeclared(const Body& body, int name, Budget& budget);

}  // namespace skald::jinja
