#pragma once
// Whole numbers of small units as decimals with all their digits, so that the fields of a column
// add up exactly: micrograms as grams (6 decimals), micrograms as tonnes (12).

#include <cstdint>
#include <cstdlib>
#include <string>

namespace ebb::report {

/// "1.500000" for 1,500,000 with 6 decimals.
inline std::string ExactText(std::int64_t value, std::size_t decimals) {
  std::string digits = std::to_string(std::abs(value));
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  digits.insert(digits.size() - decimals, ".");
  return (value < 0 ? "-" : "") + digits;
}

}  // namespace ebb::report
