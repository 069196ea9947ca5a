#include "app/options/run_options.h"

#include <algorithm>
#include <optional>

#include "app/options/missing_zone.h"
#include "app/options/read_option.h"
#include "app/options/user_settings.h"
#include "base/check.h"
#include "plan/make_policy.h"
#include "signals/choose_source.h"

namespace ebb::app {
namespace {

// Chooses the source. A zone alone means the chain of choose_source.h, as `auto` does; `live` must
// find a live source. A replayed clock has no live sources.
Status SettleSource(const FlagValues& values, bool found_zone, RunOptions& options) {
  const auto given = [&](const char* name) { return values.contains(name); };
  const auto named = values.find("signal");
  const bool live = named != values.end() && named->second == "live";
  const bool automatic = named != values.end() && named->second == "auto";
  auto& signal = options.scheduler.signal;
  const bool zone_alone = named == values.end() && (given("zone") || found_zone) &&
                          !signal.source_named &&
                          signal.source == signals::SignalSource::kProfile &&
                          !given("profile-seed") && !options.scheduler.clock.replayed();
  if (!live && !automatic && !zone_alone) return {};
  if (automatic && options.scheduler.clock.replayed()) {
    signal.source = signals::SignalSource::kProfile;
    return {};
  }
  using signals::ChoiceOf;
  EBB_ASSIGN_OR_RETURN(signal.source, signals::ChooseSource(signal, live ? ChoiceOf::kLiveOnly
                                                                         : ChoiceOf::kAnySource));
  return {};
}

}  // namespace

std::vector<FlagHelp> FlagsOf(FlagGroup group) {
  std::vector<FlagHelp> flags;
  for (const config::RunOption& option : config::RunOptionTable()) {
    const core::FlagName& flag = option.field.flag;
    if (option.group == group && !flag.name.empty())
      flags.push_back(
          {flag.name, flag.value_name, option.field.FlagHelp(), flag.also, option.field.choices});
  }
  return flags;
}

Status ApplyFlag(const std::string& name, const std::string& text, RunOptions& options) {
  const config::RunOption* option = config::RunOptionOfFlag(name);
  EBB_CHECK(option);
  return SetOption(*option, text, options);
}

Status CheckFlag(const std::string& name, const std::string& text) {
  RunOptions unused;
  return ApplyFlag(name, text, unused);
}

Status ApplyFlags(const FlagValues& values, RunOptions& options) {
  for (const config::RunOption& option : config::RunOptionTable()) {
    const core::FlagName& flag = option.field.flag;
    auto given = flag.name.empty() ? values.end() : values.find(flag.name);
    if (const auto older = flag.also.empty() ? values.end() : values.find(flag.also);
        older != values.end()) {
      if (given != values.end())
        return Fail({ExitCode::kUsage,
                     "--" + given->first + " and --" + older->first + " are the same flag", "",
                     "leave out --" + older->first});
      given = older;
    }
    if (given != values.end()) EBB_RETURN_IF_ERROR(SetOption(option, given->second, options));
  }
  ApplySecretSettings(options.scheduler.signal);
  const bool found_zone = FindMissingZone(options.scheduler.signal);
  FindMissingNeoClock(options.scheduler.signal);
  EBB_RETURN_IF_ERROR(signals::SettleZone(options.scheduler.signal));
  EBB_RETURN_IF_ERROR(SettleSource(values, found_zone, options));
  // A threshold without a policy can only mean the threshold policy.
  if (values.contains("threshold") && !values.contains("policy"))
    options.scheduler.policy = plan::GatePolicyKind::kThreshold;
  return {};
}

bool NamesSource(const FlagValues& given) {
  return std::ranges::any_of(config::RunOptionTable(), [&](const config::RunOption& option) {
    const std::string& flag = option.field.flag.name;
    return (option.selects || flag == "signal") && given.contains(flag);
  });
}

FlagValues ToFlags(const RunOptions& options) {
  FlagValues values;
  for (const config::RunOption& option : config::RunOptionTable()) {
    const std::string& flag = option.field.flag.name;
    if (flag.empty()) continue;
    if (auto text = StoredText(option, options)) values[flag] = *std::move(text);
  }
  return values;
}

Status Validate(const RunOptions& options) {
  if (const std::string wrong = options.scheduler.PriceContradiction(); !wrong.empty())
    return Fail({ExitCode::kConfiguration, wrong, "", "docs/prices.md"});
  return ValidateSignal(options);
}

Status ValidateSignal(const RunOptions& options) {
  const auto& scheduler = options.scheduler;
  const core::Budget unset;
  const core::Budget& budget = options.metering.budget;
  if (budget.empty() && (budget.action != unset.action || budget.grace != unset.grace))
    return Fail({ExitCode::kConfiguration,
                 "--on-budget and --budget-grace say what happens to a budget, and there is none",
                 "", "give --budget-kwh or --budget-g"});
  if (plan::NeedsForecast(scheduler.policy) &&
      scheduler.signal.source == signals::SignalSource::kHttp &&
      scheduler.signal.json.list_pointer.empty())
    return Fail({ExitCode::kConfiguration,
                 "policy " + std::string(Name(scheduler.policy)) +
                     " needs a forecast, and --api-url has none",
                 "", "use --policy threshold, or a trace or zone profile"});
  if (scheduler.signal.source == signals::SignalSource::kReplay && !scheduler.clock.start)
    return Fail({ExitCode::kConfiguration,
                 "a trace lies in the past, and the grid clock shows today", "",
                 "say where in the trace to begin with --grid-start"});
  if (scheduler.signal.forecast == signals::ForecastMode::kWeather &&
      scheduler.signal.weather.path.empty())
    return Fail({ExitCode::kConfiguration, "forecast weather needs the weather of the trace", "",
                 "name a file of archived runs with --weather"});
  const auto& other = options.metering.other_signal;
  const bool other_source_given = other && (other->constant || !other->trace_path.empty() ||
                                            signals::IsLive(other->source) || !other->zone.empty());
  if (other && !other_source_given)
    return Fail({ExitCode::kConfiguration, "nothing says where the second signal comes from", "",
                 "give --other-trace, --other-constant, or --other-signal with --other-zone"});
  if (other && signals::IsLive(other->source) && scheduler.clock.replayed())
    return Fail({ExitCode::kConfiguration, "a live source cannot be replayed", "",
                 "give a second signal that covers the replayed time: --other-trace"});
  const core::Embodied& embodied = options.metering.embodied;
  if (embodied.total.grams == 0 &&
      (embodied.share != 1 || embodied.lifetime != config::kDefaultLifetime))
    return Fail({ExitCode::kConfiguration,
                 "--embodied-lifetime and --embodied-share need the emissions of making it", "",
                 "give --embodied-kg"});
  if (signals::IsLive(scheduler.signal.source) && scheduler.clock.replayed())
    return Fail({ExitCode::kConfiguration, "a live source cannot be replayed", "",
                 "leave out --grid-start, --grid-speed and --skip-waits, or use --trace"});
  return {};
}

core::GridClockSettings ClockSettings(const config::GridClockConfig& clock, Time begin) {
  return {clock.replayed(), begin, clock.speed, clock.skip_waits};
}

meter::MeterOptions MeterOptionsFor(const config::MeteringConfig& metering) {
  meter::MeterOptions options = meter::OptionsFromEnvironment();
  options.scope = metering.scope;
  if (metering.cpu_tdp) options.cpu_tdp_w = metering.cpu_tdp->watts;
  if (metering.cpu_idle_power) options.cpu_idle_w = metering.cpu_idle_power->watts;
  if (metering.ram_power) options.ram_power_w = metering.ram_power->watts;
  const bool curve = metering.cpu_model == config::CpuModel::kCodeCarbon;
  if (curve) options.cpu_curve = meter::LoadCurve::kCodeCarbon;
  options.gpu_ids = metering.gpu_ids;
  options.device_profiles = metering.own_profiles;
  options.use_rapl = metering.rapl != config::RaplUse::kNone && !curve;
  options.include_dram = metering.rapl == config::RaplUse::kPackagesAndDram;
  options.use_psys = metering.rapl == config::RaplUse::kPsys;
  return options;
}

}  // namespace ebb::app
