#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ebb {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

// Optimal string alignment distance (Damerau-Levenshtein without repeated edits of one place).
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const auto at = text.find(separator);
    fields.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return fields;
    text.remove_prefix(at + 1);
  }
}

std::string Join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_c1 = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F, in UTF-8
    printable += byte < ' ' || byte == 0x7f || is_c1 ? '?' : text[i];
    if (is_c1) ++i;
  }
  return printable;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return "\"" + Printable(text.substr(0, kLongest)) + (text.size() > kLongest ? "...\"" : "\"");
}

std::string Lowercase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<double> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<long long> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string FormatExact(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc{} ? std::string(buffer, end) : std::string("nan");
}

std::string FormatFixed(double value, int decimals) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string FormatSignificant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return FormatFixed(value, 0);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const int decimals = std::clamp(digits - 1 - magnitude, 0, 12);
  return FormatFixed(value, decimals);
}

std::optional<std::string> Suggest(std::string_view word, std::span<const std::string> candidates) {
  // The comparison leaves out dashes and case: a flag of one letter would otherwise be one edit
  // away from every other.
  const auto bare = [](std::string_view flag) {
    return Lowercase(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  };
  const std::string wanted = bare(word);
  const std::size_t limit = wanted.size() < 2 ? 0 : std::max<std::size_t>(1, wanted.size() / 3);
  std::size_t best = limit + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(wanted, bare(candidate));
    if (distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  if (!nearest) return std::nullopt;
  return *nearest;
}

std::string SuggestionText(std::string_view word, std::span<const std::string> candidates) {
  const auto suggestion = Suggest(word, candidates);
  return suggestion ? " (did you mean \"" + *suggestion + "\"?)" : "";
}

}  // namespace ebb
