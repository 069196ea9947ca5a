// Measures whether a plan can hedge against the error of its forecast. It compares the planner,
// over the start dates of a scenario, with rules that know the errors of past forecasts.
//
//   hedging_bench SCENARIO.yaml [RULE...]
//
// At each moment a rule knows paths. A path is the forecast of that moment plus the errors of one
// earlier forecast of the same source on 100 future hours, so that the errors of neighbouring hours
// stay correlated. The earlier forecasts are those of the 120 days before, at the same time of day.
// A saving compares the plan with starting everything as soon as possible. Prints a row for each
// start date and rule; bench/weather makes figures of them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "app/simulation_run.h"
#include "plan/bound/hindsight_bound.h"
#include "plan/planner/planner.h"
#include "sim/simulation.h"

namespace ebb {
namespace {

using std::chrono::days;
using std::chrono::hours;

constexpr std::size_t kLeads = 100;
constexpr Duration kReach = hours{kLeads};
constexpr Duration kIssuedEvery = hours{6};
constexpr Duration kRemembered = days{120};

/// Hourly values from a whole hour on. Beyond the end the last value goes on.
using Hourly = std::vector<double>;

Time HourOf(Time time) { return std::chrono::floor<hours>(time); }

Hourly ExpectedFrom(const core::SignalView& view, Time begin) {
  Hourly values;
  for (std::size_t lead = 0; lead < kLeads; ++lead) {
    const Time hour = begin + static_cast<Duration::rep>(lead) * Duration{hours{1}};
    const auto mean = view.Mean({hour, hour + hours{1}});
    if (!mean) break;
    values.push_back(mean->intensity.g_per_kwh);
  }
  return values;
}

double MeanOf(const Hourly& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The errors of past forecasts, as shares of their mean.
class ErrorRecord {
 public:
  struct Row {
    Time issued;
    Hourly expected, error;
  };

  static Result<ErrorRecord> Make(runtime::SignalFeed& feed, Interval issues) {
    ErrorRecord record;
    for (Time issued = issues.begin; issued < issues.end; issued += kIssuedEvery) {
      EBB_ASSIGN_OR_RETURN(const auto view, feed.Observe(issued, kReach));
      EBB_ASSIGN_OR_RETURN(const auto truth, feed.Believed({issued, issued + kReach}));
      Row row{issued, ExpectedFrom(view, issued), {}};
      if (row.expected.size() < kLeads || truth.samples().size() < kLeads) continue;
      const double level = MeanOf(row.expected);
      for (std::size_t lead = 0; lead < kLeads; ++lead) {
        const Time hour = issued + static_cast<Duration::rep>(lead) * Duration{hours{1}};
        const auto came = truth.Mean({hour, hour + hours{1}});
        if (!came) break;
        row.expected[lead] /= level;
        row.error.push_back(came->intensity.g_per_kwh / level - row.expected[lead]);
      }
      if (row.error.size() == kLeads) record.rows_.push_back(std::move(row));
    }
    return record;
  }

  /// The records that were complete at `now` and have the same time of day.
  std::vector<const Row*> At(Time now) const {
    std::vector<const Row*> rows;
    for (const Row& row : rows_) {
      // One day of lag is more than any source has.
      if (row.issued + kReach + days{1} > now || row.issued + kReach + kRemembered < now) continue;
      const auto apart = (now - row.issued) % Duration{days{1}};
      if (std::min(apart, Duration{days{1}} - apart) <= kIssuedEvery / 2) rows.push_back(&row);
    }
    return rows;
  }

 private:
  std::vector<Row> rows_;
};

/// The possible paths after a moment.
struct Outlook {
  Time begin;
  Hourly expected;
  std::vector<Hourly> paths;

  Outlook(const core::SignalView& view, const ErrorRecord& record) : begin(HourOf(view.now)) {
    expected = ExpectedFrom(view, begin);
    if (expected.empty()) return;
    const double level = MeanOf(expected);
    for (const ErrorRecord::Row* row : record.At(view.now)) {
      Hourly path;
      for (std::size_t lead = 0; lead < expected.size(); ++lead)
        path.push_back(std::max(0.0, expected[lead] + level * row->error[lead]));
      paths.push_back(std::move(path));
    }
  }
};

/// Grams of the work that a schedule still runs, with the hourly values of `path`.
double GramsOf(const plan::Problem& problem, const plan::Schedule& schedule, Time begin,
               const Hourly& path) {
  double grams = 0;
  for (std::size_t i = 0; i < schedule.jobs.size(); ++i) {
    for (const plan::Segment& segment : schedule.jobs[i].segments) {
      const auto& pool = problem.cluster->pools[static_cast<std::size_t>(segment.pool)];
      const double kw = core::PowerOn(*problem.jobs[i].job, pool).watts / 1000;
      for (Time at = std::max(begin, segment.time.begin); at < segment.time.end;) {
        const auto hour = static_cast<std::size_t>((at - begin) / Duration{hours{1}});
        const Time next = std::min(segment.time.end, HourOf(at) + hours{1});
        grams += kw * Hours(next - at) * path[std::min(hour, path.size() - 1)];
        at = next;
      }
    }
  }
  return grams;
}

/// Savings of one plan against another, one for each path.
struct Savings {
  std::vector<double> by_path;
  double mean = 0, deviation = 0, shortfall = 0;

  Savings(const plan::Problem& problem, const Outlook& outlook, const plan::Schedule& plan,
          const plan::Schedule& reference) {
    for (const Hourly& path : outlook.paths)
      by_path.push_back(GramsOf(problem, reference, outlook.begin, path) -
                        GramsOf(problem, plan, outlook.begin, path));
    const double count = static_cast<double>(by_path.size());
    for (const double saving : by_path) {
      mean += saving / count;
      shortfall += std::max(0.0, -saving) / count;
    }
    for (const double saving : by_path) deviation += (saving - mean) * (saving - mean) / count;
    deviation = std::sqrt(deviation);
  }
};

/// A problem whose sites have the values of `views`.
struct Seen {
  std::vector<core::SignalView> views;
  std::vector<plan::SiteView> sites;
  plan::Problem problem;

  Seen(const plan::Problem& of, const std::function<void(core::SignalView&)>& change)
      : problem(of) {
    views.reserve(of.sites.size());
    for (const plan::SiteView& site : of.sites) {
      views.push_back(*site.view);
      change(views.back());
      sites.push_back(site);
      sites.back().view = &views.back();
    }
    problem.sites = sites;
  }
};

void Replace(core::SignalView& view, Time begin, const Hourly& values) {
  const core::SignalIdentity identity = view.forecast.series.identity();
  std::vector<core::Sample> samples = view.forecast.series.samples();
  for (core::Sample& sample : samples) {
    const auto hour =
        static_cast<std::size_t>((sample.interval.begin - begin) / Duration{hours{1}});
    sample.intensity.g_per_kwh = values[std::min(hour, values.size() - 1)];
  }
  auto series = core::IntensitySeries::Create(identity, std::move(samples));
  if (series) view.forecast.series = *std::move(series);
}

/// The planner, with a rule that changes its plan.
class Hedged : public plan::Policy {
 public:
  explicit Hedged(const ErrorRecord& record, plan::PlannerOptions options = {})
      : record_(record), planner_(plan::MakePlanner(Plain(options))) {}
  std::string_view name() const override { return "hedged planner"; }

  void Update(const plan::Problem& problem, const plan::Change& change,
              plan::Schedule& schedule) const override {
    planner_->Update(problem, change, schedule);
    const core::SignalView* view = problem.sites.front().view;
    if (view == nullptr || view->forecast.series.empty()) return;
    const Outlook outlook(*view, record_);
    if (outlook.paths.size() >= 21) Hedge(problem, outlook, schedule);
  }

 protected:
  virtual void Hedge(const plan::Problem&, const Outlook&, plan::Schedule&) const {}

  static plan::PlannerOptions Plain(plan::PlannerOptions options) {
    options.uses_preferences = false;
    return options;
  }
  plan::Schedule PlanOf(const plan::Problem& problem) const {
    plan::Schedule schedule;
    schedule.jobs.resize(problem.jobs.size());
    planner_->Update(problem, {}, schedule);
    return schedule;
  }
  plan::Schedule AsSoonAsPossible(const plan::Problem& problem) const {
    const Seen flat(problem, [](core::SignalView& view) { view.forecast = {}; });
    return PlanOf(flat.problem);
  }
  plan::Schedule PlanOn(const plan::Problem& problem, Time begin, const Hourly& values) const {
    const Seen seen(problem, [&](core::SignalView& view) { Replace(view, begin, values); });
    return PlanOf(seen.problem);
  }

  const ErrorRecord& record_;
  std::unique_ptr<plan::Policy> planner_;
};

/// Starts everything at once, unless the mean saving of the remaining jobs is more than `times` its
/// deviation.
class SureOnly final : public Hedged {
 public:
  SureOnly(const ErrorRecord& record, double times) : Hedged(record), times_(times) {}

 private:
  void Hedge(const plan::Problem& problem, const Outlook& outlook,
             plan::Schedule& schedule) const override {
    plan::Schedule soon = AsSoonAsPossible(problem);
    const Savings savings(problem, outlook, schedule, soon);
    if (savings.mean < times_ * savings.deviation) schedule = std::move(soon);
  }
  double times_;
};

/// Like SureOnly, but decides only once, when the jobs are submitted: jobs that began to wait go on
/// waiting.
class SureAtFirst final : public Hedged {
 public:
  SureAtFirst(const ErrorRecord& record, double times) : Hedged(record), times_(times) {}

 private:
  void Hedge(const plan::Problem& problem, const Outlook& outlook,
             plan::Schedule& schedule) const override {
    if (waits_ == true) return;
    plan::Schedule soon = AsSoonAsPossible(problem);
    const Savings savings(problem, outlook, schedule, soon);
    if (!waits_) waits_ = savings.mean >= times_ * savings.deviation;
    if (!*waits_) schedule = std::move(soon);
  }
  double times_;
  /// Kept here because a policy lives as long as one simulation.
  mutable std::optional<bool> waits_;
};

/// Takes, among plans for ever dearer futures, the one with the best mean saving less `weight`
/// times the mean shortfall against starting at once.
class LeastRegret final : public Hedged {
 public:
  LeastRegret(const ErrorRecord& record, double weight) : Hedged(record), weight_(weight) {
    for (const double risk : {0.6, 0.75, 0.9}) {
      plan::PlannerOptions options;
      options.prices.risk = risk;
      careful_.push_back(plan::MakePlanner(Plain(options)));
    }
  }

 private:
  void Hedge(const plan::Problem& problem, const Outlook& outlook,
             plan::Schedule& schedule) const override {
    const plan::Schedule soon = AsSoonAsPossible(problem);
    std::vector<plan::Schedule> plans{schedule, soon};
    for (const auto& planner : careful_) {
      plans.emplace_back().jobs.resize(problem.jobs.size());
      planner->Update(problem, {}, plans.back());
    }
    double best = -HUGE_VAL;
    for (plan::Schedule& plan : plans) {
      const Savings savings(problem, outlook, plan, soon);
      const double worth = savings.mean - weight_ * savings.shortfall;
      if (worth > best + 1e-9) {
        best = worth;
        schedule = plan;
      }
    }
  }
  double weight_;
  std::vector<std::unique_ptr<plan::Policy>> careful_;
};

/// Plans with an expectation other than the forecast.
class OtherExpectation : public Hedged {
 public:
  using Hedged::Hedged;

 private:
  virtual Hourly Expect(const Outlook& outlook, Time now) const = 0;
  void Hedge(const plan::Problem& problem, const Outlook& outlook,
             plan::Schedule& schedule) const override {
    schedule = PlanOn(problem, outlook.begin, Expect(outlook, problem.now));
  }
};

/// Plans with the mean of all paths. Because grams are linear in intensity, this plan is the best
/// one over all paths.
class MeanOfPaths final : public OtherExpectation {
 public:
  using OtherExpectation::OtherExpectation;

 private:
  Hourly Expect(const Outlook& outlook, Time) const override {
    Hourly mean(outlook.expected.size());
    for (const Hourly& path : outlook.paths)
      for (std::size_t lead = 0; lead < mean.size(); ++lead)
        mean[lead] += path[lead] / static_cast<double>(outlook.paths.size());
    return mean;
  }
};

/// Draws the forecast towards its mean, at each lead time by the amount that would have been right
/// lately.
class Shrunk final : public OtherExpectation {
 public:
  using OtherExpectation::OtherExpectation;

 private:
  Hourly Expect(const Outlook& outlook, Time now) const override {
    const auto rows = record_.At(now);
    const double mean = MeanOf(outlook.expected);
    Hourly expected;
    for (std::size_t lead = 0; lead < outlook.expected.size(); ++lead) {
      double product = 0, square = 0;
      const std::size_t last = std::min(kLeads - 1, lead + 6);
      for (const ErrorRecord::Row* row : rows)
        for (std::size_t like = lead - std::min<std::size_t>(lead, 6); like <= last; ++like) {
          const double said = row->expected[like] - 1;
          product += said * (said + row->error[like]);
          square += said * said;
        }
      const double share = square > 0 ? std::clamp(product / square, 0.0, 1.0) : 1;
      expected.push_back(mean + share * (outlook.expected[lead] - mean));
    }
    return expected;
  }
};

/// Starts as many jobs now as the best plans of all paths but a few would start.
class Voted final : public Hedged {
 public:
  Voted(const ErrorRecord& record, double share) : Hedged(record), share_(share) {}

 private:
  static constexpr std::size_t kVoters = 11;

  static std::size_t StartsOf(const plan::Schedule& schedule) {
    return static_cast<std::size_t>(
        std::count_if(schedule.jobs.begin(), schedule.jobs.end(),
                      [](const plan::JobPlan& plan) { return plan.run_now; }));
  }
  void Hedge(const plan::Problem& problem, const Outlook& outlook,
             plan::Schedule& schedule) const override {
    std::vector<std::size_t> votes;
    for (std::size_t voter = 0; voter < kVoters; ++voter) {
      const std::size_t path = voter * outlook.paths.size() / kVoters;
      votes.push_back(StartsOf(PlanOn(problem, outlook.begin, outlook.paths[path])));
    }
    std::sort(votes.rbegin(), votes.rend());
    const std::size_t wanted =
        votes[static_cast<std::size_t>(share_ * static_cast<double>(kVoters))];
    if (wanted <= StartsOf(schedule)) return;
    // The jobs that would run first if all ran as soon as possible start first.
    const plan::Schedule soon = AsSoonAsPossible(problem);
    std::size_t started = StartsOf(schedule);
    for (std::size_t i = 0; i < soon.jobs.size() && started < wanted; ++i) {
      if (!soon.jobs[i].run_now || schedule.jobs[i].run_now) continue;
      schedule.jobs[i] = soon.jobs[i];
      ++started;
    }
  }
  double share_;
};

using MakeRule = std::function<std::unique_ptr<plan::Policy>(const ErrorRecord&)>;

MakeRule WithOptions(const std::function<void(plan::PlannerOptions&)>& change) {
  return [change](const ErrorRecord& record) {
    plan::PlannerOptions options;
    change(options);
    return std::make_unique<Hedged>(record, options);
  };
}

template <typename Rule>
MakeRule With(double number) {
  return [number](const ErrorRecord& record) { return std::make_unique<Rule>(record, number); };
}

std::map<std::string, MakeRule> AllRules() {
  std::map<std::string, MakeRule> rules;
  rules["planner"] = WithOptions([](plan::PlannerOptions&) {});
  for (const char* risk : {"0.25", "0.4", "0.6", "0.75", "0.9"})
    rules[std::string("quantile ") + risk] = WithOptions(
        [risk](plan::PlannerOptions& options) { options.prices.risk = std::atof(risk); });
  for (const char* share : {"0.02", "0.05", "0.1"})
    rules[std::string("least saving ") + share] =
        WithOptions([share](plan::PlannerOptions& options) {
          options.minimum_saving_share = std::atof(share);
        });
  for (const char* times : {"0.1", "0.25", "0.5", "1"})
    rules[std::string("sure only ") + times] = With<SureOnly>(std::atof(times));
  for (const char* times : {"0.1", "0.25", "0.5", "1"})
    rules[std::string("sure at first ") + times] = With<SureAtFirst>(std::atof(times));
  for (const char* weight : {"1", "4"})
    rules[std::string("least regret ") + weight] = With<LeastRegret>(std::atof(weight));
  rules["mean of paths"] = [](const auto& record) { return std::make_unique<MeanOfPaths>(record); };
  rules["shrunk"] = [](const auto& record) { return std::make_unique<Shrunk>(record); };
  for (const char* share : {"0.25", "0.5"})
    rules[std::string("voted ") + share] = With<Voted>(std::atof(share));
  return rules;
}

Result<double> GramsUnder(const sim::Scenario& scenario, std::unique_ptr<plan::Policy> policy,
                          Time start, sim::Feeds& feeds, const sim::TrueSignals& truth) {
  EBB_ASSIGN_OR_RETURN(const auto simulation,
                       sim::Simulate(scenario, std::move(policy), start, feeds, truth));
  return simulation.use.emissions.grams;
}

Status Measure(const std::string& path, std::vector<std::string> names) {
  config::ScenarioContext context;
  context.path = path;
  EBB_ASSIGN_OR_RETURN(const config::ScenarioFile file, config::LoadScenario(context));
  const sim::Scenario& scenario = file.scenario;
  EBB_ASSIGN_OR_RETURN(sim::Feeds feeds, app::MakeFeeds(file));
  // This reads past forecasts at many moments in an order of its own, so it needs separate feeds.
  EBB_ASSIGN_OR_RETURN(sim::Feeds past, app::MakeFeeds(file));
  const Interval starts{scenario.start_dates.front(), scenario.start_dates.back()};
  EBB_ASSIGN_OR_RETURN(
      const ErrorRecord record,
      ErrorRecord::Make(*past.front(), {starts.begin - kRemembered - days{6}, starts.end}));
  const auto rules = AllRules();
  if (names.empty())
    for (const auto& [name, make] : rules) names.push_back(name);
  std::puts("start,rule,grams,run_now_g,bound_g");
  for (const Time start : scenario.start_dates) {
    EBB_ASSIGN_OR_RETURN(const auto truth, sim::TrueSignals::Load(scenario, feeds, start));
    EBB_ASSIGN_OR_RETURN(auto run_now, plan::MakePolicy("run-now", {}));
    EBB_ASSIGN_OR_RETURN(const double at_once,
                         GramsUnder(scenario, std::move(run_now), start, feeds, *truth));
    const double bound =
        plan::BestInHindsight(sim::JobsAt(scenario, start), scenario.cluster, truth->series, {})
            .emissions.grams;
    for (const std::string& name : names) {
      const auto rule = rules.find(name);
      if (rule == rules.end())
        return Fail({ExitCode::kConfiguration, "there is no rule \"" + name + "\"", "", ""});
      EBB_ASSIGN_OR_RETURN(const double grams,
                           GramsUnder(scenario, rule->second(record), start, feeds, *truth));
      std::printf("%s,%s,%.3f,%.3f,%.3f\n", FormatTime(start).c_str(), name.c_str(), grams, at_once,
                  bound);
    }
    std::fflush(stdout);
  }
  return {};
}

}  // namespace
}  // namespace ebb

int main(int count, char** words) {
  if (count < 2) {
    std::fputs("usage: hedging_bench SCENARIO.yaml [RULE...]\n", stderr);
    return 2;
  }
  const auto status = ebb::Measure(words[1], {words + 2, words + count});
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().Message().c_str());
  return 1;
}
