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

/// a="1",b="2". Values are escaped, bytes that are no UTF-8 replaced, and what is longer than 200
/// bytes cut: one bad name must not cost a scrape.
std::string ExpositionLabels(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels);

/// Metric after metric.
class Exposition {
 public:
  enum class Type { kGauge, kCounter, kHistogram };
  /// Begins a metric; its values follow.
  void Metric(std::string_view name, Type type, std::string_view help);
  /// `labels` as ExpositionLabels gives them; empty: none.
  void Value(const std::string& labels, double value);
  /// counts[i]: observations above bounds[i-1] and up to bounds[i]; one more for those above all.
  void Histogram(const std::string& labels, std::span<const double> bounds,
                 std::span<const std::int64_t> counts, double sum);
  std::string Take() { return std::move(text_); }

 private:
  void Line(std::string_view suffix, const std::string& labels, double value);

  std::string name_, text_;
};

}  // namespace ebb
