#include "config/scenario/scenario_jobs.h"

#include <algorithm>

#include "config/job_option_rules.h"
#include "config/scenario/job_csv_section.h"
#include "config/scenario/scenario_table.h"
#include "core/jobs/move.h"
#include "plan/feasibility/feasibility.h"

namespace ebb::config {
namespace {

// The keys of a job: the options that all jobs have, and those that only a scenario has.
std::vector<KeyRule> JobRules(JobSection& section, GivenKeys& given) {
  static const SectionTable<core::Submission> options = JobOptionTable(core::Place::kScenario);
  std::vector<KeyRule> rules = RulesOf(options, section.submission, given);
  for (KeyRule& rule : RulesOf(JobTable(), section, given)) rules.push_back(std::move(rule));
  return rules;
}

void CheckTogether(const JobSection& section, const GivenKeys& given, int line, bool has_origin,
                   Problems& problems) {
  const bool has_power = given.Has("power_w");
  if (!given.Has("duration")) problems.Add(line, "the job has no duration");
  if (!has_power && !section.energy_kwh) problems.Add(line, "the job has no power_w");
  if (has_power && section.energy_kwh)
    problems.Add(given.LineOf("energy_kwh"), "energy_kwh and power_w say the same: leave one out");
  if (section.max_delay && section.start_by)
    problems.Add(given.LineOf("start_by"), "start_by and max_delay say the same: leave one out");
  const auto check_date = [&](const char* key, const std::optional<Moment>& moment) {
    if (moment && moment->time && !has_origin)
      problems.Add(given.LineOf(key),
                   "a date needs exactly one start date: give a duration like 30h instead");
  };
  check_date("submit", section.submit);
  check_date("start_by", section.start_by);
  check_date("finish_by", section.finish_by);
  if (given.Has("files_gb") && !given.Has("home"))
    problems.Add(given.LineOf("files_gb"), "files_gb needs home: the site where the files lie");
  for (const char* key : {"pause_cost", "minimum_segment", "speedup"})
    if (given.Has(key) && !section.submission.job.checkpointable)
      problems.Add(given.LineOf(key), "has no meaning for a job that is not checkpointable: true");
}

std::vector<core::ModelOverride> ReadOverrides(const std::optional<YamlNode>& node,
                                               Problems& problems) {
  std::vector<core::ModelOverride> overrides;
  if (!node) return overrides;
  ReadEach("overrides", *node, problems, [&](const YamlNode& item, Problems& found) {
    core::ModelOverride one;
    ReadByTable(item, "overrides", OverrideTable(), one, found);
    if (one.model.empty()) return found.Add(item.line, "an override needs a model");
    overrides.push_back(std::move(one));
  });
  return overrides;
}

Power PowerOf(const JobSection& section, const core::Job& job) {
  if (!section.energy_kwh) return job.power;
  const double hours = Hours(job.duration) * job.devices;
  return {hours > 0 ? *section.energy_kwh * 1000 / hours : 0};
}

core::Job MakeJob(const JobSection& section, const GivenKeys& given, std::optional<Time> origin,
                  Problems& problems) {
  // Times in a scenario are offsets, so a date becomes its distance from the start date.
  const auto offset = [&](const Moment& moment, Time after) {
    return moment.time ? Time{*moment.time - origin.value_or(Time{})} : after + moment.after;
  };
  core::Job job = section.submission.job;
  if (!given.Has("name")) job.name = "job";
  if (!given.Has("duration")) job.duration = std::chrono::hours{1};
  job.submitted = offset(section.submit, Time{});
  job.power = PowerOf(section, job);
  if (section.max_delay) job.start_by = job.submitted + *section.max_delay;
  if (section.start_by) job.start_by = offset(*section.start_by, job.submitted);
  if (section.finish_by) job.finish_by = offset(*section.finish_by, job.submitted);
  job.overrides = ReadOverrides(section.overrides, problems);
  return job;
}

Duration ShortestRun(const core::Job& job, const core::Cluster& cluster) {
  Duration shortest = Duration::max();
  for (std::size_t pool = 0; pool < cluster.pools.size(); ++pool)
    if (core::Fits(job, cluster, static_cast<int>(pool)))
      shortest =
          std::min(shortest, core::HeldOn(job, cluster, -1, static_cast<int>(pool), job.duration));
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
void AddGroup(const core::Job& job, std::int64_t count, Duration every,
              std::vector<core::Job>& jobs) {
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
  JobSection section;
  GivenKeys given;
  const std::vector<KeyRule> rules = JobRules(section, given);
  ReadSection(node, "jobs", rules, {}, problems);
  CheckTogether(section, given, node.line, context.origin.has_value(), problems);
  core::Job job = MakeJob(section, given, context.origin, problems);
  job.id = std::ssize(jobs) + 1;
  if (given.Has("duration")) CheckJob(job, context.cluster, node.line, problems);
  AddGroup(job, section.count, section.submit_every, jobs);
}

}  // namespace

JobList ReadJobs(const YamlNode& section, const JobsContext& context, Problems& problems) {
  if (section.kind == YamlNode::Kind::kMap) return ReadJobCsv(section, context, problems);
  JobList list;
  ReadEach("jobs", section, problems, [&](const YamlNode& node, Problems& found) {
    ReadJob(node, context, list.jobs, found);
  });
  std::stable_sort(list.jobs.begin(), list.jobs.end(), [](const core::Job& a, const core::Job& b) {
    return a.submitted < b.submitted;
  });
  core::JobId id = 0;
  for (core::Job& job : list.jobs) job.id = ++id;
  return list;
}

}  // namespace ebb::config
