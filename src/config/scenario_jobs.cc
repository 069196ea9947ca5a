#include "config/scenario_jobs.h"

#include <algorithm>

#include "config/job_csv_section.h"
#include "config/list_reader.h"
#include "plan/feasibility/feasibility.h"

namespace ebb::config {
namespace {

constexpr double kMostJobs = 1'000'000;
constexpr double kHighestPower = 1e7;

struct JobKeys {
  Given<std::string> name, tier, on_outage;
  Given<std::int64_t> count, devices, priority;
  Given<Moment> submit, start_by, finish_by;
  Given<Duration> submit_every, duration, max_delay, pause_cost, minimum_segment;
  Given<double> power_w, energy_kwh, threshold;
  Given<bool> checkpointable;
  Given<std::vector<std::string>> sites, models;
  Given<YamlNode> overrides;
};

std::vector<KeyRule> JobRules(JobKeys& keys) {
  constexpr Duration kShortest{1};
  return {
      ReadText("name", keys.name),
      ReadInteger("count", keys.count, {1, kMostJobs}),
      ReadMoment("submit", keys.submit),
      ReadDuration("submit_every", keys.submit_every, Duration::zero()),
      Formerly("run_time", ReadDuration("duration", keys.duration, kShortest)),
      ReadNumber("power_w", keys.power_w, {0, kHighestPower}),
      ReadNumber("energy_kwh", keys.energy_kwh, {0, kHighestPower}),
      ReadInteger("devices", keys.devices, {1, kMostJobs}),
      ReadText("tier", keys.tier),
      ReadInteger("priority", keys.priority, {-1000, 1000}),
      ReadNumber("threshold_g_per_kwh", keys.threshold, {0, 10'000}),
      ReadChoice("on_outage", keys.on_outage, core::OnOutageNames()),
      ReadDuration("max_delay", keys.max_delay, Duration::zero()),
      ReadMoment("start_by", keys.start_by),
      ReadMoment("finish_by", keys.finish_by),
      Formerly("pausable", ReadBool("checkpointable", keys.checkpointable)),
      Formerly("pause_overhead", ReadDuration("pause_cost", keys.pause_cost, Duration::zero())),
      ReadDuration("minimum_segment", keys.minimum_segment, Duration::zero()),
      ReadTexts("sites", keys.sites),
      ReadTexts("models", keys.models),
      ReadNode("overrides", keys.overrides),
  };
}

void CheckTogether(const JobKeys& keys, int line, bool has_origin, Problems& problems) {
  if (!keys.duration) problems.Add(line, "the job has no duration");
  if (!keys.power_w && !keys.energy_kwh) problems.Add(line, "the job has no power_w");
  if (keys.power_w && keys.energy_kwh)
    problems.Add(keys.energy_kwh.line, "energy_kwh and power_w say the same: leave one out");
  if (keys.max_delay && keys.start_by)
    problems.Add(keys.start_by.line, "start_by and max_delay say the same: leave one out");
  for (const Given<Moment>* moment : {&keys.submit, &keys.start_by, &keys.finish_by})
    if (*moment && (**moment).time && !has_origin)
      problems.Add(moment->line,
                   "a date needs exactly one start date: give a duration like 30h instead");
  for (const auto* duration : {&keys.pause_cost, &keys.minimum_segment})
    if (*duration && !keys.checkpointable.value_or(false))
      problems.Add(duration->line, "has no meaning for a job that is not checkpointable: true");
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
  if (!keys.energy_kwh) return keys.power_w.value_or(0);
  const double hours = Hours(job.duration) * job.devices;
  return hours > 0 ? *keys.energy_kwh * 1000 / hours : 0;
}

core::Job MakeJob(const JobKeys& keys, std::optional<Time> origin, Problems& problems) {
  // Times in a scenario are offsets: a date becomes its distance from the start date.
  const auto offset = [&](const Moment& moment, Time after) {
    return moment.time ? Time{*moment.time - origin.value_or(Time{})} : after + moment.after;
  };
  core::Job job;
  job.name = keys.name.value_or("job");
  job.submitted = offset(keys.submit.value_or({}), Time{});
  job.duration = keys.duration.value_or(std::chrono::hours{1});
  job.devices = static_cast<int>(keys.devices.value_or(1));
  job.power = {PowerOf(keys, job)};
  job.tier = keys.tier.value_or("");
  job.priority = static_cast<int>(keys.priority.value_or(0));
  if (keys.threshold) job.threshold = Intensity{*keys.threshold};
  if (keys.on_outage) job.on_outage = *core::OnOutageFromName(*keys.on_outage);
  if (keys.max_delay) job.start_by = job.submitted + *keys.max_delay;
  if (keys.start_by) job.start_by = offset(*keys.start_by, job.submitted);
  if (keys.finish_by) job.finish_by = offset(*keys.finish_by, job.submitted);
  job.checkpointable = keys.checkpointable.value_or(false);
  job.pause_cost = keys.pause_cost.value_or(Duration::zero());
  job.minimum_segment = keys.minimum_segment.value_or(Duration::zero());
  job.sites = keys.sites.value_or({});
  job.models = keys.models.value_or({});
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

// Deadlines in the words of the file, which counts from submission; the rest in those of the plan.
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

// A group is one job several times: numbered names, submitted one after the other.
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
  if (keys.duration) CheckJob(job, context.cluster, node.line, problems);
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
