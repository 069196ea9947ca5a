#include "app/options/read_option.h"

#include <algorithm>

#include "app/options/flag_values.h"
#include "app/options/when.h"
#include "base/text.h"
#include "platform/system_clock.h"

namespace ebb::app {
namespace {

using config::RunOption;
using core::Field;
using core::OptionValue;
using core::Shape;

std::string Dashed(const RunOption& option) { return "--" + option.field.flag.name; }

Error BadValue(const RunOption& option, const std::string& text, const std::string& next) {
  return {ExitCode::kUsage, Dashed(option) + ": \"" + text + "\" is not accepted", "", next};
}

Error OutOfRange(const RunOption& option, const std::string& text, const std::string& number) {
  const Field& field = option.field;
  if (!option.accepts.empty()) return BadValue(option, text, "give " + option.accepts);
  return BadValue(option, text,
                  "give " + number + " from " + FormatSignificant(field.low, 3) + " to " +
                      FormatSignificant(field.high, 3));
}

Result<OptionValue> ReadNumber(const RunOption& option, const std::string& text) {
  const auto value = ParseNumber(text);
  if (value && *value >= option.field.low && *value <= option.field.high) return *value;
  return Fail(OutOfRange(option, text, "a number"));
}

Result<OptionValue> ReadWhole(const RunOption& option, const std::string& text) {
  const auto value = ParseInteger(text);
  const auto number = static_cast<double>(value.value_or(0));
  if (value && number >= option.field.low && number <= option.field.high)
    return OptionValue(std::int64_t{*value});
  return Fail(OutOfRange(option, text, "a whole number"));
}

Result<OptionValue> ReadDuration(const RunOption& option, const std::string& text) {
  EBB_ASSIGN_OR_RETURN(const Duration value, DurationOf(Dashed(option), text));
  const Field& field = option.field;
  if (value < DurationFromSeconds(field.low) ||
      (field.high > 0 && value > DurationFromSeconds(field.high)))
    return Fail(OutOfRange(option, text, "a duration"));
  return value;
}

// A moment is kept as the time until it.
Result<OptionValue> ReadMoment(const RunOption& option, const std::string& text) {
  EBB_ASSIGN_OR_RETURN(const auto zone, ZoneOfUser(""));
  const Time now = platform::WallNow();
  EBB_ASSIGN_OR_RETURN(const When when, WhenOf(Dashed(option), text, now, zone));
  const auto* at = std::get_if<Time>(&when);
  return at ? *at - now : std::get<Duration>(when);
}

Result<OptionValue> ReadChoice(const RunOption& option, const std::string& text) {
  const std::vector<std::string>& choices = option.field.choices;
  std::string name = option.full_name ? option.full_name(text) : text;
  if (std::ranges::find(choices, name) != choices.end()) return name;
  return Fail(BadValue(option, text,
                       "choose one of " + Join(choices, ", ") + SuggestionText(text, choices)));
}

Result<OptionValue> Read(const RunOption& option, const std::string& text) {
  switch (option.field.shape) {
    case Shape::kNumber:
      return ReadNumber(option, text);
    case Shape::kWhole:
      return ReadWhole(option, text);
    case Shape::kDuration:
      return ReadDuration(option, text);
    case Shape::kMoment:
      return ReadMoment(option, text);
    case Shape::kChoice:
      return ReadChoice(option, text);
    case Shape::kFlag:
      return OptionValue(true);
    default:
      return OptionValue(text);
  }
}

// The Error of an option's `set`, for a flag.
Error ErrorOf(const RunOption& option, const std::string& text, Error error) {
  if (option.flag_error == config::FlagError::kUnchanged) return error;
  if (option.flag_error == config::FlagError::kNamed)
    return {ExitCode::kUsage, Dashed(option) + ": " + error.what, "", error.next};
  std::string next = error.what.empty() ? error.next : error.what + "; " + error.next;
  if (!option.flag_words.empty()) next += ", or " + Join(option.flag_words, ", ");
  return BadValue(option, text, next);
}

}  // namespace

Status SetOption(const RunOption& option, const std::string& text, config::RunOptions& options) {
  if (std::ranges::find(option.flag_words, text) != option.flag_words.end()) return {};
  EBB_ASSIGN_OR_RETURN(const OptionValue value, Read(option, text));
  if (option.selects) {
    options.scheduler.signal.source = *option.selects;
    options.scheduler.signal.fallbacks.clear();
  }
  if (Status set = option.member.set(value, options); !set)
    return Fail(ErrorOf(option, text, set.error()));
  return {};
}

}  // namespace ebb::app
