// The tree of a template. Nodes are owned by their Tree and point to each other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "text/chat/jinja/values/integer.h"
#include "text/chat/jinja/values/numbers.h"

namespace skald::jinja {

enum class NodeKind : uint8_t {
  // expressions
  kConst,
  kData,
  kName,
  kNamespaceRef,
  kTuple,
  kList,
  kDict,
  kUnary,
  kBinary,
  kLogic,
  kConcat,
  kCompare,
  kCondition,
  kAttribute,
  kItem,
  kSlice,
  kCall,
  kFilter,
  kTest,
  // statements
  kOutput,
  kFor,
  kIf,
  kMacro,
  kCallBlock,
  kFilterBlock,
  kWith,
  kSet,
  kSetBlock,
  kBlock,
  kAutoescape,
  kInclude,
  kBreak,
  kContinue,
};

struct Node {
  Node(NodeKind kind, int line) : kind(kind), line(line) {}
  virtual ~Node() = default;
  NodeKind kind;
  int line;
};

using Expr = Node;  // of one of the first kinds
using Body = std::vector<Node*>;

/// A variable of the frame of a function: this many functions further out, at this place. -1: not resolved yet.
struct Slot {
  int hops = 0;
  int index = -1;
};

/// Whether values are escaped as they are put out: known when the template is read, or not.
enum class Escaping : uint8_t { kOff, kOn, kDynamic };

/// The loading of a scope's variables as it is entered.
struct Load {
  enum class Action : uint8_t { kResolve, kAlias, kUndefined } action;
  Slot target;
  Slot source;    // of kAlias
  int name = -1;  // of kResolve
};

/// The variables of a scope.
struct Scope {
  std::vector<Load> loads;
  std::vector<Slot> all;  // which are gone when it is left
};

/// The body of a Python function: a template, macro, call block, block or recursive loop.
struct FunctionScope {
  int slots = 0;
};

struct ConstNode final : Node {
  enum class Type : uint8_t { kNone, kBool, kText, kInteger, kFloat } type;
  ConstNode(int line, Type type) : Node(NodeKind::kConst, line), type(type) {}
  bool boolean = false;
  double real = 0;
  std::string text;  // or an integer's digits
  int base = 10;
  int place = -1;  // among the constants of the template
};

struct DataNode final : Node {
  explicit DataNode(int line) : Node(NodeKind::kData, line) {}
  std::string text;
};

struct NameNode final : Node {
  enum class Use : uint8_t { kLoad, kStore, kParam } use;
  NameNode(int line, int name, Use use) : Node(NodeKind::kName, line), use(use), name(name) {}
  int name;
  Slot slot;
};

struct NamespaceRefNode final : Node {
  NamespaceRefNode(int line, int name, std::string attribute)
      : Node(NodeKind::kNamespaceRef, line), name(name), attribute(std::move(attribute)) {}
  int name;
  std::string attribute;
  Slot slot;
};

/// A tuple or list, or the texts of "~".
struct ItemsNode final : Node {
  ItemsNode(NodeKind kind, int line) : Node(kind, line) {}
  std::vector<Expr*> items;
  Escaping escaping = Escaping::kOff;  // of "~"
};

struct DictNode final : Node {
  explicit DictNode(int line) : Node(NodeKind::kDict, line) {}
  std::vector<std::pair<Expr*, Expr*>> items;
};

struct UnaryNode final : Node {
  UnaryNode(int line, char sign, Expr* operand) : Node(NodeKind::kUnary, line), sign(sign), operand(operand) {}
  char sign;  // '+', '-' or '!'
  Expr* operand;
};

struct BinaryNode final : Node {
  BinaryNode(int line, Operator op, Expr* left, Expr* right)
      : Node(NodeKind::kBinary, line), op(op), left(left), right(right) {}
  Operator op;
  Expr *left, *right;
};

/// a and b and ..., or with "or".
struct LogicNode final : Node {
  LogicNode(int line, bool is_and) : Node(NodeKind::kLogic, line), is_and(is_and) {}
  bool is_and;
  std::vector<Expr*> operands;
};

struct CompareNode final : Node {
  enum class Op : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIn, kNotIn };
  explicit CompareNode(int line) : Node(NodeKind::kCompare, line) {}
  Expr* first = nullptr;
  std::vector<std::pair<Op, Expr*>> rest;
};

struct ConditionNode final : Node {
  ConditionNode(int line, Expr* test, Expr* yes, Expr* no)
      : Node(NodeKind::kCondition, line), test(test), yes(yes), no(no) {}
  Expr *test, *yes, *no;  // `no` may be null
};

struct AttributeNode final : Node {
  AttributeNode(int line, Expr* object, std::string name)
      : Node(NodeKind::kAttribute, line), object(object), name(std::move(name)) {}
  Expr* object;
  std::string name;
};

struct ItemNode final : Node {
  ItemNode(int line, Expr* object, Expr* index) : Node(NodeKind::kItem, line), object(object), index(index) {}
  Expr *object, *index;   // the index may be a slice
  bool constant = false;  // could be worked out before
  bool folded = false;    // of a constant that is put out: Jinja does so, and takes a failure for undefined
};

struct SliceNode final : Node {
  explicit SliceNode(int line) : Node(NodeKind::kSlice, line) {}
  Expr *start = nullptr, *stop = nullptr, *step = nullptr;
};

