#pragma once
// Small text helpers that every room needs: splitting, numbers, and the suggestion for a misspelt
// name.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ebb {

std::string_view Trim(std::string_view text);
/// All fields between separators, empty ones included; "" gives one empty field.
std::vector<std::string_view> Split(std::string_view text, char separator);
std::string Join(std::span<const std::string> parts, std::string_view separator);
std::string Lowercase(std::string_view text);

/// The text for one line of a terminal: each control character, which the terminal might act upon,
/// becomes a "?".
std::string Printable(std::string_view text);
/// The text from Printable in quotes, cut short: for messages that repeat what the user gave.
std::string Quoted(std::string_view text);

/// The whole text as a finite number; nothing for "", "1.2x", "nan" and "inf".
std::optional<double> ParseNumber(std::string_view text);
std::optional<long long> ParseInteger(std::string_view text);

/// Shortest decimal text that reads back as the same double ("0.1", "212.5", "1e-07").
std::string FormatExact(double value);
/// Fixed decimals: FormatFixed(3.14159, 2) == "3.14".
std::string FormatFixed(double value, int decimals);
/// The value with `digits` significant digits, and without an exponent: "0.000137", "12.3".
std::string FormatSignificant(double value, int digits);

/// The candidate nearest to `word` by edit distance (insert, delete, replace, swap neighbours).
/// Returns nothing if none is near enough to be a misspelling; of equally near ones the first.
std::optional<std::string> Suggest(std::string_view word, std::span<const std::string> candidates);
/// " (did you mean \"x\"?)" or "".
std::string SuggestionText(std::string_view word, std::span<const std::string> candidates);

}  // namespace ebb
