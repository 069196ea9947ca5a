#pragma once
// Texts with places for parameters: "lr{lr:.0e}-d{dropout:percent}". A place is {name} or
// {name:format}; {{ and }} are braces. The result is plain text; no shell syntax is interpreted or
// quoted here.
//
// Formats: none (the user's exact text), d (whole number), .2f (fixed), .0e (scientific, "1e-04"),
// percent (100 times the value, rounded to a whole number: 0.15 is 15). docs/sweep.md. Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sweep/condition.h"

namespace ebb::sweep {

class TextTemplate {
 public:
  TextTemplate() = default;
  static Result<TextTemplate> Parse(std::string_view text);

  /// Names of the places in order, with repetitions.
  std::vector<std::string> Names() const;
  /// Fills the places. An Error: a name is missing, or a value does not fit its format.
  Result<std::string> Render(std::span<const Setting> settings) const;

 private:
  enum class Format { kText, kWhole, kFixed, kScientific, kPercent };
  struct Part {
    std::string text;  ///< literal, or the name of a place
    bool place = false;
    Format format = Format::kText;
    int digits = 0;
  };
  static Result<Part> ParsePlace(std::string_view inside);
  static Result<std::string> RenderPlace(const Part& part, const Value& value);

  std::vector<Part> parts_;
};

}  // namespace ebb::sweep
