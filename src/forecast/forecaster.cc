#include "forecast/forecaster.h"

#include <string>

#include "forecast/ridge_forecaster.h"
#include "forecast/rows.h"
#include "forecast/seasonal_naive.h"

namespace ebb::forecast {
namespace {

// Forecasts from late values by asking about an earlier moment. This is enough, because forecasters
// never look at samples that begin after the moment of the question.
class PublishedLate final : public Forecaster {
 public:
  PublishedLate(std::unique_ptr<Forecaster> inner, const core::Publication& publication)
      : inner_(std::move(inner)), publication_(publication) {}

  std::string_view name() const override { return inner_->name(); }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override {
    const auto known = KnownBy(history, now, publication_);
    if (known.empty()) return core::Forecast{};
    const Time as_of = AsOf(known, now, publication_);
    return inner_->At(history, as_of, now + horizon - as_of);
  }

 private:
  std::unique_ptr<Forecaster> inner_;
  core::Publication publication_;
};

}  // namespace

std::vector<std::string_view> ForecasterNames() { return {kPersistence, kSeasonalNaive, kRidge}; }

Result<std::unique_ptr<Forecaster>> MakeForecaster(std::string_view name) {
  if (name == kPersistence) return std::make_unique<Persistence>();
  if (name == kSeasonalNaive) return std::make_unique<SeasonalNaive>();
  if (name == kRidge) return std::make_unique<RidgeForecaster>();
  return Fail({ExitCode::kUsage, "there is no forecast named \"" + std::string(name) + "\"", "",
               "choose persistence, seasonal-naive or ridge"});
}

std::unique_ptr<Forecaster> MakeBestForecaster() { return std::make_unique<RidgeForecaster>(); }

std::unique_ptr<Forecaster> AsPublished(std::unique_ptr<Forecaster> forecaster,
                                        const core::Publication& publication) {
  if (!publication.lag()) return forecaster;
  return std::make_unique<PublishedLate>(std::move(forecaster), publication);
}

}  // namespace ebb::forecast
