#include "config/scenario/job_csv_section.h"

#include "config/job_option_rules.h"
#include "config/scenario/scenario_table.h"
#include "config/yaml/file_names.h"
#include "plan/feasibility/feasibility.h"
#include "sim/job_csv.h"

namespace ebb::config {
namespace {

// The keys of the section: options that all of its jobs share, and how the trace is read.
std::vector<KeyRule> TraceRules(JobTraceSection& section, GivenKeys& given) {
  static const SectionTable<core::Submission> options = JobOptionTable(core::Place::kJobTrace);
  std::vector<KeyRule> rules = RulesOf(options, section.submission, given);
  for (KeyRule& rule : RulesOf(JobTraceTable(), section, given)) rules.push_back(std::move(rule));
  return rules;
}

std::vector<sim::JobRule> ReadRules(const std::optional<YamlNode>& node, Problems& problems) {
  std::vector<sim::JobRule> rules;
  if (!node) return rules;
  ReadEach("rules", *node, problems, [&](const YamlNode& item, Problems& found) {
    ReadByTable(item, "rules", JobRuleTable(), rules.emplace_back(), found);
  });
  return rules;
}

// Reports the first job that cannot run at all, and the number of such jobs.
void CheckJobs(const std::vector<core::Job>& jobs, const core::Cluster& cluster, int line,
               Problems& problems) {
  int bad = 0;
  std::string first;
  for (const core::Job& job : jobs) {
    const Status fine = plan::CheckJob(job, cluster);
    if (!fine && ++bad == 1) first = fine.error().Message();
  }
  if (bad > 0)
    problems.Add(line, std::to_string(bad) + " of " + std::to_string(jobs.size()) +
                           " jobs cannot run; the first: " + first +
                           " (widest, shortest and longest leave jobs out)");
}

}  // namespace

JobList ReadJobCsv(const YamlNode& section, const JobsContext& context, Problems& problems) {
  JobTraceSection trace;
  trace.submission.job = trace.options.job;
  GivenKeys given;
  const std::vector<KeyRule> rules = TraceRules(trace, given);
  ReadSection(section, "jobs", rules, {}, problems);
  trace.options.job = trace.submission.job;
  trace.options.rules = ReadRules(trace.rules, problems);
  if (!given.Has("csv")) {
    problems.Add(section.line, "jobs must be a list of jobs, or have a csv file");
    return {};
  }
  const std::string path = Beside(context.directory, trace.csv);
  auto text = context.read_file(path);
  if (!text) {
    if (given.Has("how_to_get")) text.error().next = trace.how_to_get;
    problems.Add(given.LineOf("csv"), text.error().Message());
    return {};
  }
  auto csv = sim::ParseJobCsv(*text, path, trace.options);
  if (!csv) {
    problems.Add(given.LineOf("csv"), csv.error().Message());
    return {};
  }
  if (!context.cluster.pools.empty()) CheckJobs(csv->jobs, context.cluster, section.line, problems);
  JobList list{std::move(csv->jobs), std::nullopt, {}};
  if (csv->first != Time{}) list.first_recorded = csv->first;
  if (csv->left_out > 0)
    list.notes.push_back(std::to_string(csv->left_out) +
                         " jobs of the trace are left out by shortest, longest or widest");
  return list;
}

}  // namespace ebb::config
