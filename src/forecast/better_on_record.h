#pragma once
// A provider's forecast where it is the better one on its own record, else one's own. The record is
// what both would have said every 13 hours, against what came (judgement.h). Where the provider
// says nothing for an hour, the own forecast does. Pure.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "forecast/judgement.h"

namespace ebb::forecast {

class BetterOnRecord : public Forecaster {
 public:
  /// Both must keep to `publication` as well.
  BetterOnRecord(std::unique_ptr<Forecaster> provider, std::unique_ptr<Forecaster> own,
                 const core::Publication& publication = core::Publication::AtBegin());

  std::string_view name() const override { return "better-on-record"; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;
  /// Whose forecast At takes then.
  Result<bool> ProviderIsBetter(const core::IntensitySeries& history, Time now);
  Result<Judgement> JudgementAt(const core::IntensitySeries& history, Time now);

 private:
  std::unique_ptr<Forecaster> provider_, own_;
  core::Publication publication_;
  /// By week and digest of the history before it, so that a verdict never outlives its reasons.
  std::map<std::pair<std::int64_t, std::uint64_t>, Judgement> judgements_;
};

/// The rows of `first`, and those of `second` where `first` has none. A band is kept only if both
/// have one. Issued when the later of them was.
core::Forecast Joined(const core::Forecast& first, const core::Forecast& second);

}  // namespace ebb::forecast
