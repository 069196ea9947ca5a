// The keys of policies in a scenario file. A policy accepts only those that it uses.

#include <algorithm>

#include "config/policy_name.h"
#include "config/scenario/scenario_table.h"
#include "config/tiers.h"
#include "core/options/field_builders.h"
#include "core/options/job_options.h"
#include "plan/make_policy.h"

namespace ebb::config {
namespace {

using core::OptionValue;
using Choice = sim::PolicyChoice;

constexpr double kMinute = 60, kHour = 3600;
constexpr double kMostGrams = 1e12, kMostDevices = 1e5;

// An intensity has the range of a job's threshold.
core::Field IntensityField(std::string key, std::string meaning, std::string default_text,
                           std::string example) {
  return WithTypeOf(
      core::JobOptionOf("threshold").field,
      TextField(std::move(key), std::move(meaning), std::move(default_text), std::move(example)));
}

template <typename T>
SectionKey<Choice> OfThreshold(core::Field field, T plan::ThresholdOptions::*member) {
  return Key<Choice>(
      std::move(field), [member](auto& c) -> auto& { return c.options.threshold.*member; });
}
template <typename T>
SectionKey<Choice> OfDtpr(core::Field field, T plan::DtprOptions::*member) {
  return Key<Choice>(
      std::move(field), [member](auto& c) -> auto& { return c.options.dtpr.*member; });
}
template <typename T>
SectionKey<Choice> OfPlanner(core::Field field, T plan::PlannerOptions::*member) {
  return Key<Choice>(
      std::move(field), [member](auto& c) -> auto& { return c.options.planner.*member; });
}
template <typename T>
SectionKey<Choice> OfPrices(core::Field field, T plan::PriceOptions::*member) {
  return Key<Choice>(
      std::move(field), [member](auto& c) -> auto& { return c.options.planner.prices.*member; });
}

// Several policies have these two options; each reads its own member.
MemberAccess<Choice> MinimumSaving() {
  return {[](const OptionValue& value, Choice& choice) -> Status {
            const double share = std::get<double>(value) / 100;
            plan::PolicyOptions& options = choice.options;
            options.lowest_window.minimum_saving = options.lowest_slots.minimum_saving = share;
            options.planner.minimum_saving_share = share;
            return {};
          },
          [](const Choice& choice) -> std::optional<OptionValue> {
            return 100 * choice.options.planner.minimum_saving_share;
          }};
}
MemberAccess<Choice> Slot() {
  return {[](const OptionValue& value, Choice& choice) -> Status {
            const Duration slot = std::get<Duration>(value);
            choice.options.lowest_slots.slot = choice.options.planner.slot = slot;
            return {};
          },
          [](const Choice& choice) -> std::optional<OptionValue> {
            return choice.options.planner.slot;
          }};
}

SectionKey<Choice> TiersKey() {
  SectionKey<Choice> key{{"tiers", core::Shape::kObjects,
                          "tiers that take the place of those that jobs name, to compare sets of "
                          "them",
                          "", "[{name: urgent, threshold: 225, max_delay: 24h}]"}};
  key.read = [](const YamlNode& node, Choice& choice, Problems& problems) {
    choice.options.tiers = ReadTiers(node, problems);
    return true;
  };
  key.type = "list of sections ([config](config.md), Tiers)";
  return key;
}

std::vector<PolicyKey> KeysOfAll() {
  const auto names = plan::PolicyNames();
  return {{KeyByRule<Choice>(
              core::Required(core::Choice("policy", "the policy; short: `now` and `window`", "",
                                          "planner", {names.begin(), names.end()})),
              "", ReadPolicyName, &Choice::policy)},
          {Key<Choice>(
              TextField("label", "what the reports call it; unique", "the policy", R"("cautious")"),
              &Choice::label)}};
}

std::vector<PolicyKey> KeysOfThreshold() {
  using Options = plan::ThresholdOptions;
  std::vector<PolicyKey> keys;
  for (SectionKey<Choice>& key : std::vector<SectionKey<Choice>>{
           OfThreshold(IntensityField("threshold_g_per_kwh",
                                      "start at or below this intensity; a job's own threshold "
                                      "goes before it",
                                      "", "200"),
                       &Options::threshold),
           PercentKey<Choice>(
               core::Number("percentile",
                            "start at or below the intensity that this share of the "
                            "values in `window` does not exceed; not with "
                            "`threshold_g_per_kwh`",
                            "30", "20", 0, 100),
               [](auto& c) -> auto& { return c.options.threshold.percentile; }),
           OfThreshold(
               DurationField("window", "values so long before and after now", "24h", "48h", kHour),
               &Options::window),
           OfThreshold(IntensityField("hysteresis_g_per_kwh",
                                      "a running job is paused only this far above the threshold",
                                      "25", "10"),
                       &Options::hysteresis),
           OfThreshold(DurationField("max_wait",
                                     "longest wait from submission, if the job's latest start is "
                                     "not earlier",
                                     "", "12h"),
                       &Options::max_wait)})
    keys.push_back({std::move(key), {"threshold"}});
  return keys;
}

std::vector<PolicyKey> SharedKeys() {
  return {{Key<Choice>(
               core::Whole("devices",
                           "elastic jobs run on their widest number of devices that is not above "
                           "this, whatever the grid",
                           "their own", "4", 1, kMostDevices),
               [](auto& c) -> auto& { return c.options.run_now_devices; }),
           {"run-now"}},
          {TiersKey(), {"tiers"}},
          {KeyWith<Choice>(core::Number("minimum_saving_percent",
                                        "a job waits only if that saves this much of its emissions",
                                        "1; planner: 0", "5", 0, 100),
                           MinimumSaving()),
           {"lowest-window", "lowest-slots", "planner"}},
          {KeyWith<Choice>(
               DurationField("slot", "longest slot that has one intensity", "15m", "5m", kMinute),
               Slot()),
           {"lowest-slots", "planner"}}};
}

std::vector<PolicyKey> KeysOfPlanner() {
  using Options = plan::PlannerOptions;
  using Prices = plan::PriceOptions;
  std::vector<PolicyKey> keys;
  for (SectionKey<Choice>& key : std::vector<SectionKey<Choice>>{
           OfPlanner(core::In("g", core::Number("minimum_saving_g",
                                                "a job waits only if that saves so many grams", "0",
                                                "10", 0, kMostGrams)),
                     &Options::minimum_saving),
           OfPrices(core::Number("risk",
                                 "quantile of the forecast that counts; above 0.5, waiting must "
                                 "pay even in dirtier hours than expected",
                                 "0.5", "0.7", 0.1, 0.9),
                    &Prices::risk),
           OfPrices(core::Number("price_weight",
                                 "how much money counts beside carbon ([prices](prices.md))", "0",
                                 "0.5", 0, 1),
                    &Prices::tariff_weight),
           OfPlanner(DurationField("horizon",
                                   "the plan reaches at least this far; a job without a deadline "
                                   "waits no longer",
                                   "96h", "48h", kHour),
                     &Options::horizon),
           OfPlanner({"thresholds_and_priorities", core::Shape::kFlag,
                      "`false`: thresholds and priorities of jobs and tiers do not count, so the "
                      "plan is judged by grams alone",
                      "true", "false"},
                     &Options::uses_preferences)})
    keys.push_back({std::move(key), {"planner"}});
  return keys;
}

std::vector<PolicyKey> KeysOfDtpr() {
  using Options = plan::DtprOptions;
  std::vector<PolicyKey> keys;
  for (SectionKey<Choice>& key : std::vector<SectionKey<Choice>>{
           OfDtpr(IntensityField("lower_g_per_kwh", "lowest intensity that there can be",
                                 "the lowest known", "100"),
                  &Options::lower),
           OfDtpr(IntensityField("upper_g_per_kwh",
                                 "highest intensity that there can be, above `lower_g_per_kwh`",
                                 "the highest known", "600"),
                  &Options::upper),
           OfDtpr(DurationField("unit", "how often the intensity changes", "1h", "30m", kMinute),
                  &Options::unit)})
    keys.push_back({std::move(key), {"dtpr"}});
  return keys;
}

}  // namespace

const std::vector<PolicyKey>& PolicyKeys() {
  static const std::vector<PolicyKey> keys = [] {
    std::vector<PolicyKey> all;
    for (auto part : {KeysOfAll(), KeysOfThreshold(), SharedKeys(), KeysOfPlanner(), KeysOfDtpr()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return keys;
}

SectionTable<sim::PolicyChoice> PolicyTable(std::string_view policy) {
  SectionTable<Choice> table;
  for (const PolicyKey& key : PolicyKeys())
    if (key.policies.empty() || std::ranges::find(key.policies, policy) != key.policies.end())
      table.push_back(key.key);
  return table;
}

}  // namespace ebb::config
