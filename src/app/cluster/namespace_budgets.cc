#include "app/cluster/namespace_budgets.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/units_text.h"
#include "core/jobs/widths.h"
#include "engine/state.h"

namespace ebb::app {
namespace {

using Json = nlohmann::json;
using kubernetes::MonthlyBudget;

constexpr std::chrono::seconds kLookEvery{15};
constexpr std::chrono::minutes kKeepEvery{2};        // for sums that only grow
constexpr std::size_t kMostJobsKept = 1'000;         // because the size of an annotation is limited
constexpr std::chrono::minutes kMeasuredWithin{10};  // after the end of a job
constexpr std::string_view kWhyPrefix = "the budget of namespace ";

std::string NamespaceOf(const core::Job& job) { return job.name.substr(0, job.name.find('/')); }

// Energy of so much time on one device.
double KwhOf(const core::Job& job, Duration device_time, Pue pue) {
  return job.power.watts * pue.ratio * Seconds(device_time) / 3.6e6;
}

// The speed with so many devices; 1 if that is no width of the job.
double SpeedWith(const core::Job& job, int devices) {
  const auto widths = core::WidthsOf(job);
  const auto width = std::ranges::find(widths, devices, &core::WidthSpeed::devices);
  return width == widths.end() ? 1 : width->speed;
}

Duration Times(Duration time, double factor) {
  return Duration{std::llround(static_cast<double>(time.count()) * factor)};
}

// Time on one device that so much work of the job takes at this width.
Duration DeviceTimeOf(const core::Job& job, Duration work, int devices) {
  return Times(work, devices / SpeedWith(job, devices));
}

double GramsOf(double kwh, const std::optional<Intensity>& intensity) {
  return intensity ? kwh * intensity->g_per_kwh : 0;
}

// An elastic job has as many slots in each stretch as devices.
int WidthIn(const service::JobCard& card, std::size_t stretch) {
  const bool is_known = stretch < card.slots.size() && !card.slots[stretch].empty();
  return is_known ? static_cast<int>(card.slots[stretch].size()) : card.submission->job.devices;
}

// Time on one device, and work done.
struct Ran {
  Duration device_time{}, work{};
};

Ran RanOver(const service::JobCard& card, Interval span) {
  Ran ran;
  for (std::size_t i = 0; i < card.stretches.size(); ++i) {
    const Interval& stretch = card.stretches[i];
    const Duration time = std::max(
        Duration::zero(), std::min(stretch.end, span.end) - std::max(stretch.begin, span.begin));
    const int devices = WidthIn(card, i);
    ran.device_time += devices * time;
    ran.work += Times(time, SpeedWith(card.submission->job, devices));
  }
  return ran;
}

bool Runs(const service::JobCard& card) {
  return !card.stretches.empty() && card.stretches.back().end == Time::max();
}

double NumberOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

Json ToJson(const NamespaceUse& use) {
  return {{"energy_kwh", use.energy_kwh},
          {"emissions_g", use.emissions_g},
          {"estimated_kwh", use.estimated_kwh},
          {"estimated_g", use.estimated_g}};
}

NamespaceUse UseOf(const Json& json) {
  return {NumberOf(json, "energy_kwh"), NumberOf(json, "emissions_g"),
          NumberOf(json, "estimated_kwh"), NumberOf(json, "estimated_g")};
}

void Add(NamespaceUse& sum, const NamespaceUse& use, double sign = 1) {
  const auto add = [sign](double& to, double what) { to = std::max(0.0, to + sign * what); };
  add(sum.energy_kwh, use.energy_kwh);
  add(sum.emissions_g, use.emissions_g);
  add(sum.estimated_kwh, use.estimated_kwh);
  add(sum.estimated_g, use.estimated_g);
}

std::string KwhText(double kwh) { return EnergyText(Energy::Joules(kwh * 3.6e6)); }

}  // namespace

BudgetMonth MonthOf(const prices::ZoneClock& clock, Time time) {
  namespace chr = std::chrono;
  const auto day = chr::floor<chr::days>(clock.LocalOf(time));
  const chr::year_month_day date{chr::local_days{day.time_since_epoch()}};
  const chr::year_month month{date.year(), date.month()};
  const chr::local_days next{(month + chr::months{1}) / chr::day{1}};
  const auto number = static_cast<unsigned>(month.month());
  return {std::to_string(static_cast<int>(month.year())) + (number < 10 ? "-0" : "-") +
              std::to_string(number),
          clock.UtcOf(prices::LocalTime{next.time_since_epoch()})};
}

NamespaceBudgets::NamespaceBudgets(Ports ports) : ports_(std::move(ports)) {}

const MonthlyBudget* NamespaceBudgets::BudgetOf(const std::string& name_space) const {
  const kubernetes::NamespacePolicy* policy = ports_.policies.registry().Of(name_space);
  return policy && !policy->budget.empty() ? &policy->budget : nullptr;
}

// The account of this month. A policy with a time zone that the database does not know was refused
// before.
NamespaceBudgets::Account* NamespaceBudgets::AccountOf(const std::string& name_space,
                                                       const MonthlyBudget& budget, Time now) {
  auto clock = clocks_.find(budget.time_zone);
  if (clock == clocks_.end()) {
    const auto found = prices::ZoneClock::Find(budget.time_zone);
    if (!found) return nullptr;
    clock = clocks_.emplace(budget.time_zone, *found).first;
  }
  Account& account = accounts_[name_space];
  BudgetMonth month = MonthOf(clock->second, now);
  if (account.month.name != month.name) {
    is_news_ = true;
    account = {};
  }
  account.month = std::move(month);
  return &account;
}

// Sums that were kept ---------------------------------------------------------------------------

void NamespaceBudgets::Load() {
  loaded_ = true;
  const Json kept = Json::parse(ports_.policies.used(), nullptr, false);
  if (!kept.is_object()) return;
  if (kept.contains("until") && kept["until"].is_string())
    if (const auto until = ParseTime(kept["until"].get<std::string>())) until_ = *until;
  if (kept.contains("namespaces"))
    for (const auto& [name, sums] : kept["namespaces"].items()) {
      Account& account = accounts_[name];
      account.month.name = sums.value("month", "");
      account.used = UseOf(sums);
    }
  if (kept.contains("jobs"))
    for (const auto& [key, use] : kept["jobs"].items()) counted_[key].use = UseOf(use);
}

void NamespaceBudgets::Keep(Time now) {
  if (accounts_.empty() || (!is_news_ && now - kept_ < kKeepEvery)) return;
  is_news_ = false;
  kept_ = now;
  Json kept{{"until", FormatTime(now)}, {"namespaces", Json::object()}, {"jobs", Json::object()}};
  for (const auto& [name, account] : accounts_) {
    Json sums = ToJson(account.used);
    sums["month"] = account.month.name;
    kept["namespaces"][name] = std::move(sums);
  }
  for (const auto& [key, counted] : counted_)
    if (kept["jobs"].size() < kMostJobsKept &&
        (!counted.ended || now - *counted.ended < kMeasuredWithin))
      kept["jobs"][key] = ToJson(counted.use);
  // A changed time alone is not worth writing.
  Json before = Json::parse(ports_.policies.used(), nullptr, false);
  if (before.is_object() && before.value("namespaces", Json()) == kept["namespaces"] &&
      before.value("jobs", Json()) == kept["jobs"])
    return;
  ports_.policies.KeepUsed(kept.dump());
}

// Counting --------------------------------------------------------------------------------------

// Estimates what a job has used since the last look; for a job that another controller followed,
// since that controller kept its sums.
NamespaceUse NamespaceBudgets::Estimate(const service::JobCard& card, Time now) const {
  const Ran ran = RanOver(card, {until_.value_or(now), now});
  const double kwh = KwhOf(card.submission->job, ran.device_time, ports_.pue);
  const double grams = GramsOf(kwh, intensity_);
  return {kwh, grams, kwh, grams};
}

void NamespaceBudgets::Count(const service::JobCard& card, Account& account, Time now) {
  if (card.stretches.empty() && card.energy == Energy()) return;
  const core::Job& job = card.submission->job;
  auto [found, is_new] = counted_.try_emplace(card.submission->key);
  Counted& counted = found->second;
  counted.seen = true;
  counted.ended = card.ended;
  if (card.energy == Energy()) {
    const NamespaceUse use = Estimate(card, now);
    Add(counted.use, use);
    Add(account.used, use);
  } else {
    // A measurement replaces the estimates so far.
    const NamespaceUse guessed{counted.use.estimated_kwh, counted.use.estimated_g,
                               counted.use.estimated_kwh, counted.use.estimated_g};
    Add(account.used, guessed, -1);
    Add(counted.use, guessed, -1);
    const double kwh = card.energy.kwh() * ports_.pue.ratio;
    const double grams = card.emissions ? card.emissions->grams : GramsOf(kwh, intensity_);
    const NamespaceUse use{std::max(0.0, kwh - counted.use.energy_kwh),
                           std::max(0.0, grams - counted.use.emissions_g)};
    Add(counted.use, use);
    // Energy from before anybody counted is not part of this budget.
    const bool began_since =
        until_ && card.first_start && *card.first_start >= *until_ - kLookEvery;
    if (!is_new || began_since) Add(account.used, use);
  }
  if (!Runs(card)) return;
  const Duration left =
      std::max(Duration::zero(), job.duration - RanOver(card, {Time::min(), now}).work);
  const int devices = WidthIn(card, card.stretches.size() - 1);
  const double kwh = KwhOf(job, DeviceTimeOf(job, left, devices), ports_.pue);
  account.expected_kwh += kwh;
  account.expected_g += GramsOf(kwh, intensity_);
}

void NamespaceBudgets::AddIdle(const std::string& name_space, Energy energy,
                               const std::optional<Emissions>& emissions, Time now) {
  if (!loaded_) Load();
  const MonthlyBudget* budget = BudgetOf(name_space);
  Account* account = budget ? AccountOf(name_space, *budget, now) : nullptr;
  if (!account) return;
  const double kwh = energy.kwh() * ports_.pue.ratio;
  const double grams = emissions ? emissions->grams : GramsOf(kwh, intensity_);
  Add(account->used, {kwh, grams, kwh, grams});
  is_news_ = true;
}

void NamespaceBudgets::Look(Time now) {
  if (!loaded_) Load();
  due_ = now + kLookEvery;
  const auto view = ports_.view();
  if (!view->signals.empty() && view->signals.front().view)
    if (const core::Sample* sample = view->signals.front().view->At(now))
      intensity_ = sample->intensity;
  std::erase_if(asked_, [](auto& asked) {
    return asked.second.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
  });
  std::erase_if(accounts_, [&](const auto& entry) { return !BudgetOf(entry.first); });
  for (auto& [name, account] : accounts_) account.expected_kwh = account.expected_g = 0;
  for (auto& [key, counted] : counted_) counted.seen = false;
  for (const auto& [name, policy] : ports_.policies.registry().policies())
    if (name != kubernetes::kOtherNamespaces && !policy.budget.empty())
      AccountOf(name, policy.budget, now);
  std::set<core::JobId> starting;
  const auto each = [&](const auto& take) {
    view->jobs.ForEach(0, [&](const service::JobCard& card) {
      const std::string name = NamespaceOf(card.submission->job);
      const MonthlyBudget* budget = BudgetOf(name);
      Account* account = budget ? AccountOf(name, *budget, now) : nullptr;
      take(card, budget, account);
      return true;
    });
  };
  each([&](const service::JobCard& card, const MonthlyBudget*, Account* account) {
    if (account) Count(card, *account, now);
    if (card.explanation.stage == engine::Stage::kStarting)
      starting.insert(card.submission->job.id);
  });
  std::erase_if(starting_, [&](const auto& one) { return !starting.contains(one.first); });
  for (auto& [name, account] : accounts_) Judge(name, *BudgetOf(name), account);
  each([&](const service::JobCard& card, const MonthlyBudget* budget, Account* account) {
    Settle(card, budget ? *budget : MonthlyBudget{}, account ? *account : Account{});
  });
  std::erase_if(counted_, [](const auto& counted) { return !counted.second.seen; });
  until_ = now;
  TellAll();
  Keep(now);
}

// Holding ---------------------------------------------------------------------------------------

void NamespaceBudgets::Judge(const std::string& name_space, const MonthlyBudget& budget,
                             Account& account) {
  std::string of;
  const auto judge = [&](double used, double expected, double limit, const auto& text) {
    if (used + expected < limit || !of.empty()) return;
    of = text(used) + " of " + text(limit) +
         (used < limit ? " are used, and what runs needs the rest" : " are used");
  };
  if (budget.energy)
    judge(account.used.energy_kwh, account.expected_kwh, budget.energy->kwh(), KwhText);
  if (budget.emissions)
    judge(account.used.emissions_g, account.expected_g, budget.emissions->grams,
          [](double grams) { return EmissionsText({grams}); });
  if (account.why.empty() != of.empty()) is_news_ = true;
  if (of.empty()) {
    account.why.clear();
    account.told = false;
    return;
  }
  const prices::ZoneClock& clock = clocks_.at(budget.time_zone);
  const auto local = std::chrono::floor<std::chrono::days>(clock.LocalOf(account.month.end));
  account.why = std::string(kWhyPrefix) + name_space + " for " + account.month.name +
                " is used up: " + of + "; it starts again on " +
                FormatTime(Time{local.time_since_epoch()}).substr(0, 10) + " (" + budget.time_zone +
                ")";
}

// Ebb's own holds, including those of earlier controllers, are recognized by their reason. A hold
// by a person has another reason.
void NamespaceBudgets::Settle(const service::JobCard& card, const MonthlyBudget& budget,
                              const Account& account) {
  const core::Job& job = card.submission->job;
  if (engine::HasEnded(card.explanation.stage) || asked_.contains(job.id)) return;
  const bool is_held = card.explanation.reason.rule == core::GateRule::kHeld;
  const bool is_ours = is_held && card.detail.starts_with(kWhyPrefix);
  if (account.why.empty()) {
    if (is_ours)
      asked_[job.id] = ports_.ask(service::ControlJob{job.id, engine::JobControl::kNone});
    return;
  }
  const auto used_up = [](double used, std::optional<double> limit) {
    return limit && used >= *limit;
  };
  const bool is_over =
      used_up(account.used.energy_kwh,
              budget.energy ? std::optional(budget.energy->kwh()) : std::nullopt) ||
      used_up(account.used.emissions_g,
              budget.emissions ? std::optional(budget.emissions->grams) : std::nullopt);
  const bool is_to_pause = budget.pauses && is_over && job.checkpointable;
  const bool is_under_way = card.explanation.stage == engine::Stage::kStarting ||
                            card.explanation.stage == engine::Stage::kRunning ||
                            card.explanation.stage == engine::Stage::kPausing;
  if (is_held || (is_under_way && !is_to_pause) ||
      card.explanation.stage == engine::Stage::kPausing)
    return;
  asked_[job.id] = ports_.ask(service::ControlJob{job.id, engine::JobControl::kHold, account.why});
}

std::string NamespaceBudgets::WhyHeld(const core::Job& job) const {
  const auto account = accounts_.find(NamespaceOf(job));
  return account == accounts_.end() ? "" : account->second.why;
}

Status NamespaceBudgets::MayStart(const core::Job& job, int devices, bool is_released, Time now) {
  const std::string name = NamespaceOf(job);
  const MonthlyBudget* budget = BudgetOf(name);
  if (!budget) return {};
  if (!loaded_) Look(now);
  Account* account = AccountOf(name, *budget, now);
  if (!account) return {};
  double kwh = account->used.energy_kwh + account->expected_kwh;
  double grams = account->used.emissions_g + account->expected_g;
  for (const auto& [id, starting] : starting_) {
    if (starting.name_space != name) continue;
    kwh += starting.expected.energy_kwh;
    grams += starting.expected.emissions_g;
  }
  const bool is_used_up = (budget->energy && kwh >= budget->energy->kwh()) ||
                          (budget->emissions && grams >= budget->emissions->grams);
  if (is_used_up && !is_released) {
    due_ = now;
    return Fail({ExitCode::kTryLater,
                 std::string(kWhyPrefix) + name + " for " + account->month.name +
                     " is used up by what runs",
                 job.name, ""});
  }
  const double needed = KwhOf(job, DeviceTimeOf(job, job.duration, devices), ports_.pue);
  starting_[job.id] = {name, {needed, GramsOf(needed, intensity_)}};
  return {};
}

void NamespaceBudgets::TellAll() {
  std::vector<service::BudgetView> shown;
  std::string used_up;
  bool is_new = false;
  for (auto& [name, account] : accounts_) {
    const MonthlyBudget& budget = *BudgetOf(name);
    shown.push_back({name, account.month.name, account.month.end, budget.energy, budget.emissions,
                     Energy::Joules(account.used.energy_kwh * 3.6e6),
                     Energy::Joules(account.used.estimated_kwh * 3.6e6),
                     Emissions{account.used.emissions_g}, account.why});
    if (account.why.empty()) continue;
    used_up += (used_up.empty() ? "" : "; ") + account.why;
    if (std::exchange(account.told, true)) continue;
    is_new = true;
    ports_.say(account.why);
  }
  if (is_new) ports_.policies.Tell(kubernetes::EventReason::kBudgetUsedUp, used_up);
  ports_.show(std::move(shown));
}

}  // namespace ebb::app
