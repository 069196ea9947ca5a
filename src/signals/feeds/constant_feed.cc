#include "signals/feeds/constant_feed.h"

#include <cmath>
#include <utility>

#include "base/text.h"
#include "core/signal/one_value.h"
#include "signals/feeds/hourly_model_feed.h"

namespace ebb::signals {
namespace {

class Constant final : public HourlyModel {
 public:
  Constant(Intensity value, core::SignalIdentity identity)
      : value_(value), identity_(std::move(identity)) {}
  core::SignalIdentity identity() const override { return identity_; }
  std::string forecast_method() const override { return std::string(core::kOneValueForAllHours); }
  Intensity At(Time) const override { return value_; }
  Intensity Expected(Time, Time) const override { return value_; }

 private:
  Intensity value_;
  core::SignalIdentity identity_;
};

}  // namespace

Result<std::unique_ptr<runtime::SignalFeed>> MakeConstantFeed(Intensity value, std::string zone,
                                                              core::SignalKind kind) {
  return MakeConstantFeed(
      value, core::SignalIdentity{std::move(zone), kind, core::Boundary::kUnknown,
                                  "constant " + FormatExact(value.g_per_kwh) + " g/kWh, modelled"});
}

Result<std::unique_ptr<runtime::SignalFeed>> MakeConstantFeed(Intensity value,
                                                              core::SignalIdentity identity) {
  if (!std::isfinite(value.g_per_kwh) || value.g_per_kwh < 0)
    return Fail({ExitCode::kConfiguration,
                 "a constant intensity of " + FormatExact(value.g_per_kwh) + " g/kWh cannot be", "",
                 "give a number of gCO2eq/kWh that is not negative"});
  return MakeHourlyModelFeed(std::make_unique<Constant>(value, std::move(identity)));
}

}  // namespace ebb::signals
