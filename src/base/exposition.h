#pragma once
// Prometheus's text exposition format, version 0.0.4: what a scraper reads.
//
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/ (label values escape
// backslash, quote and line feed; help texts backslash and line feed; all of it is UTF-8).

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ebb {

inline constexpr const char* kExpositionContentType = "text/plain; version=0.0.4; charset=utf-8";

/// Labels as text: a="1",b="2". Values are escaped, bytes that are not UTF-8 are replaced, and
/// values longer than 200 bytes are cut: one bad name must not cost a scrape.
std::string ExpositionLabels(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels);

/// Writes one metric after another.
class Exposition {
 public:
  enum class Type { kGauge, kCounter, kHistogram };
  /// Begins a metric. Its values must follow.
  void Metric(std::string_view name, Type type, std::string_view help);
  /// `labels` come from ExpositionLabels; an empty text means no labels.
  void Value(const std::string& labels, double value);
  /// counts[i] is the number of observations above bounds[i-1] and up to bounds[i]. The last count
  /// is for observations above all bounds.
  void Histogram(const std::string& labels, std::span<const double> bounds,
                 std::span<const std::int64_t> counts, double sum);
  std::string Take() { return std::move(text_); }

 private:
  void Line(std::string_view suffix, const std::string& labels, double value);

  std::string name_, text_;
};

}  // namespace ebb
