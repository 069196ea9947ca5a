#include "sweep/text_template.h"

#include <charconv>
#include <cmath>

#include "base/text.h"

namespace ebb::sweep {
namespace {

constexpr double kLargestWhole = 9e15;

Error Malformed(std::string what) {
  return {ExitCode::kConfiguration, std::move(what), "",
          "a place is {name} or {name:format}; write {{ and }} for braces"};
}

std::string Printed(double value, std::chars_format format, int digits) {
  char buffer[400];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, format, digits);
  return error == std::errc{} ? std::string(buffer, end) : std::string();
}

}  // namespace

Result<TextTemplate::Part> TextTemplate::ParsePlace(std::string_view inside) {
  Part part;
  part.place = true;
  const auto colon = inside.find(':');
  part.text = Trim(inside.substr(0, colon));
  if (part.text.empty()) return Fail(Malformed("{" + std::string(inside) + "} names no parameter"));
  if (colon == std::string_view::npos) return part;
  const std::string_view format = inside.substr(colon + 1);
  if (format == "percent") {
    part.format = Format::kPercent;
  } else if (format == "d") {
    part.format = Format::kWhole;
  } else if (format.size() == 3 && format[0] == '.' && format[1] >= '0' && format[1] <= '9' &&
             (format[2] == 'e' || format[2] == 'f')) {
    part.format = format[2] == 'e' ? Format::kScientific : Format::kFixed;
    part.digits = format[1] - '0';
  } else {
    return Fail(
        {ExitCode::kConfiguration,
         "{" + std::string(inside) + "} has the unknown format \"" + std::string(format) + "\"", "",
         "formats are d, percent, .0e to .9e and .0f to .9f"});
  }
  return part;
}

Result<TextTemplate> TextTemplate::Parse(std::string_view text) {
  TextTemplate result;
  std::string literal;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '{' || c == '}') && at + 1 < text.size() && text[at + 1] == c) {
      literal += c;
      ++at;
      continue;
    }
    if (c == '}') return Fail(Malformed("\"}\" without \"{\" in \"" + std::string(text) + "\""));
    if (c != '{') {
      literal += c;
      continue;
    }
    const auto close = text.find_first_of("{}", at + 1);
    if (close == std::string_view::npos || text[close] == '{')
      return Fail(Malformed("\"{\" without \"}\" in \"" + std::string(text) + "\""));
    if (!literal.empty()) result.parts_.push_back({std::exchange(literal, {}), false});
    EBB_ASSIGN_OR_RETURN(Part part, ParsePlace(text.substr(at + 1, close - at - 1)));
    result.parts_.push_back(std::move(part));
    at = close;
  }
  if (!literal.empty()) result.parts_.push_back({std::move(literal), false});
  return result;
}

std::vector<std::string> TextTemplate::Names() const {
  std::vector<std::string> names;
  for (const Part& part : parts_) {
    if (part.place) names.push_back(part.text);
  }
  return names;
}

Result<std::string> TextTemplate::RenderPlace(const Part& part, const Value& value) {
  if (part.format == Format::kText) return value.text;
  if (!value.number || std::abs(*value.number) > kLargestWhole)
    return Fail(
        {ExitCode::kConfiguration,
         "{" + part.text + "} is formatted as a number, and \"" + value.text + "\" is not one", "",
         ""});
  const double number = *value.number;
  switch (part.format) {
    case Format::kWhole:
      if (number != std::floor(number))
        return Fail({ExitCode::kConfiguration,
                     "{" + part.text + ":d} wants whole numbers, and " + value.text + " is not one",
                     "", ""});
      return Printed(number, std::chars_format::fixed, 0);
    case Format::kPercent:
      return Printed(std::round(100 * number), std::chars_format::fixed, 0);
    case Format::kFixed:
      return Printed(number, std::chars_format::fixed, part.digits);
    case Format::kScientific:
      return Printed(number, std::chars_format::scientific, part.digits);
    case Format::kText:
      break;
  }
  return value.text;
}

Result<std::string> TextTemplate::Render(std::span<const Setting> settings) const {
  std::string text;
  for (const Part& part : parts_) {
    if (!part.place) {
      text += part.text;
      continue;
    }
    const Value* value = FindValue(settings, part.text);
    if (!value)
      return Fail({ExitCode::kConfiguration, "there is no parameter " + part.text, "", ""});
    EBB_ASSIGN_OR_RETURN(const std::string rendered, RenderPlace(part, *value));
    text += rendered;
  }
  return text;
}

}  // namespace ebb::sweep
