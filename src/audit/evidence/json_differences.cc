#include "audit/evidence/json_differences.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestText = 80;

// The value for a message, cut short and without control characters.
std::string Shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kLongestText ? text : text.substr(0, kLongestText) + "...";
}

class Comparison {
 public:
  Comparison(double grams, Check& check, std::vector<std::string>& not_computed)
      : grams_(grams), check_(check), not_computed_(not_computed) {}

  /// `operands`: the size of the values whose difference this figure is; 0 if it is not a
  /// difference.
  void At(const Json& told, const Json& computed, const std::string& where, double operands = 0) {
    if (computed.is_object() && told.is_object()) return Objects(told, computed, where, operands);
    if (computed.is_array() && told.is_array()) return Arrays(told, computed, where, operands);
    ++compared_;
    const bool same = computed.is_number() && told.is_number()
                          ? AreAlike(told.get<double>(), computed.get<double>(),
                                     std::max(kSmallest, kToleranceOfDifference * operands))
                          : told == computed;
    if (!same)
      check_.Differ(where + ": the file says " + Shown(told) + ", computed " + Shown(computed));
  }
  std::int64_t compared() const { return compared_; }

 private:
  // The size of the operands of a field that is a difference. A percentage refers to the baseline,
  // and a cost saving to the cost at submission; all other savings are differences of grams.
  double OperandsOf(const std::string& key, const Json& computed) const {
    if (key == "saving_percent") return 100;
    const auto cost = computed.find("same_energy_at_submission");
    if (key == "saving" && cost != computed.end() && cost->is_number())
      return std::abs(cost->get<double>());
    return key.starts_with("saving") || computed.value("figure", "") == "saving_g" ? grams_ : 0;
  }

  void Objects(const Json& told, const Json& computed, const std::string& where, double operands) {
    for (const auto& [key, value] : computed.items()) {
      const auto found = told.find(key);
      if (found == told.end())
        check_.Differ(where + "." + key + ": is missing, computed " + Shown(value));
      else
        At(*found, value, where + "." + key, std::max(operands, OperandsOf(key, computed)));
    }
    for (const auto& [key, value] : told.items())
      if (!computed.contains(key)) not_computed_.push_back(where + "." + key);
  }
  void Arrays(const Json& told, const Json& computed, const std::string& where, double operands) {
    if (told.size() != computed.size()) {
      check_.Differ(where + ": the file has " + std::to_string(told.size()) +
                    " of them, computed " + std::to_string(computed.size()));
      return;
    }
    for (std::size_t i = 0; i < told.size(); ++i)
      At(told[i], computed[i], where + "[" + std::to_string(i) + "]", operands);
  }

  double grams_;
  Check& check_;
  std::vector<std::string>& not_computed_;
  std::int64_t compared_ = 0;
};

}  // namespace

bool AreAlike(double told, double computed, double floor) {
  const double largest = std::max(std::abs(told), std::abs(computed));
  return std::abs(told - computed) <= std::max(kTolerance * largest, floor);
}

std::int64_t Compare(std::string_view told_text, std::string_view computed,
                     const std::string& where, Check& check, std::vector<std::string>& not_computed,
                     double grams) {
  const Json told = Json::parse(told_text, nullptr, false);
  if (told.is_discarded()) {
    check.Differ(where + ": is not JSON");
    return 0;
  }
  Comparison comparison(grams, check, not_computed);
  comparison.At(told, Json::parse(computed), where);
  return comparison.compared();
}

}  // namespace ebb::audit
