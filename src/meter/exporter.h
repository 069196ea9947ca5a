#pragma once
// A client of an exporter: a program on the same node that publishes figures in Prometheus's text
// format. The client asks at most once a second, and less often while the exporter does not answer.
//
// Not thread-safe: one thread at a time.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace ebb::meter {

/// A function that gets the page of metrics at `url` over HTTP, with a timeout of two seconds.
std::function<Result<std::string>()> MetricsAt(const std::string& url);

/// `Told` is the type of the figures that are read from one answer.
template <typename Told>
class Exporter {
 public:
  using Clock = std::chrono::steady_clock;
  struct Ports {
    /// Gets the body of the exporter's page of metrics.
    std::function<Result<std::string>()> fetch;
    std::function<Clock::time_point()> now = Clock::now;
  };
  /// `silent` is the message for people while there is no readable answer.
  Exporter(Ports ports, Result<Told> (*read)(std::string_view), std::string silent)
      : ports_(std::move(ports)), read_(read), silent_(std::move(silent)) {}

  /// Asks the exporter, unless an answer is less than a second old, or a failure less than ten
  /// seconds. Returns the error of the last request, if it failed.
  Status Look() {
    const typename Clock::time_point now = ports_.now();
    if (asked_ && now - *asked_ < (answer_ ? kGoodFor : kPauseAfterFailure)) return answer_;
    asked_ = now;
    told_ = {};
    answer_ = [&]() -> Status {
      EBB_ASSIGN_OR_RETURN(const std::string text, ports_.fetch());
      EBB_ASSIGN_OR_RETURN(told_, read_(text));
      return {};
    }();
    return answer_;
  }
  /// Figures of the last answer; empty while the exporter does not answer.
  const Told& told() const { return told_; }
  /// The reason, e.g. "dcgm-exporter does not tell of GPUs: ..."; empty if the exporter answers.
  std::string trouble() const { return answer_ ? "" : silent_ + ": " + answer_.error().Message(); }

 private:
  static constexpr std::chrono::seconds kGoodFor{1}, kPauseAfterFailure{10};

  Ports ports_;
  Result<Told> (*read_)(std::string_view);
  std::string silent_;
  Told told_;
  std::optional<typename Clock::time_point> asked_;
  Status answer_;
};

}  // namespace ebb::meter
