// Options of when a run starts: the gate, electricity prices and the replayed clock of the grid.

#include "base/text.h"
#include "config/options/option_groups.h"
#include "config/options/option_member.h"
#include "plan/make_policy.h"

namespace ebb::config {
namespace {

using core::OptionValue;

constexpr OptionGroup kGate = OptionGroup::kGate;
constexpr double kHighestPrice = 100'000;

template <typename T>
OptionMember OfScheduler(T SchedulerConfig::*member) {
  return Member([member](auto& o) -> auto& { return o.scheduler.*member; });
}
template <typename T>
OptionMember OfPrices(T PriceConfig::*member) {
  return Member([member](auto& o) -> auto& { return o.scheduler.prices.*member; });
}
template <typename T>
OptionMember OfClock(T GridClockConfig::*member) {
  return Member([member](auto& o) -> auto& { return o.scheduler.clock.*member; });
}

// "run-now: at once (default); threshold: start at ..."
std::string PolicyHelp() {
  std::vector<std::string> lines;
  for (const std::string& name : plan::GatePolicyKindNames()) {
    const plan::GatePolicyKind kind = *plan::GatePolicyKindFromName(name);
    const bool is_default = kind == SchedulerConfig().policy;
    lines.push_back(name + ": " + std::string(plan::HelpOf(kind)) +
                    (is_default ? " (default)" : ""));
  }
  return Join(lines, "; ");
}

OptionMember GridStart() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            EBB_ASSIGN_OR_RETURN(o.scheduler.clock.start, ParseTime(std::get<std::string>(value)));
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            const auto& start = o.scheduler.clock.start;
            if (!start) return std::nullopt;
            return FormatTime(*start);
          }};
}

}  // namespace

std::vector<RunOption> GateTable() {
  return {
      {.group = kGate,
       .field =
           Choice(Flag("policy", "POLICY"), "policy", PolicyHelp(), plan::GatePolicyKindNames()),
       .member = Named(
           [](auto& o) -> auto& { return o.scheduler.policy; }, plan::GatePolicyKindFromName),
       .section = kSchedulerSection,
       .otherwise = "run-now",
       .full_name = [](std::string_view given) { return std::string(plan::PolicyNameOf(given)); },
       .stored = Stored::kAlways},
      {.group = kGate,
       .field = Called("carbon_threshold", WithDefault("300", core::ThresholdField())),
       .member = OfScheduler(&SchedulerConfig::threshold),
       .section = kSchedulerSection,
       .stored = Stored::kAlways},
      // A stored wait is a duration, because a resumed run counts it anew.
      {.group = kGate,
       .field = core::StartByField(),
       .member = OfScheduler(&SchedulerConfig::longest_wait),
       .section = kSchedulerSection,
       .stored = Stored::kAlways},
      {.group = kGate,
       .field = Formerly("estimated_run_time", core::DurationField()),
       .member = OfScheduler(&SchedulerConfig::duration),
       .section = kSchedulerSection,
       .accepts = "a duration from 1ms on, for example 90m or 2h"},
      {.group = kGate,
       .field = Choice(Flag("at-deadline", "WHAT"), "on_deadline",
                       "at the latest start: start whatever the intensity (default), or stop with "
                       "exit code 75",
                       plan::AtDeadlineNames()),
       .member = Named(
           [](auto& o) -> auto& { return o.scheduler.on_deadline; }, plan::AtDeadlineFromName),
       .section = kSchedulerSection,
       .otherwise = "start"},
      {.group = kGate,
       .field = Number(Flag("price-weight", "W"), "price_weight",
                       "0 (default) to 1: how much the price counts beside carbon, for "
                       "lowest-window and carbon-time",
                       "", 0, 1),
       .member = OfPrices(&PriceConfig::weight),
       .section = kSchedulerSection,
       .otherwise = "0"},
      {.group = kGate,
       .field =
           Number(Flag("price-threshold", "PER_KWH"), "price_threshold",
                  "wait while electricity costs more than this", "", -kHighestPrice, kHighestPrice),
       .member = OfPrices(&PriceConfig::threshold),
       .section = kSchedulerSection},
      {.group = kGate,
       .field = Adding(", with exit code 75", core::OnOutageField()),
       .member = Named(
           [](auto& o) -> auto& { return o.scheduler.on_outage; }, core::OnOutageFromName),
       .section = kSchedulerSection},
  };
}

std::vector<RunOption> PriceTable() {
  return {{.group = OptionGroup::kPrice,
           .field = Text(Flag("prices", "FILE"), "prices",
                         "what electricity costs: a tariff (YAML) or day-ahead prices (CSV)"),
           .member = OfPrices(&PriceConfig::path),
           .section = kSchedulerSection}};
}

std::vector<RunOption> ClockTable() {
  return {
      {.group = OptionGroup::kClock,
       .field = Text(Flag("grid-start", "TIME"), "grid_start",
                     "replay the grid clock from here, e.g. 2023-05-01T00:00Z"),
       .member = GridStart(),
       .section = kSchedulerSection,
       .otherwise = "now",
       .is_time = true},
      {.group = OptionGroup::kClock,
       .field = Number(Flag("grid-speed", "FACTOR"), "grid_speed",
                       "grid seconds per real second, e.g. 60", "1", 0.001, 1e6),
       .member = OfClock(&GridClockConfig::speed),
       .section = kSchedulerSection},
      {.group = OptionGroup::kClock,
       .field = ByFlag(Flag("skip-waits", ""), {"skip_waits", core::Shape::kFlag,
                                                "jump the grid clock forward instead of sleeping"}),
       .member = OfClock(&GridClockConfig::skip_waits),
       .section = kSchedulerSection,
       .otherwise = "false"},
  };
}

}  // namespace ebb::config
