#pragma once
// Uses a provider's forecast if it has the better record, and otherwise Ebb's own. The record has
// what both would have forecast every 13 hours, compared with the truth (judgement.h). If the
// provider has no value for an hour, the own forecast fills it. Pure.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "forecast/judgement.h"

namespace ebb::forecast {

class BetterOnRecord : public Forecaster {
 public:
  /// Both forecasters must keep to `publication` as well.
  BetterOnRecord(std::unique_ptr<Forecaster> provider, std::unique_ptr<Forecaster> own,
                 const core::Publication& publication = core::Publication::AtBegin());

  std::string_view name() const override { return "better-on-record"; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;
  /// True if At uses the provider's forecast at `now`.
  Result<bool> ProviderIsBetter(const core::IntensitySeries& history, Time now);
  Result<Judgement> JudgementAt(const core::IntensitySeries& history, Time now);

 private:
  std::unique_ptr<Forecaster> provider_, own_;
  core::Publication publication_;
  /// Judgements by week and by digest of the history before it, so that a revised history is judged
  /// again.
  std::map<std::pair<std::int64_t, std::uint64_t>, Judgement> judgements_;
};

/// The rows of `first`, and rows of `second` where `first` has none. Keeps a band only if both have
/// one. Issued at the later of both times.
core::Forecast Joined(const core::Forecast& first, const core::Forecast& second);

}  // namespace ebb::forecast
