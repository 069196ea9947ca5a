// Reads and writes values of options as text.

#include <cmath>

#include "base/text.h"
#include "core/options/job_options.h"

namespace ebb::core {
namespace {

Result<OptionValue> NotA(const std::string& wanted) {
  return Fail({ExitCode::kUsage, wanted, "", ""});
}

std::string RangeText(const Field& field) {
  return "from " + LimitText(field.low) + " to " + LimitText(field.high);
}

Result<OptionValue> ParseNumberOf(const Field& field, std::string_view text) {
  const auto number = ParseNumber(text);
  if (number && *number >= field.low && *number <= field.high) return OptionValue(*number);
  return NotA("a number " + RangeText(field));
}

Result<OptionValue> ParseWholeOf(const Field& field, std::string_view text) {
  const auto number = ParseInteger(text);
  const auto value = static_cast<double>(number.value_or(0));
  if (number && value >= field.low && value <= field.high)
    return OptionValue(std::int64_t{*number});
  return NotA("a whole number " + RangeText(field));
}

Result<OptionValue> ParseDurationOf(const Field& field, std::string_view text) {
  const auto duration = ParseDuration(text);
  if (duration && *duration >= DurationFromSeconds(field.low)) return OptionValue(*duration);
  return NotA("a duration like 90m or 12h");
}

Result<OptionValue> ParseChoiceOf(const Field& field, std::string_view text) {
  for (const std::string& choice : field.choices)
    if (choice == text) return OptionValue(choice);
  return NotA("one of " + Join(field.choices, ", "));
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(text, ',')) words.emplace_back(Trim(word));
  return words;
}

}  // namespace

std::string LimitText(double limit) {
  return limit == std::floor(limit) ? FormatFixed(limit, 0) : FormatExact(limit);
}

std::string AnswerKey(const Field& field) {
  return field.shape == Shape::kDuration ? field.key + "_s" : field.key;
}

Result<OptionValue> ParseOption(const Field& field, std::string_view text) {
  switch (field.shape) {
    case Shape::kNumber:
      return ParseNumberOf(field, text);
    case Shape::kWhole:
      return ParseWholeOf(field, text);
    case Shape::kFlag:
      if (text == "true" || text == "false") return OptionValue(text == "true");
      return NotA("\"true\" or \"false\"");
    case Shape::kDuration:
      return ParseDurationOf(field, text);
    case Shape::kChoice:
      return ParseChoiceOf(field, text);
    case Shape::kTexts:
      return OptionValue(Words(text));
    default:
      return OptionValue(std::string(text));
  }
}

std::string OptionText(const OptionValue& value) {
  struct Writer {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return FormatExact(number); }
    std::string operator()(Duration duration) const { return FormatExact(duration); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::string>& texts) const { return Join(texts, ","); }
  };
  return std::visit(Writer{}, value);
}

}  // namespace ebb::core
