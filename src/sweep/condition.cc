#include "sweep/condition.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace ebb::sweep {
namespace {

struct Operator {
  std::string_view text;
  Comparison comparison;
};
// Operators of two characters come before those of one, so that "<=" is not read as "<".
constexpr std::array<Operator, 6> kOperators{{{"==", Comparison::kEqual},
                                              {"!=", Comparison::kNotEqual},
                                              {"<=", Comparison::kAtMost},
                                              {">=", Comparison::kAtLeast},
                                              {"<", Comparison::kLess},
                                              {">", Comparison::kGreater}}};

std::optional<std::pair<std::size_t, Operator>> FindOperator(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const Operator& candidate : kOperators) {
      if (text.substr(at).starts_with(candidate.text)) return std::pair{at, candidate};
    }
  }
  return std::nullopt;
}

bool Ordered(Comparison comparison, double a, double b) {
  switch (comparison) {
    case Comparison::kLess:
      return a < b;
    case Comparison::kAtMost:
      return a <= b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kAtLeast:
      return a >= b;
    case Comparison::kEqual:
    case Comparison::kNotEqual:
      break;
  }
  return false;
}

Result<bool> Compare(const Condition& condition, std::span<const Setting> settings) {
  const Value* value = FindValue(settings, condition.parameter);
  if (!value)
    return Fail({ExitCode::kConfiguration, "there is no parameter " + condition.parameter, "", ""});
  if (condition.comparison == Comparison::kEqual) return SameValue(*value, condition.value);
  if (condition.comparison == Comparison::kNotEqual) return !SameValue(*value, condition.value);
  if (!value->number || !condition.value.number)
    return Fail({ExitCode::kConfiguration,
                 condition.parameter + " is compared by size, and \"" +
                     (value->number ? condition.value.text : value->text) + "\" is not a number",
                 "", ""});
  return Ordered(condition.comparison, *value->number, *condition.value.number);
}

void Collect(const Condition& condition, std::vector<const Condition*>& found) {
  if (condition.kind == Condition::Kind::kCompare) found.push_back(&condition);
  for (const Condition& part : condition.parts) Collect(part, found);
}

}  // namespace

Value Value::From(std::string text) {
  const auto number = ParseNumber(text);
  return {std::move(text), number};
}

bool SameValue(const Value& a, const Value& b) {
  if (a.number && b.number) return *a.number == *b.number;
  return a.text == b.text;
}

const Value* FindValue(std::span<const Setting> settings, std::string_view name) {
  for (const Setting& setting : settings) {
    if (setting.name == name) return &setting.value;
  }
  return nullptr;
}

Result<Condition> ParseComparison(std::string_view text) {
  const auto found = FindOperator(text);
  const Error error{ExitCode::kConfiguration,
                    "\"" + std::string(text.substr(0, 60)) + "\" is not a comparison", "",
                    "write a parameter, one of == != < <= > >= and a value, e.g. dropout >= 0.15"};
  if (!found) return Fail(error);
  const auto& [at, op] = *found;
  const std::string_view name = Trim(text.substr(0, at));
  const std::string_view value = Trim(text.substr(at + op.text.size()));
  const bool odd = value.find_first_of("=<>") == 0 || name.find(' ') != std::string_view::npos;
  if (name.empty() || value.empty() || odd) return Fail(error);
  Condition condition;
  condition.kind = Condition::Kind::kCompare;
  condition.parameter = name;
  condition.comparison = op.comparison;
  condition.value = Value::From(std::string(value));
  return condition;
}

Result<bool> Holds(const Condition& condition, std::span<const Setting> settings) {
  if (condition.kind == Condition::Kind::kAlways) return true;
  if (condition.kind == Condition::Kind::kCompare) return Compare(condition, settings);
  const bool all = condition.kind == Condition::Kind::kAll;
  for (const Condition& part : condition.parts) {
    EBB_ASSIGN_OR_RETURN(const bool holds, Holds(part, settings));
    if (holds != all) return holds;
  }
  return all;
}

std::vector<const Condition*> Comparisons(const Condition& condition) {
  std::vector<const Condition*> found;
  Collect(condition, found);
  return found;
}

}  // namespace ebb::sweep
