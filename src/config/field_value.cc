#include "config/field_value.h"

#include "config/yaml/list_reader.h"

namespace ebb::config {
namespace {

using core::OptionValue;
using core::Shape;

template <typename T>
std::optional<OptionValue> ByRule(const YamlNode& value, Problems& problems, Given<T>& given,
                                  const KeyRule& rule) {
  rule.read(value, problems);
  return given ? std::optional<OptionValue>(*given) : std::nullopt;
}

Duration LeastOf(const core::Field& field) { return DurationFromSeconds(field.low); }
Duration MostOf(const core::Field& field) {
  return field.high > 0 ? DurationFromSeconds(field.high) : Duration::max();
}

}  // namespace

std::optional<core::OptionValue> ReadFieldValue(const core::Field& field, const YamlNode& value,
                                                Problems& problems) {
  const Range range{field.low, field.high};
  switch (field.shape) {
    case Shape::kNumber: {
      Given<double> given;
      return ByRule(value, problems, given, ReadNumber(field.key, given, range));
    }
    case Shape::kWhole: {
      Given<std::int64_t> given;
      return ByRule(value, problems, given, ReadInteger(field.key, given, range));
    }
    case Shape::kFlag: {
      Given<bool> given;
      return ByRule(value, problems, given, ReadBool(field.key, given));
    }
    case Shape::kDuration:
    case Shape::kMoment: {
      Given<Duration> given;
      return ByRule(value, problems, given,
                    ReadDuration(field.key, given, LeastOf(field), MostOf(field)));
    }
    case Shape::kTexts: {
      Given<std::vector<std::string>> given;
      return ByRule(value, problems, given, ReadTexts(field.key, given));
    }
    case Shape::kChoice: {
      Given<std::string> given;
      return ByRule(value, problems, given, ReadChoice(field.key, given, field.choices));
    }
    default: {
      Given<std::string> given;
      return ByRule(value, problems, given, ReadText(field.key, given));
    }
  }
}

}  // namespace ebb::config
