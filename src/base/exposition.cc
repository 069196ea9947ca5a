#include "base/exposition.h"

#include "base/check.h"
#include "base/text.h"

namespace ebb {
namespace {

constexpr std::size_t kLongestValue = 200;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the UTF-8 character at the beginning of the text; 0 if no valid character is there.
// Overlong forms, surrogates and code points beyond U+10FFFF are invalid (RFC 3629, section 4).
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto in = [](unsigned value, unsigned low, unsigned high) {
    return low <= value && value <= high;
  };
  const auto tail = [&](std::size_t i) { return in(byte(i), 0x80, 0xBF); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (in(first, 0xC2, 0xDF)) return tail(1) ? 2 : 0;
  if (in(first, 0xE0, 0xEF)) {
    const bool second = in(byte(1), first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && tail(2) ? 3 : 0;
  }
  if (in(first, 0xF0, 0xF4)) {
    const bool second = in(byte(1), first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

std::string LabelValue(std::string_view text) {
  std::string value;
  while (!text.empty() && value.size() < kLongestValue) {
    const std::size_t length = CharacterLength(text);
    if (length == 0) {
      value += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    if (text.front() == '\n') {
      value += "\\n";
    } else {
      if (text.front() == '\\' || text.front() == '"') value += '\\';
      value += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return value;
}

std::string_view Name(Exposition::Type type) {
  if (type == Exposition::Type::kGauge) return "gauge";
  return type == Exposition::Type::kCounter ? "counter" : "histogram";
}

}  // namespace

std::string ExpositionLabels(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += ',';
    text += std::string(name) + "=\"" + LabelValue(value) + "\"";
  }
  return text;
}

void Exposition::Metric(std::string_view name, Type type, std::string_view help) {
  name_ = name;
  text_ += "# HELP " + name_ + " ";
  for (const char c : help) {
    if (c == '\\') text_ += '\\';
    if (c == '\n')
      text_ += "\\n";
    else
      text_ += c;
  }
  text_ += "\n# TYPE " + name_ + " " + std::string(Name(type)) + "\n";
}

void Exposition::Line(std::string_view suffix, const std::string& labels, double value) {
  text_ += name_;
  text_ += suffix;
  if (!labels.empty()) text_ += "{" + labels + "}";
  text_ += " " + FormatExact(value) + "\n";
}

void Exposition::Value(const std::string& labels, double value) { Line("", labels, value); }

void Exposition::Histogram(const std::string& labels, std::span<const double> bounds,
                           std::span<const std::int64_t> counts, double sum) {
  EBB_CHECK(counts.size() == bounds.size() + 1);
  const std::string before = labels.empty() ? "" : labels + ",";
  double up_to = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    up_to += static_cast<double>(counts[i]);
    const std::string bound = i < bounds.size() ? FormatExact(bounds[i]) : "+Inf";
    Line("_bucket", before + "le=\"" + bound + "\"", up_to);
  }
  Line("_sum", labels, sum);
  Line("_count", labels, up_to);
}

}  // namespace ebb
