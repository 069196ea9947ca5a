#include "train/text/template/jinja_renderer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "train/text/template/jinja_functions.h"

namespace ebb::train::jinja {
namespace {

constexpr int kMaxSteps = 1'000'000;
constexpr int kMaxCalls = 20;  // nesting of macros in macros
constexpr int kMaxValueDepth = 64;
constexpr std::int64_t kMaxRange = 100'000;

tl::unexpected<Error> Refused(std::string what) {
  return Fail({ExitCode::kConfiguration, "the chat template: " + std::move(what), "", ""});
}

enum class Flow { kOn, kBreak, kContinue };
using Scope = std::map<std::string, Value, std::less<>>;

class Renderer {
 public:
  explicit Renderer(const Dict& variables) : scopes_(1) {
    for (const auto& [name, value] : variables) scopes_[0][name] = value;
  }

  Result<std::string> Run(const Block& block) {
    std::string output;
    EBB_RETURN_IF_ERROR(Render(block, output));
    return output;
  }

 private:
  Status Step(int steps = 1) {
    steps_ += steps;
    if (steps_ > kMaxSteps) return Refused("it takes too many steps");
    return {};
  }

  // --- statements

  Result<Flow> Render(const Block& block, std::string& output) {
    for (const Statement& statement : block) {
      EBB_RETURN_IF_ERROR(Step());
      EBB_ASSIGN_OR_RETURN(const Flow flow, RenderOne(statement, output));
      if (output.size() > kMaxTextBytes) return Refused("its output is too long");
      if (flow != Flow::kOn) return flow;
    }
    return Flow::kOn;
  }

  Result<Flow> RenderOne(const Statement& statement, std::string& output) {
    switch (statement.kind) {
      case Statement::Kind::kText:
        output += statement.text;
        return Flow::kOn;
      case Statement::Kind::kPrint: {
        EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*statement.expression));
        output += value.Printed();
        return Flow::kOn;
      }
      case Statement::Kind::kIf:
        return RenderIf(statement, output);
      case Statement::Kind::kFor:
        return RenderFor(statement, output);
      case Statement::Kind::kSet:
        return Set(statement);
      case Statement::Kind::kMacro:
        macros_[statement.member] = &statement;
        return Flow::kOn;
      case Statement::Kind::kBreak:
        return Flow::kBreak;
      case Statement::Kind::kContinue:
        return Flow::kContinue;
    }
    return Flow::kOn;
  }