struct Signature {
  std::vector<Expr*> positional;
  std::vector<std::pair<std::string, Expr*>> named;
  Expr *more_positional = nullptr, *more_named = nullptr;
};

struct CallNode final : Node {
  CallNode(int line, Expr* function) : Node(NodeKind::kCall, line), function(function) {}
  Expr* function;
  Signature arguments;
};

/// A filter or a test. The operand of a filter may be null: then it is the output of the block around it.
struct FilterNode final : Node {
  FilterNode(NodeKind kind, int line, Expr* operand, std::string name)
      : Node(kind, line), operand(operand), name(std::move(name)) {}
  Expr* operand;
  std::string name;
  Signature arguments;
  const void* native = nullptr;  // the function, where there is one
};

struct OutputNode final : Node {
  explicit OutputNode(int line) : Node(NodeKind::kOutput, line) {}
  std::vector<Expr*> parts;
  Escaping escaping = Escaping::kOff;
};

struct ForNode final : Node {
  explicit ForNode(int line) : Node(NodeKind::kFor, line) {}
  Expr *target = nullptr, *iterable = nullptr, *test = nullptr;
  Expr* test_target = nullptr;  // the target again, as a variable of the test's function
  Body body, otherwise;
  bool recursive = false;

  bool has_loop = false;  // a statement reads the variable "loop"
  Slot loop;
  Scope scope, test_scope, otherwise_scope;
  FunctionScope test_function, function;  // `function`: of a recursive loop
  Escaping escaping = Escaping::kOff;
};

struct IfNode final : Node {
  explicit IfNode(int line) : Node(NodeKind::kIf, line) {}
  std::vector<std::pair<Expr*, Body>> branches;
  Body otherwise;
};

/// A macro, or the body of a call block.
struct MacroNode final : Node {
  explicit MacroNode(int line) : Node(NodeKind::kMacro, line) {}
  int name = -1;  // -1: none
  std::string title;
  std::vector<NameNode*> parameters;
  std::vector<Expr*> defaults;  // of the last parameters
  Body body;

  Slot slot;                       // where the macro goes
  bool is_exported = false;        // others than its own frame can see it
  Slot caller, named, positional;  // the special variables; index -1 where the body does not read them
  bool explicit_caller = false;    // it has a parameter of this name
  bool takes_caller = false;
  Scope scope;
  FunctionScope function;
};

struct CallBlockNode final : Node {
  explicit CallBlockNode(int line) : Node(NodeKind::kCallBlock, line) {}
  CallNode* call = nullptr;  // null: {% generation %}, whose body is simply put out
  MacroNode* macro = nullptr;
  Escaping escaping = Escaping::kOff;
};

struct FilterBlockNode final : Node {
  explicit FilterBlockNode(int line) : Node(NodeKind::kFilterBlock, line) {}
  FilterNode* filter = nullptr;
  Body body;
  Scope scope;
  Escaping escaping = Escaping::kOff;
};

struct WithNode final : Node {
  explicit WithNode(int line) : Node(NodeKind::kWith, line) {}
  std::vector<std::pair<Expr*, Expr*>> values;
  Body body;
  Scope scope;
};

/// A variable that others than its frame can see.
struct Export {
  int name;
  Slot slot;
};

struct SetNode final : Node {
  explicit SetNode(int line) : Node(NodeKind::kSet, line) {}
  Expr *target = nullptr, *value = nullptr;
  std::vector<NamespaceRefNode*> namespaces;  // of the target
  std::vector<Export> exports;
};

struct SetBlockNode final : Node {
  explicit SetBlockNode(int line) : Node(NodeKind::kSetBlock, line) {}
  Expr* target = nullptr;
  FilterNode* filter = nullptr;
  Body body;
  Scope scope;
  std::vector<Export> exports;
  Escaping escaping = Escaping::kOff;
};

struct BlockNode final : Node {
  explicit BlockNode(int line) : Node(NodeKind::kBlock, line) {}
  std::string name;
  bool scoped = false, required = false;
  Body body;
  std::vector<Export> visible;  // of a scoped one: the variables around it
  Slot self, super;
  Scope scope;
  FunctionScope function;
};

struct AutoescapeNode final : Node {
  explicit AutoescapeNode(int line) : Node(NodeKind::kAutoescape, line) {}
  Expr* enabled = nullptr;
  Body body;
  Scope scope;
};

/// include, import, from and extends: there is nothing that they could load.
struct IncludeNode final : Node {
  explicit IncludeNode(int line) : Node(NodeKind::kInclude, line) {}
  Expr* source = nullptr;
  std::vector<int> names;  // which would be set
};

/// break and continue.
struct JumpNode final : Node {
  JumpNode(NodeKind kind, int line) : Node(kind, line) {}
};

class Tree {
 public:
  template <class T, class... Args>
  T* make(Args&&... args) {
    auto owned = std::make_unique<T>(std::forward<Args>(args)...);
    T* node = owned.get();
    nodes_.push_back(std::move(owned));
    return node;
  }
  size_t size() const { return nodes_.size(); }

  Body body;
  std::vector<std::string> names;  // of variables; nodes hold their places here
  std::vector<BlockNode*> blocks;
  std::vector<ConstNode*> constants;
  Scope scope;
  FunctionScope function;
  Slot self;  // index -1 where no statement reads it

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace skald::jinja
