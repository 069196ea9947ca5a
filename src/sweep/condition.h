#pragma once
// Conditions of a sweep's rules as data: "r == 16", "dropout >= 0.15", and all / any of several.
// Numbers compare as numbers ("1e-4" equals "0.0001"), everything else as text. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::sweep {

/// A parameter's value: the user's exact text, and its number if the text is a number.
struct Value {
  std::string text;
  std::optional<double> number;
  /// Reads the number out of the text.
  static Value From(std::string text);
};
/// Compares as numbers if both values are numbers, and otherwise as texts.
bool SameValue(const Value& a, const Value& b);

/// A parameter that has been given a value.
struct Setting {
  std::string name;
  Value value;
};
/// Returns nullptr if no setting has that name.
const Value* FindValue(std::span<const Setting> settings, std::string_view name);

enum class Comparison { kEqual, kNotEqual, kLess, kAtMost, kGreater, kAtLeast };

struct Condition {
  enum class Kind { kAlways, kCompare, kAll, kAny };
  Kind kind = Kind::kAlways;
  std::string parameter;  ///< kCompare
  Comparison comparison = Comparison::kEqual;
  Value value;
  std::vector<Condition> parts;  ///< kAll, kAny
  int line = 0;                  ///< in the sweep file
};

/// Reads a comparison such as "alpha == 128". An Error says what a comparison looks like.
Result<Condition> ParseComparison(std::string_view text);

/// Decides the condition. Every parameter in it must be there, and must be a number if it is
/// ordered; an Error names the one that is not.
Result<bool> Holds(const Condition& condition, std::span<const Setting> settings);

/// Every comparison inside the condition, in order.
std::vector<const Condition*> Comparisons(const Condition& condition);

}  // namespace ebb::sweep
