// Options of what a run may use: the power of its GPUs, and its budget.

#include "config/options/option_groups.h"
#include "config/options/option_member.h"

namespace ebb::config {
namespace {

using core::OptionValue;

constexpr OptionGroup kBudget = OptionGroup::kBudget;

// The Errors of core say in `next` what is accepted.
Status Refusal(const Error& error) { return Fail({ExitCode::kUsage, "", "", error.next}); }

OptionMember Cap() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            const auto cap = core::ParsePowerCap(std::get<std::string>(value));
            if (!cap) return Refusal(cap.error());
            o.power_cap = *cap;
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            if (!o.power_cap) return std::nullopt;
            return core::Describe(*o.power_cap);
          }};
}

OptionMember SlowerBy() {
  return {[](const OptionValue& value, RunOptions& o) -> Status {
            const auto slower_by = core::ParseSlowdown(std::get<std::string>(value));
            if (!slower_by) return Refusal(slower_by.error());
            o.slower_by = *slower_by;
            return {};
          },
          [](const RunOptions& o) -> std::optional<OptionValue> {
            return core::Describe(o.slower_by);
          }};
}

// An option that means nothing without a budget.
OptionMember OfBudget(OptionMember member) {
  member.get = [get = member.get](const RunOptions& o) {
    return o.metering.budget.empty() ? std::nullopt : get(o);
  };
  return member;
}

}  // namespace

std::vector<RunOption> PowerTable() {
  return {
      {.group = OptionGroup::kPower, .field = core::PowerCapField(), .member = Cap()},
      {.group = OptionGroup::kPower, .field = core::SlowerByField(), .member = SlowerBy()},
  };
}

std::vector<RunOption> BudgetTable() {
  return {
      {.group = kBudget,
       .field = Called("budget_kwh", core::BudgetEnergyField()),
       .member = Member([](auto& o) -> auto& { return o.metering.budget.energy; }),
       .section = kMeteringSection},
      {.group = kBudget,
       .field = Called("budget_g", core::BudgetEmissionsField()),
       .member = Member([](auto& o) -> auto& { return o.metering.budget.emissions; }),
       .section = kMeteringSection},
      {.group = kBudget,
       .field = Called("on_budget", Adding("; what was stopped goes on only with a larger budget",
                                           core::BudgetActionField())),
       .member = OfBudget(Named(
           [](auto& o) -> auto& { return o.metering.budget.action; }, core::BudgetActionFromName)),
       .section = kMeteringSection,
       .stored = Stored::kAlways},
      {.group = kBudget,
       .field = Span(Flag("budget-grace", "DURATION"), "budget_grace",
                     "how long the program may take for its checkpoint (default 30s); then it is "
                     "killed",
                     ""),
       .member = OfBudget(Member([](auto& o) -> auto& { return o.metering.budget.grace; })),
       .section = kMeteringSection,
       .otherwise = "30s",
       .stored = Stored::kAlways},
  };
}

}  // namespace ebb::config
