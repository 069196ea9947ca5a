#include "base/exposition_reader.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"

namespace ebb {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

bool IsOfName(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
  return letter || (!first && c >= '0' && c <= '9');
}

void SkipBlanks(std::string_view& rest) {
  while (!rest.empty() && IsBlank(rest.front())) rest.remove_prefix(1);
}

bool Take(std::string_view& rest, char c) {
  SkipBlanks(rest);
  if (rest.empty() || rest.front() != c) return false;
  rest.remove_prefix(1);
  return true;
}

std::string TakeName(std::string_view& rest) {
  SkipBlanks(rest);
  std::size_t length = 0;
  while (length < rest.size() && IsOfName(rest[length], length == 0)) ++length;
  std::string name(rest.substr(0, length));
  rest.remove_prefix(length);
  return name;
}

// Takes a text between quotes, in which backslash, quote and line feed are escaped.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  if (!Take(rest, '"')) return std::nullopt;
  std::string text;
  while (!rest.empty() && rest.front() != '"') {
    char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\\') {
      if (rest.empty()) return std::nullopt;
      c = rest.front() == 'n' ? '\n' : rest.front();
      rest.remove_prefix(1);
    }
    text += c;
  }
  if (!Take(rest, '"')) return std::nullopt;
  return text;
}

bool TakeLabels(std::string_view& rest, ExpositionSample& sample) {
  if (!Take(rest, '{')) return true;
  while (!Take(rest, '}')) {
    std::string label = TakeName(rest);
    if (label.empty() || !Take(rest, '=')) return false;
    auto value = TakeQuoted(rest);
    if (!value) return false;
    sample.labels.insert_or_assign(std::move(label), *std::move(value));
    if (!Take(rest, ',') && (rest.empty() || rest.front() != '}')) return false;
  }
  return true;
}

std::optional<double> NumberOf(std::string_view word) {
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_one = error == std::errc() && end == word.data() + word.size() && !word.empty();
  return is_one ? std::optional(value) : std::nullopt;
}

std::string_view TakeWord(std::string_view& rest) {
  SkipBlanks(rest);
  std::size_t length = 0;
  while (length < rest.size() && !IsBlank(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  rest.remove_prefix(length);
  SkipBlanks(rest);
  return word;
}

std::optional<ExpositionSample> SampleOf(std::string_view line) {
  ExpositionSample sample;
  sample.name = TakeName(line);
  if (sample.name.empty() || !TakeLabels(line, sample)) return std::nullopt;
  const auto value = NumberOf(TakeWord(line));
  if (!value) return std::nullopt;
  sample.value = *value;
  if (!line.empty() && !NumberOf(TakeWord(line))) return std::nullopt;
  return line.empty() ? std::optional(std::move(sample)) : std::nullopt;
}

}  // namespace

std::string_view ExpositionSample::Label(std::string_view label) const {
  const auto found = labels.find(label);
  return found == labels.end() ? std::string_view() : found->second;
}

Status ForEachSample(std::string_view text,
                     const std::function<void(const ExpositionSample&)>& take) {
  int number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    SkipBlanks(line);
    if (line.empty() || line.front() == '#') continue;
    const auto sample = SampleOf(line);
    if (!sample)
      return Fail({ExitCode::kUnavailable,
                   "line " + std::to_string(number) + " is no sample of a metric: \"" +
                       std::string(line.substr(0, 80)) + "\"",
                   "", "is it the address of a program that Prometheus scrapes?"});
    take(*sample);
  }
  return {};
}

}  // namespace ebb
