#pragma once
// What a program on the same node tells of it in Prometheus's text format: asked no more than once
// a second, and less often while it does not answer.
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

/// Asks for the body of its page of metrics over HTTP; an answer may take two seconds.
std::function<Result<std::string>()> MetricsAt(const std::string& url);

/// `Told`: what is read from one answer.
template <typename Told>
class Exporter {
 public:
  using Clock = std::chrono::steady_clock;
  struct Ports {
    /// The body of its /metrics.
    std::function<Result<std::string>()> fetch;
    std::function<Clock::time_point()> now = Clock::now;
  };
  /// `silent`: the message for people while there is no readable answer.
  Exporter(Ports ports, Result<Told> (*read)(std::string_view), std::string silent)
      : ports_(std::move(ports)), read_(read), silent_(std::move(silent)) {}

  /// Asks, unless it asked within the last second, or in vain within the last ten. An Error: what
  /// the last question came to.
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
  /// As of the last answer; empty while it does not answer.
  const Told& told() const { return told_; }
  /// "dcgm-exporter does not tell of GPUs: ..."; empty: it does.
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
