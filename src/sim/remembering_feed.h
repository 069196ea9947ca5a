#pragma once
// A feed that remembers its latest answers. Every policy of a comparison asks the same questions
// about the same start date, and a forecast costs more than anything else in a simulation. Answers
// are the inner feed's, unchanged.

#include <map>
#include <memory>

#include "runtime/signal_feed.h"

namespace ebb::sim {

class RememberingFeed final : public runtime::SignalFeed {
 public:
  explicit RememberingFeed(std::unique_ptr<runtime::SignalFeed> inner);

  const core::SignalIdentity& identity() const override { return inner_->identity(); }
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  Result<core::IntensitySeries> Believed(Interval interval) override {
    return inner_->Believed(interval);
  }
  Time NextChange(Time now) const override { return inner_->NextChange(now); }
  std::optional<Interval> Coverage() const override { return inner_->Coverage(); }

 private:
  std::unique_ptr<runtime::SignalFeed> inner_;
  std::map<std::pair<Time, Duration>, core::SignalView> answers_;
};

}  // namespace ebb::sim
