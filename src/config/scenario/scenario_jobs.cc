#include "config/scenario/scenario_jobs.h"

#include <algorithm>

#include "config/job_option_rules.h"
#include "config/scenario/job_csv_section.h"
#include "config/yaml/list_reader.h"
#include "plan/feasibility/feasibility.h"

namespace ebb::config {
namespace {

constexpr double kMostJobs = 1'000'000;
constexpr double kMostEnergyKwh = 1e7;

// The keys of a job: its options (core/options/job_options.h), and those that only a scenario has.
struct JobKeys {
  core::Submission submission;
  JobOptionKeys options{core::Place::kScenario, submission};
  Given<std::string> tier;
  Given<std::int64_t> count;
  Given<Moment> submit, start_by, finish_by;
  Given<Duration> submit_every, max_delay;
  Given<double> energy_kwh;
  Given<std::vector<std::string>> sites;
  Given<YamlNode> overrides;
};

std::vector<KeyRule> JobRules(JobKeys& keys) {
  std::vector<KeyRule> rules = keys.options.Rules();
  for (KeyRule& rule : std::vector<KeyRule>{
           ReadInteger("count", keys.count, {1, kMostJobs}), ReadMoment("submit", keys.submit),
           ReadDuration("submit_every", keys.submit_every, Duration::zero()),
           ReadNumber("energy_kwh", keys.energy_kwh, {0, kMostEnergyKwh}),
           ReadText("tier", keys.tier), ReadDuration("max_delay", keys.max_delay, Duration::zero()),
           ReadMoment("start_by", keys.start_by), ReadMoment("finish_by", keys.finish_by),
           ReadTexts("sites", keys.sites), ReadNode("overrides", keys.overrides)})
    rules.push_back(std::move(rule));
  return rules;
}

void CheckTogether(const JobKeys& keys, int line, bool has_origin, Problems& problems) {
  const bool has_power = keys.options.Has("power_w");
  if (!keys.options.Has("duration")) problems.Add(line, "the job has no duration");
  if (!has_power && !keys.energy_kwh) problems.Add(line, "the job has no power_w");
  if (has_power && keys.energy_kwh)
    problems.Add(keys.energy_kwh.line, "energy_kwh and power_w say the same: leave one out");
  if (keys.max_delay && keys.start_by)
    problems.Add(keys.start_by.line, "start_by and max_delay say the same: leave one out");
  for (const Given<Moment>* moment : {&keys.submit, &keys.start_by, &keys.finish_by})
    if (*moment && (**moment).time && !has_origin)
      problems.Add(moment->line,
                   "a date needs exactly one start date: give a duration like 30h instead");
  for (const char* key : {"pause_cost", "minimum_segment"})
    if (keys.options.Has(key) && !keys.submission.job.checkpointable)
      problems.Add(keys.options.LineOf(key),
                   "has no meaning for a job that is not checkpointable: true");
}

std::vector<core::ModelOverride> ReadOverrides(const Given<YamlNode>& node, Problems& problems) {
  std::vector<core::ModelOverride> overrides;
  if (!node) return overrides;
  ReadItems("overrides", [&](const YamlNode& item, Problems& found) {
    Given<std::string> model;
    Given<double> speed, power_factor;
    const std::vector<KeyRule> rules{ReadText("model", model),
                                     ReadNumber("speed", speed, {0.001, 1000}),
                                     ReadNumber("power_factor", power_factor, {0.001, 1000})};
    ReadSection(item, "overrides", rules, {}, found);
    if (!model) return found.Add(item.line, "an override needs a model");
    overrides.push_back({*model, speed.value_or(1), power_factor.value_or(1)});
  }).read(*node, problems);
  return overrides;
}

double PowerOf(const JobKeys& keys, const core::Job& job) {
  if (!keys.energy_kwh) return job.power.watts;
  const double hours = Hours(job.duration) * job.devices;
  return hours > 0 ? *keys.energy_kwh * 1000 / hours : 0;
}

core::Job MakeJob(const JobKeys& keys, std::optional<Time> origin, Problems& problems) {
  // Times in a scenario are offsets, so a date becomes its distance from the start date.
  const auto offset = [&](const Moment& moment, Time after) {
    return moment.time ? Time{*moment.time - origin.value_or(Time{})} : after + moment.after;
  };
  core::Job job = keys.submission.job;
  if (!keys.options.Has("name")) job.name = "job";
  if (!keys.options.Has("duration")) job.duration = std::chrono::hours{1};
  job.submitted = offset(keys.submit.value_or({}), Time{});
  job.power = {PowerOf(keys, job)};
  job.tier = keys.tier.value_or("");
  if (keys.max_delay) job.start_by = job.submitted + *keys.max_delay;
  if (keys.start_by) job.start_by = offset(*keys.start_by, job.submitted);
  if (keys.finish_by) job.finish_by = offset(*keys.finish_by, job.submitted);
  job.sites = keys.sites.value_or({});
  job.overrides = ReadOverrides(keys.overrides, problems);
  return job;
}

Duration ShortestRun(const core::Job& job, const core::Cluster& cluster) {
  Duration shortest = Duration::max();
  for (std::size_t pool = 0; pool < cluster.pools.size(); ++pool)
    if (core::Fits(job, cluster, static_cast<int>(pool)))
      shortest = std::min(shortest, core::TimeOn(job, cluster.pools[pool], job.duration));
  return shortest;
}

// Checks a job. Messages about deadlines use the words of the file, which counts from submission;
// all other messages come from the plan.
void CheckJob(const core::Job& job, const core::Cluster& cluster, int line, Problems& problems) {
  if (cluster.pools.empty()) return;
  if (job.start_by && *job.start_by < job.submitted)
    return problems.Add(line, "the latest start is before the submission");
  const Duration shortest = ShortestRun(job, cluster);
  if (shortest != Duration::max() && job.finish_by && *job.finish_by < job.submitted + shortest)
    return problems.Add(
        line, "the job cannot end by its finish_by: it takes " + FormatDuration(shortest) +
                  ", and finish_by leaves " +
                  FormatDuration(std::max(*job.finish_by - job.submitted, Duration::zero())));
  if (const Status fine = plan::CheckJob(job, cluster); !fine)
    problems.Add(line, fine.error().Message());
}

// Adds the jobs of a group: copies of one job with numbered names, submitted one after the other.
void AddGroup(const core::Job& job, const JobKeys& keys, std::vector<core::Job>& jobs) {
  const std::int64_t count = keys.count.value_or(1);
  const Duration every = keys.submit_every.value_or(Duration::zero());
  for (std::int64_t i = 0; i < count; ++i) {
    core::Job one = job;
    if (count > 1) one.name += "-" + std::to_string(i + 1);
    one.submitted += every * i;
    if (one.start_by) *one.start_by += every * i;
    if (one.finish_by) *one.finish_by += every * i;
    jobs.push_back(std::move(one));
  }
}

void ReadJob(const YamlNode& node, const JobsContext& context, std::vector<core::Job>& jobs,
             Problems& problems) {
  JobKeys keys;
  const std::vector<KeyRule> rules = JobRules(keys);
  ReadSection(node, "jobs", rules, {}, problems);
  CheckTogether(keys, node.line, context.origin.has_value(), problems);
  core::Job job = MakeJob(keys, context.origin, problems);
  job.id = std::ssize(jobs) + 1;
  if (keys.options.Has("duration")) CheckJob(job, context.cluster, node.line, problems);
  AddGroup(job, keys, jobs);
}

}  // namespace

JobList ReadJobs(const YamlNode& section, const JobsContext& context, Problems& problems) {
  if (section.kind == YamlNode::Kind::kMap) return ReadJobCsv(section, context, problems);
  JobList list;
  ReadItems("jobs", [&](const YamlNode& node, Problems& found) {
    ReadJob(node, context, list.jobs, found);
  }).read(section, problems);
  std::stable_sort(list.jobs.begin(), list.jobs.end(), [](const core::Job& a, const core::Job& b) {
    return a.submitted < b.submitted;
  });
  core::JobId id = 0;
  for (core::Job& job : list.jobs) job.id = ++id;
  return list;
}

}  // namespace ebb::config