  Result<Flow> RenderIf(const Statement& statement, std::string& output) {
    for (const auto& [condition, body] : statement.branches) {
      bool holds = condition == nullptr;
      if (!holds) {
        EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*condition));
        holds = value.IsTrue();
      }
      if (holds) return Render(body, output);
    }
    return Flow::kOn;
  }

  Status Bind(const Statement& statement, const Value& item) {
    if (statement.names.size() == 1) {
      scopes_.back()[statement.names[0]] = item;
      return {};
    }
    const auto parts = item.Items();
    if (!parts || parts->size() != statement.names.size())
      return Refused("a loop with several names goes over other things than such lists");
    for (std::size_t i = 0; i < parts->size(); ++i)
      scopes_.back()[statement.names[i]] = (*parts)[i];
    return {};
  }

  // The items that fulfil the loop's own condition.
  Result<List> ItemsOf(const Statement& statement) {
    EBB_ASSIGN_OR_RETURN(const Value iterated, Evaluate(*statement.expression));
    auto items = iterated.Items();
    if (!items) return Refused("a loop goes over something that is not a list");
    EBB_RETURN_IF_ERROR(Step(static_cast<int>(std::min<std::size_t>(items->size(), kMaxSteps))));
    if (statement.condition == nullptr) return *std::move(items);
    List taken;
    for (const Value& item : *items) {
      EBB_RETURN_IF_ERROR(Bind(statement, item));
      EBB_ASSIGN_OR_RETURN(const Value holds, Evaluate(*statement.condition));
      if (holds.IsTrue()) taken.push_back(item);
    }
    return taken;
  }

  static Value LoopVariable(const List& items, std::size_t i) {
    const auto number = [](std::size_t value) { return Value(static_cast<std::int64_t>(value)); };
    const std::size_t count = items.size();
    return Value(Dict{{"index", number(i + 1)},
                      {"index0", number(i)},
                      {"revindex", number(count - i)},
                      {"revindex0", number(count - i - 1)},
                      {"first", Value(i == 0)},
                      {"last", Value(i + 1 == count)},
                      {"length", number(count)},
                      {"previtem", i == 0 ? Value() : items[i - 1]},
                      {"nextitem", i + 1 == count ? Value() : items[i + 1]}});
  }

  Result<Flow> RenderFor(const Statement& statement, std::string& output) {
    scopes_.emplace_back();
    auto flow = RenderItems(statement, output);
    scopes_.pop_back();
    return flow;
  }

  Result<Flow> RenderItems(const Statement& statement, std::string& output) {
    EBB_ASSIGN_OR_RETURN(const List items, ItemsOf(statement));
    if (items.empty()) return Render(statement.otherwise, output);
    for (std::size_t i = 0; i < items.size(); ++i) {
      scopes_.back().clear();
      EBB_RETURN_IF_ERROR(Bind(statement, items[i]));
      scopes_.back()["loop"] = LoopVariable(items, i);
      EBB_ASSIGN_OR_RETURN(const Flow flow, Render(statement.body, output));
      if (flow == Flow::kBreak) break;
    }
    return Flow::kOn;
  }

  Result<Flow> Set(const Statement& statement) {
    Value value;
    if (statement.expression != nullptr) {
      EBB_ASSIGN_OR_RETURN(value, Evaluate(*statement.expression));
    } else {
      std::string text;
      EBB_ASSIGN_OR_RETURN(const Flow flow, Render(statement.body, text));
      if (flow != Flow::kOn) return flow;
      value = Value(std::move(text));
    }
    std::size_t size = 0;
    EBB_RETURN_IF_ERROR(Weigh(value, 0, size));
    const std::string& name = statement.names[0];
    if (statement.member.empty()) {
      scopes_.back()[name] = std::move(value);
      return Flow::kOn;
    }
    const Value holder = Lookup(name);
    if (!IsNamespace(holder)) return Refused(Quoted(name) + " is not a namespace");
    auto& members = *holder.dict();
    const auto found = std::find_if(members.begin(), members.end(), [&](const auto& member) {
      return member.first == statement.member;
    });
    if (found != members.end())
      found->second = std::move(value);
    else
      members.emplace_back(statement.member, std::move(value));
    return Flow::kOn;
  }

  // Limits the size and depth of a kept value, and keeps a namespace from containing itself.
  Status Weigh(const Value& value, int depth, std::size_t& size) {
    EBB_RETURN_IF_ERROR(Step());
    size += value.text() != nullptr ? value.text()->size() : 1;
    if (depth > kMaxValueDepth || size > kMaxTextBytes) return Refused("a value is too large");
    if (depth > 0 && IsNamespace(value))
      return Refused("a namespace is kept inside something else");
    if (const List* items = value.list()) {
      for (const Value& item : *items) EBB_RETURN_IF_ERROR(Weigh(item, depth + 1, size));
    } else if (const Dict* members = value.dict()) {
      for (const auto& member : *members)
        EBB_RETURN_IF_ERROR(Weigh(member.second, depth + 1, size));
    }
    return {};
  }

  bool IsNamespace(const Value& value) const {
    return value.dict() != nullptr &&
           std::find(namespaces_.begin(), namespaces_.end(), value.dict()) != namespaces_.end();
  }

  Value Lookup(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    }
    return {};
  }

  // --- expressions

  Result<Value> Evaluate(const Expression& node) {
    EBB_RETURN_IF_ERROR(Step());
    using Kind = Expression::Kind;
    switch (node.kind) {
      case Kind::kLiteral:
        return node.literal;
      case Kind::kName:
        return Lookup(node.name);
      case Kind::kList:
        return EvaluateList(node);
      case Kind::kDict:
        return EvaluateDict(node);
      case Kind::kMember:
        return EvaluateMember(node);
      case Kind::kItem:
        return EvaluateItem(node);
      case Kind::kSlice:
        return EvaluateSlice(node);
      case Kind::kCall:
        return EvaluateCall(node);
      case Kind::kFilter: {
        EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*node.children[0]));
        EBB_ASSIGN_OR_RETURN(const CallArguments arguments, EvaluateArguments(node.arguments));
        return Weighed(ApplyFilter(node.name, value, arguments));
      }
      case Kind::kTest: {
        EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*node.children[0]));
        EBB_ASSIGN_OR_RETURN(const CallArguments arguments, EvaluateArguments(node.arguments));
        EBB_ASSIGN_OR_RETURN(const bool holds, ApplyTest(node.name, value, arguments));
        return Value(holds);
      }
      case Kind::kNot: {
        EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*node.children[0]));
        return Value(!value.IsTrue());
      }
      case Kind::kNegative: {
        EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*node.children[0]));
        if (!value.is_number()) return Refused("minus something that is not a number");
        return value.is_float() ? Value(-value.AsFloat()) : Negative(value.AsInteger());
      }
      case Kind::kAnd:
      case Kind::kOr: {
        EBB_ASSIGN_OR_RETURN(Value left, Evaluate(*node.children[0]));
        if (left.IsTrue() == (node.kind == Kind::kOr)) return left;
        return Evaluate(*node.children[1]);
      }
      case Kind::kBinary:
        return EvaluateBinary(node);
      case Kind::kConditional: {
        EBB_ASSIGN_OR_RETURN(const Value condition, Evaluate(*node.children[1]));
        if (condition.IsTrue()) return Evaluate(*node.children[0]);
        return node.children[2] == nullptr ? Value() : Evaluate(*node.children[2]);
      }
    }
    return Value();
  }

  static Value Negative(std::int64_t value) {
    return Value(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value)));
  }

  Result<Value> Weighed(Result<Value> value) {
    if (!value) return value;
    std::size_t size = 0;
    if (value->dict() == nullptr && value->list() == nullptr) return value;
    EBB_RETURN_IF_ERROR(Weigh(*value, 0, size));
    return value;
  }

  Result<Value> EvaluateList(const Expression& node) {
    List items;
    for (const ExpressionPointer& child : node.children) {
      EBB_ASSIGN_OR_RETURN(Value item, Evaluate(*child));
      items.push_back(std::move(item));
    }
    return Weighed(Value(std::move(items)));
  }

  Result<Value> EvaluateDict(const Expression& node) {
    Dict members;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      EBB_ASSIGN_OR_RETURN(const Value key, Evaluate(*node.children[i]));
      EBB_ASSIGN_OR_RETURN(Value value, Evaluate(*node.children[i + 1]));
      members.emplace_back(key.Printed(), std::move(value));
    }
    return Weighed(Value(std::move(members)));
  }

  Result<Value> EvaluateMember(const Expression& node) {
    EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*node.children[0]));
    if (value.is_undefined())
      return Refused("the member " + Quoted(node.name) + " of something undefined");
    return value.At(node.name);
  }

  static std::optional<std::size_t> Place(std::int64_t index, std::size_t count) {
    if (index < 0) index += static_cast<std::int64_t>(count);
    if (index < 0 || index >= static_cast<std::int64_t>(count)) return std::nullopt;
    return static_cast<std::size_t>(index);
  }

  Result<Value> EvaluateItem(const Expression& node) {
    EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*node.children[0]));
    EBB_ASSIGN_OR_RETURN(const Value index, Evaluate(*node.children[1]));
    if (value.is_undefined()) return Refused("an item of something undefined");
    if (value.dict() != nullptr) return value.At(index.Printed());
    if (!index.is_integer()) return Value();
    const auto items = value.Items();
    const auto place = items ? Place(index.AsInteger(), items->size()) : std::nullopt;
    return place ? (*items)[*place] : Value();
  }

  // Slices lists and texts as Python does.
  Result<Value> EvaluateSlice(const Expression& node) {
    EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*node.children[0]));
    std::array<std::optional<std::int64_t>, 3> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (node.children[i + 1] == nullptr) continue;
      EBB_ASSIGN_OR_RETURN(const Value part, Evaluate(*node.children[i + 1]));
      if (!part.is_integer() && !part.is_none())
        return Refused("a slice by something that is not a whole number");
      if (part.is_integer()) parts[i] = part.AsInteger();
    }
    const auto items = value.Items();
    if (!items || value.dict() != nullptr)
      return Refused("a slice of something that is not a list or text");
    const auto count = static_cast<std::int64_t>(items->size());
    const std::int64_t step = parts[2].value_or(1);
    if (step == 0 || step < -count - 1 || step > count + 1)
      return Refused("a slice with a step that is not supported");
    const std::int64_t low = step < 0 ? -1 : 0, high = step < 0 ? count - 1 : count;
    const auto place = [&](std::optional<std::int64_t> part, std::int64_t otherwise) {
      if (!part) return otherwise;
      const std::int64_t index = std::clamp(*part, -count - 1, count + 1);
      return std::clamp(index < 0 ? index + count : index, low, high);
    };
    List taken;
    const std::int64_t end = place(parts[1], step < 0 ? low : high);
    for (std::int64_t at = place(parts[0], step < 0 ? high : low); step < 0 ? at > end : at < end;
         at += step)
      taken.push_back((*items)[static_cast<std::size_t>(at)]);
    if (value.text() == nullptr) return Value(std::move(taken));
    std::string text;
    for (const Value& character : taken) text += *character.text();
    return Value(std::move(text));
  }

  Result<Value> EvaluateBinary(const Expression& node) {
    EBB_ASSIGN_OR_RETURN(const Value left, Evaluate(*node.children[0]));
    EBB_ASSIGN_OR_RETURN(const Value right, Evaluate(*node.children[1]));
    const std::string& sign = node.name;
    if (sign == "==") return Value(left.Equals(right));
    if (sign == "!=") return Value(!left.Equals(right));
    if (sign == "in" || sign == "not in") {
      EBB_ASSIGN_OR_RETURN(const bool contains, Contains(right, left));
      return Value(contains == (sign == "in"));
    }
    if (sign == "<" || sign == ">=") {
      EBB_ASSIGN_OR_RETURN(const bool less, IsLess(left, right));
      return Value(less == (sign == "<"));
    }
    if (sign == ">" || sign == "<=") {
      EBB_ASSIGN_OR_RETURN(const bool less, IsLess(right, left));
      return Value(less == (sign == ">"));
    }
    if (sign == "~") return Concatenated(left.Printed(), right.Printed());
    if (sign == "+" && left.text() != nullptr && right.text() != nullptr)
      return Concatenated(*left.text(), *right.text());
    if (sign == "+" && left.list() != nullptr && right.list() != nullptr) {
      List items = *left.list();
      items.insert(items.end(), right.list()->begin(), right.list()->end());
      return Weighed(Value(std::move(items)));
    }
    if (!left.is_number() || !right.is_number())
      return Refused("the operator " + sign + " between things that it is not for");
    return Calculated(sign, left, right);
  }

  static Result<Value> Concatenated(const std::string& left, const std::string& right) {
    if (left.size() + right.size() > kMaxTextBytes) return Refused("a text becomes too long");
    return Value(left + right);
  }

  static Result<Value> Calculated(const std::string& sign, const Value& left, const Value& right) {
    const double a = left.AsFloat(), b = right.AsFloat();
    const bool whole = !left.is_float() && !right.is_float();
    if ((sign == "/" || sign == "//" || sign == "%") && b == 0)
      return Refused("a division by zero");
    double result = 0;
    if (sign == "+")
      result = a + b;
    else if (sign == "-")
      result = a - b;
    else if (sign == "*")
      result = a * b;
    else if (sign == "/")
      return Value(a / b);
    else if (sign == "//")
      result = std::floor(a / b);
    else
      result = a - b * std::floor(a / b);
    if (!whole) return Value(result);
    if (std::fabs(result) > 9e15) return Refused("a number becomes too large");
    return Value(static_cast<std::int64_t>(result));
  }

  Result<CallArguments> EvaluateArguments(const std::vector<Argument>& arguments) {
    CallArguments evaluated;
    for (const Argument& argument : arguments) {
      EBB_ASSIGN_OR_RETURN(Value value, Evaluate(*argument.value));
      if (argument.name.empty())
        evaluated.by_position.push_back(std::move(value));
      else
        evaluated.by_name.emplace_back(argument.name, std::move(value));
    }
    return evaluated;
  }

  Result<Value> EvaluateCall(const Expression& node) {
    const Expression& callee = *node.children[0];
    if (callee.kind == Expression::Kind::kMember) {
      EBB_ASSIGN_OR_RETURN(const Value value, Evaluate(*callee.children[0]));
      EBB_ASSIGN_OR_RETURN(const CallArguments arguments, EvaluateArguments(node.arguments));
      return Weighed(CallMethod(callee.name, value, arguments));
    }
    if (callee.kind != Expression::Kind::kName)
      return Refused("something is called that is not a function");
    EBB_ASSIGN_OR_RETURN(const CallArguments arguments, EvaluateArguments(node.arguments));
    return CallFunction(callee.name, arguments);
  }

  Result<Value> CallFunction(const std::string& name, const CallArguments& arguments) {
    if (name == "raise_exception")
      return Fail({ExitCode::kConfiguration,
                   "the chat template refuses this chat: " + arguments.Get(0, "message").Printed(),
                   "", ""});
    if (name == "namespace" || name == "dict") {
      Value made{Dict(arguments.by_name)};
      EBB_RETURN_IF_ERROR(Weighed(made));
      if (name == "namespace") namespaces_.push_back(made.dict());
      if (name == "namespace") kept_.push_back(made);
      return made;
    }
    if (name == "range") return Range(arguments);
    if (name == "strftime_now")
      return Refused(
          "it asks for today's date, so it would give other tokens each day; put the date into the "
          "template");
    const auto macro = macros_.find(name);
    if (macro == macros_.end()) return Refused("the function " + Quoted(name) + " is not known");
    return CallMacro(*macro->second, arguments);
  }

  static Result<Value> Range(const CallArguments& arguments) {
    const std::size_t count = arguments.by_position.size();
    if (count < 1 || count > 3) return Refused("range has one to three arguments");
    const std::int64_t begin = count == 1 ? 0 : arguments.by_position[0].AsInteger();
    const std::int64_t end = arguments.by_position[count == 1 ? 0 : 1].AsInteger();
    const std::int64_t step = count == 3 ? arguments.by_position[2].AsInteger() : 1;
    const auto small = [](std::int64_t value) { return std::abs(value) <= kMaxRange; };
    if (step == 0 || !small(begin) || !small(end) || !small(step))
      return Refused("a range is too large");
    List items;
    for (std::int64_t at = begin; step < 0 ? at > end : at < end; at += step)
      items.emplace_back(at);
    return Value(std::move(items));
  }

  Result<Value> CallMacro(const Statement& macro, const CallArguments& arguments) {
    if (++calls_ > kMaxCalls) return Refused("macros call each other too deep");
    std::vector<Scope> caller{scopes_[0]};
    Scope own;
    for (std::size_t i = 0; i < macro.arguments.size(); ++i) {
      const Argument& parameter = macro.arguments[i];
      Value value = arguments.Get(i, parameter.name);
      if (!arguments.Has(i, parameter.name) && parameter.value != nullptr) {
        EBB_ASSIGN_OR_RETURN(value, Evaluate(*parameter.value));
      }
      own[parameter.name] = std::move(value);
    }
    caller.push_back(std::move(own));
    std::swap(scopes_, caller);
    std::string output;
    auto flow = Render(macro.body, output);
    std::swap(scopes_, caller);
    --calls_;
    if (!flow) return Fail(std::move(flow).error());
    return Value(std::move(output));
  }

  std::vector<Scope> scopes_;
  std::map<std::string, const Statement*> macros_;
  std::vector<const Dict*> namespaces_;
  std::vector<Value> kept_;  ///< kept so that no other dict gets a namespace's address
  int steps_ = 0, calls_ = 0;
};

