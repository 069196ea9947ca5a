#pragma once
// The filters, tests and methods that chat templates use, as Jinja and Python define them. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "train/text/template/jinja_value.h"

namespace ebb::train::jinja {

struct CallArguments {
  std::vector<Value> by_position;
  Dict by_name;

  /// The argument by position or name; `otherwise` if neither is given.
  Value Get(std::size_t position, std::string_view name, Value otherwise = {}) const;
  bool Has(std::size_t position, std::string_view name) const;
};

/// The longest text that a call may make, in bytes.
inline constexpr std::size_t kMaxTextBytes = 16 << 20;

bool IsFilter(std::string_view name);
bool IsTest(std::string_view name);

/// Errors have no `where`.
Result<Value> ApplyFilter(const std::string& name, const Value& value,
                          const CallArguments& arguments);
Result<bool> ApplyTest(const std::string& name, const Value& value, const CallArguments& arguments);
Result<Value> CallMethod(const std::string& name, const Value& value,
                         const CallArguments& arguments);

/// a < b for numbers and texts.
Result<bool> IsLess(const Value& a, const Value& b);
/// `item in container`.
Result<bool> Contains(const Value& container, const Value& item);

}  // namespace ebb::train::jinja
