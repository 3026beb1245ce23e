#include "text/chat/jinja/parse/symbols.h"

#include "text/chat/jinja/values/walk.h"

namespace skald::jinja {
namespace {

class SymbolFinder {
 public:
  SymbolFinder(Symbols& symbols, Budget& budget) : symbols_(symbols), budget_(budget) {}

  void visit(const Node& node) {
    budget_.check_depth();
    budget_.step();
    switch (node.kind) {
      case NodeKind::kName:
        return visit_name(static_cast<const NameNode&>(node));
      case NodeKind::kNamespaceRef:
        return symbols_.load(static_cast<const NamespaceRefNode&>(node).name);
      case NodeKind::kIf:
        return visit_if(static_cast<const IfNode&>(node));
      case NodeKind::kMacro:
        return symbols_.store(static_cast<const MacroNode&>(node).name);
      case NodeKind::kSet:
        visit(*static_cast<const SetNode&>(node).value);
        return visit(*static_cast<const SetNode&>(node).target);
      case NodeKind::kFor:
        return visit(*static_cast<const ForNode&>(node).iterable);
      case NodeKind::kCallBlock:
        if (const CallNode* call = static_cast<const CallBlockNode&>(node).call) visit(*call);
        return;
      case NodeKind::kFilterBlock:
        return visit(*static_cast<const FilterBlockNode&>(node).filter);
      case NodeKind::kWith:
        for (const auto& value : static_cast<const WithNode&>(node).values) visit(*value.second);
        return;
      case NodeKind::kSetBlock:
        return visit(*static_cast<const SetBlockNode&>(node).target);
      case NodeKind::kBlock:
      case NodeKind::kAutoescape:
        return;
      case NodeKind::kInclude:
        visit(*static_cast<const IncludeNode&>(node).source);
        for (int name : static_cast<const IncludeNode&>(node).names) symbols_.store(name);
        return;
      default:
        walk(node, [this](const Node& child) { visit(child); });
    }
  }

 private:
  void visit_name(const NameNode& node) {
    if (node.use == NameNode::Use::kLoad) return symbols_.load(node.name);
    if (node.use == NameNode::Use::kStore) return symbols_.store(node.name);
    symbols_.declare(node.name);
  }

  Symbols visited(const Body& body) {
    budget_.spend(static_cast<int64_t>(symbols_.size()) * 4);
    Symbols copy = symbols_;
    SymbolFinder finder(copy, budget_);
    for (const Node* node : body) finder.visit(*node);
    return copy;
  }

  // An "elif" is an "if" in a branch of its own.
  void visit_if(const IfNode& node) {
    visit(*node.branches[0].first);
    Symbols body = visited(node.branches[0].second);
    Symbols elifs = symbols_;
    SymbolFinder finder(elifs, budget_);
    for (size_t i = 1; i < node.branches.size(); ++i) {
      finder.visit(*node.branches[i].first);
      budget_.spend(static_cast<int64_t>(elifs.size()) * 8);
      std::vector<Symbols> branches;
      branches.push_back(finder.visited(node.branches[i].second));
      branches.push_back(elifs);
      branches.push_back(elifs);
      elifs.merge(branches, budget_);
    }
    Symbols otherwise = visited(node.otherwise);
    budget_.spend(static_cast<int64_t>(symbols_.size()) * 4);
    symbols_.merge({std::move(body), std::move(elifs), std::move(otherwise)}, budget_);
  }

  Symbols& symbols_;
  Budget& budget_;
};

// jinja2.compiler.UndeclaredNameVisitor
class UndeclaredFinder {
 public:
  UndeclaredFinder(int name, Budget& budget) : name_(name), budget_(budget) {}
  bool found() const { return found_; }

  void visit(const Node& node) {
    if (found_ || set_) return;
    budget_.check_depth();
    budget_.step();
    if (node.kind == NodeKind::kBlock) return;
    if (node.kind == NodeKind::kName) {
      const auto& name = static_cast<const NameNode&>(node);
      if (name.name != name_) return;
      (name.use == NameNode::Use::kLoad ? found_ : set_) = true;
      return;
    }
    walk(node, [this](const Node& child) { visit(child); });
  }

 private:
  int name_;
  Budget& budget_;
  bool found_ = false, set_ = false;
};

}  // namespace

std::optional<Variable> Symbols::find(int name) const {
  for (const Symbols* s = this; s; s = s->parent_)
    if (const auto it = s->refs_.find(name); it != s->refs_.end()) return it->second;
  return std::nullopt;
}

void Symbols::define(int name, std::optional<VariableLoad> load) {
  const Variable variable{level_, name};
  refs_[name] = variable;
  if (!load) return;
  const auto [it, added] = load_places_.try_emplace(variable, loads_.size());
  if (added)
    loads_.emplace_back(variable, *load);
  else
    loads_[it->second].second = *load;
}

void Symbols::load(int name) {
  if (!find(name)) define(name, VariableLoad{VariableLoad::Action::kResolve});
}

void Symbols::store(int name) {
  stores_.insert(name);
  if (refs_.contains(name)) return;
  const auto outer = parent_ ? parent_->find(name) : std::nullopt;
  define(name, outer ? VariableLoad{VariableLoad::Action::kAlias, *outer} : VariableLoad{VariableLoad::Action::kUndefined});
}

void Symbols::declare(int name) {
  stores_.insert(name);
  define(name, VariableLoad{VariableLoad::Action::kParameter});
}

void Symbols::merge(const std::vector<Symbols>& branches, Budget& budget) {
  std::set<int> stored;
  for (const Symbols& branch : branches)
    for (int name : branch.stores_)
      if (!stores_.contains(name)) stored.insert(name);
  for (const Symbols& branch : branches) {
    budget.spend(static_cast<int64_t>(branch.size()));
    for (const auto& [name, variable] : branch.refs_) refs_[name] = variable;
    for (const auto& [variable, load] : branch.loads_) define(variable.name, load);
    stores_.insert(branch.stores_.begin(), branch.stores_.end());
  }
  for (int name : stored) {  // set in some branch: its value from before has to be there too
    const auto outer = parent_ ? parent_->find(name) : std::nullopt;
    define(name, outer ? VariableLoad{VariableLoad::Action::kAlias, *outer} : VariableLoad{VariableLoad::Action::kResolve});
  }
}

void find_symbols(Symbols& symbols, const Body& body, Budget& budget) {
  SymbolFinder finder(symbols, budget);
  for (const Node* node : body) finder.visit(*node);
}

void find_symbols(Symbols& symbols, const Node& node, Budget& budget) { SymbolFinder(symbols, budget).visit(node); }

void declare_target(Symbols& symbols, const Node& target, Budget& budget) {
  budget.check_depth();
  if (target.kind == NodeKind::kName)
    symbols.declare(static_cast<const NameNode&>(target).name);
  else if (target.kind == NodeKind::kTuple)
    for (const Expr* item : static_cast<const ItemsNode&>(target).items) declare_target(symbols, *item, budget);
}

bool reads_undeclared(const Body& body, int name, Budget& budget) {
  if (name < 0) return false;
  UndeclaredFinder finder(name, budget);
  for (const Node* node : body) finder.visit(*node);
  return finder.found();
}

}  // namespace skald::jinja
