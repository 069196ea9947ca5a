#pragma once
// The progress of elastic jobs at each of their widths, by program (program_name.h) and own number
// of devices, over all lives of the service. The next job of the program begins with the speed-up
// that earlier ones had. Rates are believed for 30 days, because programs change.
//
// Thread contract: the loop's thread.

#include <map>
#include <string>
#include <vector>

#include "core/jobs/learned_widths.h"
#include "core/jobs/submission.h"
#include "store/service_store.h"

namespace ebb::service {

/// A measured value that differs by more from the one that was used before is an event.
inline constexpr double kTellsFrom = 0.1;

class WidthHistory {
 public:
  /// The store must outlive this.
  explicit WidthHistory(store::ServiceStore& store) : store_(store) {}

  /// Remembers the rate of an attempt of this job.
  void Take(const core::Submission& submission, core::WidthRate rate);
  std::vector<core::MeasuredWidth> Measured(const core::Submission& submission, Time now) const;
  /// True if both have the same history.
  bool AreAlike(const core::Submission& a, const core::Submission& b) const;

 private:
  std::vector<core::WidthRate>& RatesOf(const core::Submission& submission) const;

  store::ServiceStore& store_;
  mutable std::map<std::string, std::vector<core::WidthRate>> known_;  // as far as looked up
};

/// The sentence of the event: what is measured, and what was given.
std::string SpeedupText(const core::Job& job, const std::vector<core::WidthSpeed>& learned,
                        const std::vector<core::MeasuredWidth>& measured);

}  // namespace ebb::service