Status CheckExpression(const ExpressionPointer& node) {
  if (node == nullptr) return {};
  if (node->kind == Expression::Kind::kFilter && !IsFilter(node->name))
    return Refused("the filter " + Quoted(node->name) + " is not supported");
  if (node->kind == Expression::Kind::kTest && !IsTest(node->name))
    return Refused("the test " + Quoted(node->name) + " is not supported");
  for (const ExpressionPointer& child : node->children) EBB_RETURN_IF_ERROR(CheckExpression(child));
  for (const Argument& argument : node->arguments)
    EBB_RETURN_IF_ERROR(CheckExpression(argument.value));
  return {};
}

}  // namespace

Status CheckNames(const Block& block) {
  for (const Statement& statement : block) {
    EBB_RETURN_IF_ERROR(CheckExpression(statement.expression));
    EBB_RETURN_IF_ERROR(CheckExpression(statement.condition));
    for (const Argument& argument : statement.arguments)
      EBB_RETURN_IF_ERROR(CheckExpression(argument.value));
    for (const auto& [condition, body] : statement.branches) {
      EBB_RETURN_IF_ERROR(CheckExpression(condition));
      EBB_RETURN_IF_ERROR(CheckNames(body));
    }
    EBB_RETURN_IF_ERROR(CheckNames(statement.body));
    EBB_RETURN_IF_ERROR(CheckNames(statement.otherwise));
  }
  return {};
}

Result<std::string> Render(const Block& block, const Dict& variables) {
  return Renderer(variables).Run(block);
}

}  // namespace ebb::train::jinja
