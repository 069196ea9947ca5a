#pragma once
// Words of the pages of docs that tests write from tables of options.

#include <string>

#include "base/text.h"
#include "base/time.h"
#include "core/options/definition.h"

namespace ebb {

/// The type of a field for people, with its range: "number, 0 to 10", "duration from 60s".
inline std::string TypeText(const core::Field& field) {
  using core::Shape;
  const std::string range = core::LimitText(field.low) + " to " + core::LimitText(field.high);
  switch (field.shape) {
    case Shape::kNumber:
      return "number, " + range;
    case Shape::kWhole:
      return "whole number, " + range;
    case Shape::kFlag:
      return "true or false";
    case Shape::kDuration:
      return "duration" + (field.low > 0 ? " from " + FormatExact(field.low) + "s" : "") +
             (field.high > 0 ? " to " + FormatExact(field.high) + "s" : "");
    case Shape::kMoment:
      return "time, or duration from now";
    case Shape::kChoice:
      return "`" + Join(field.choices, "`, `") + "`";
    case Shape::kTexts:
      return "list of texts";
    case Shape::kTextsByName:
      return "texts by name";
    case Shape::kJobs:
      return "list of jobs";
    case Shape::kAbsolutePath:
      return "path";
    case Shape::kObject:
    case Shape::kObjects:
      return "object";
    case Shape::kTextOrObject:
      return "text or object";
    case Shape::kTextOrNumber:
    case Shape::kText:
      return "text";
  }
  return "";
}

/// The text as code; nothing if it is empty.
inline std::string Code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

}  // namespace ebb
