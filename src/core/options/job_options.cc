#include "core/options/job_options.h"

#include <algorithm>

#include "base/text.h"
#include "core/jobs/recurring.h"
#include "core/jobs/widths.h"
#include "core/ledger/budget.h"
#include "core/options/field_builders.h"
#include "core/options/shared_fields.h"

namespace ebb::core {
namespace {

constexpr unsigned operator|(Place a, Place b) {
  return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}
constexpr unsigned operator|(unsigned a, Place b) { return a | static_cast<unsigned>(b); }

constexpr const char* kJob = "Job";
constexpr Place kSubmission = Place::kSubmission, kChange = Place::kChange, kSweep = Place::kSweep,
                kScenario = Place::kScenario, kJobTrace = Place::kJobTrace,
                kAnnotation = Place::kAnnotation;

// The member that an option sets ----------------------------------------------------------------

Status Take(const OptionValue& value, bool& out) { return out = std::get<bool>(value), Status(); }
Status Take(const OptionValue& value, int& out) {
  return out = static_cast<int>(std::get<std::int64_t>(value)), Status();
}
Status Take(const OptionValue& value, Duration& out) {
  return out = std::get<Duration>(value), Status();
}
Status Take(const OptionValue& value, std::optional<Duration>& out) {
  return out = std::get<Duration>(value), Status();
}
Status Take(const OptionValue& value, Power& out) {
  return out = Power{std::get<double>(value)}, Status();
}
Status Take(const OptionValue& value, std::optional<Intensity>& out) {
  return out = Intensity{std::get<double>(value)}, Status();
}
Status Take(const OptionValue& value, std::string& out) {
  return out = std::get<std::string>(value), Status();
}
Status Take(const OptionValue& value, std::vector<std::string>& out) {
  return out = std::get<std::vector<std::string>>(value), Status();
}
Status Take(const OptionValue& value, OnOutage& out) {
  return out = *OnOutageFromName(std::get<std::string>(value)), Status();
}
Status Take(const OptionValue& value, std::optional<PowerCap>& out) {
  EBB_ASSIGN_OR_RETURN(out, ParsePowerCap(std::get<std::string>(value)));
  return {};
}
Status Take(const OptionValue& value, std::optional<Slowdown>& out) {
  EBB_ASSIGN_OR_RETURN(out, ParseSlowdown(std::get<std::string>(value)));
  return {};
}
Status Take(const OptionValue& value, std::vector<WidthSpeed>& out) {
  EBB_ASSIGN_OR_RETURN(out, ParseSpeedup(std::get<std::vector<std::string>>(value)));
  return {};
}

OptionValue ValueOf(bool value) { return value; }
OptionValue ValueOf(int value) { return std::int64_t{value}; }
OptionValue ValueOf(Duration value) { return value; }
OptionValue ValueOf(Power value) { return value.watts; }
OptionValue ValueOf(Intensity value) { return value.g_per_kwh; }
OptionValue ValueOf(const std::string& value) { return value; }
OptionValue ValueOf(const std::vector<std::string>& value) { return value; }
OptionValue ValueOf(const std::vector<WidthSpeed>& value) { return Describe(value); }
OptionValue ValueOf(OnOutage value) { return std::string(Name(value)); }
OptionValue ValueOf(const PowerCap& value) { return Describe(value); }
OptionValue ValueOf(const Slowdown& value) { return Describe(value); }

template <typename T>
std::optional<OptionValue> IfGiven(const T& value) {
  return ValueOf(value);
}
template <typename T>
std::optional<OptionValue> IfGiven(const std::optional<T>& value) {
  return value ? std::optional(ValueOf(*value)) : std::nullopt;
}

template <typename T>
JobOption Sets(T Job::*member, JobOption option) {
  option.set = [member](const OptionValue& value, Submission& submission) {
    return Take(value, submission.job.*member);
  };
  option.get = [member](const Submission& submission) { return IfGiven(submission.job.*member); };
  return option;
}
template <typename T>
JobOption Sets(T Submission::*member, JobOption option) {
  option.set = [member](const OptionValue& value, Submission& submission) {
    return Take(value, submission.*member);
  };
  option.get = [member](const Submission& submission) { return IfGiven(submission.*member); };
  return option;
}

// The table -------------------------------------------------------------------------------------

std::vector<JobOption> ProgramOptions() {
  return {
      {Required({"command", Shape::kTexts, "the program and its arguments; no shell reads them", "",
                 R"(["python","train.py"])"}),
       unsigned(kSubmission)},
      Sets(&Job::name, {NameField(), kSubmission | kChange | kScenario, kJob}),
      Sets(&Submission::working_directory,
           {{"working_directory", Shape::kAbsolutePath, "where it runs", "/", R"("/home/me")"},
            unsigned(kSubmission)}),
      {{"environment", Shape::kTextsByName, "variables, on top of the service's own", "",
        R"({"OMP_NUM_THREADS":"4"})"},
       unsigned(kSubmission)},
      Sets(&Job::devices,
           {ByFlag({"devices", "N", "gpus"},
                   CalledElsewhere({"gpus", "slots"}, Whole("devices", "GPUs or slots, all at once",
                                                            "1", "2", 1, kMostDevices))),
            kSubmission | kSweep | kScenario, kJob}),
      Sets(&Job::speedup,
           {ByFlag({"speedup", "DEVICES=SPEED,..."},
                   {"speedup", Shape::kTexts,
                    "an elastic job: other numbers of devices on which it can run, each with its "
                    "speed relative to `devices`, or without, and Ebb measures it; it must be "
                    "checkpointable",
                    "", R"(["2=1.9","4=3.3"])"}),
            kSubmission | kScenario | kAnnotation, kJob, "speedup"}),
      Sets(&Job::models, {ByFlag({"models", "MODEL,..."},
                                 {"models", Shape::kTexts, "device models on which it can run",
                                  "any", R"(["a100"])"}),
                          kSubmission | kScenario, kJob}),
      Sets(&Job::sites, {ByFlag({"sites", "SITE,..."},
                                {"sites", Shape::kTexts,
                                 "sites at which it may run; the service's own machine is `here`",
                                 "any", R"(["here","norway"])"}),
                         unsigned(kSubmission), kJob}),
      Sets(&Submission::power_cap, {PowerCapField(), unsigned(kSubmission), kJob}),
      Sets(&Submission::slower_by, {SlowerByField(), unsigned(kSubmission), kJob})};
}

std::vector<JobOption> EstimateOptions() {
  return {Sets(&Job::duration,
               {Formerly("run_time", Adding(", on devices of speed 1", DurationField())),
                kSubmission | kChange | kScenario | kAnnotation, kJob, "duration"}),
          Sets(&Job::power, {ByFlag({"power", "WATTS"},
                                    Number("power_w", "estimated power of each device, in watts",
                                           "100", "250", 0, kMostWatts)),
                             kSubmission | kScenario | kJobTrace | kAnnotation, kJob, "power"}),
          Sets(&Submission::time_limit,
               {ByFlag({"time-limit", "DURATION"},
                       Formerly("run_limit", {"time_limit", Shape::kDuration,
                                              "a job that runs longer has failed", "", R"("3h")",
                                              false, kShortestDuration})),
                kSubmission | kSweep, kJob})};
}

std::vector<JobOption> StartOptions() {
  return {
      {Part("tier", Shape::kTextOrObject,
            "threshold, longest wait and priority, by the name of a tier or spelt out; keys beside "
            "it win",
            TierDefinition(), R"("1")", {"tier", "TIER"}),
       kSubmission | kChange | kScenario | kAnnotation, kJob, "tier"},
      {StartByField(), kSubmission | kChange | kScenario | kAnnotation, kJob, "start-by"},
      {ByFlag({"finish-by", "WHEN"},
              {"finish_by", Shape::kMoment, "latest end", "", R"("2030-01-01T00:00Z")"}),
       kSubmission | kChange | kScenario | kAnnotation, kJob, "finish-by"},
      Sets(&Job::threshold, {Formerly(kOlderThreshold, ThresholdField()),
                             kSubmission | kChange | kScenario | kAnnotation, kJob, "threshold"}),
      Sets(&Job::priority, {ByFlag({"priority", "N"}, Priority()),
                            kSubmission | kChange | kScenario | kAnnotation, kJob, "priority"}),
      Sets(&Job::on_outage,
           {OnOutageField(), kSubmission | kScenario | kAnnotation, kJob, "on-outage"}),
      {UpTo(kLongestKey,
            ByFlag({"after", "JOB,..."},
                   {"after", Shape::kJobs,
                    "what must succeed first: numbers of jobs, or keys of earlier submissions, "
                    "also of this list",
                    "", R"(["prepare"])", false, 1, 2e9})),
       unsigned(kSubmission), kJob}};
}

std::vector<JobOption> PauseOptions() {
  return {
      Sets(&Job::checkpointable,
           {ByFlag({"checkpointable"},
                   Formerly("pausable",
                            {"checkpointable", Shape::kFlag,
                             "it writes a checkpoint on SIGTERM, exits with 75, and goes on from "
                             "it, so it may be paused",
                             "false", "true"})),
            kSubmission | kSweep | kScenario | kJobTrace | kAnnotation, kJob, "checkpointable"}),
      Sets(&Job::freeze, {ByFlag({"freeze"}, {"freeze", Shape::kFlag,
                                              "without a checkpoint: it may be stopped where it "
                                              "is, and keeps its devices meanwhile",
                                              "false", "true"}),
                          unsigned(kSubmission), kJob}),
      Sets(&Job::pause_cost,
           {ByFlag({"pause-cost", "DURATION"},
                   Formerly("pause_overhead",
                            {"pause_cost", Shape::kDuration,
                             "extra running time of one pause and resume", "0", R"("30s")"})),
            kSubmission | kSweep | kScenario | kJobTrace | kAnnotation, kJob, "pause-cost"}),
      Sets(&Job::minimum_segment,
           {ByFlag({"minimum-segment", "DURATION"},
                   {"minimum_segment", Shape::kDuration,
                    "no plan pauses it before it has run so long; a person may", "0", R"("5m")"}),
            kSubmission | kSweep | kScenario | kJobTrace | kAnnotation, kJob, "minimum-segment"})};
}

std::vector<JobOption> OtherOptions() {
  return {
      {Part("budget", Shape::kObject, "limits of energy and emissions", BudgetDefinition()),
       unsigned(kSubmission)},
      {Part("trackers", Shape::kObject, "experiment trackers", TrackersDefinition()),
       unsigned(kSubmission)},
      {ByFlag({"no-check"}, {"no_check", Shape::kFlag,
                             "its program, or its directory, may appear later: it is not looked up "
                             "before the job starts",
                             "false", "true"}),
       unsigned(kSubmission), kJob},
      Sets(&Submission::key,
           {UpTo(kLongestKey,
                 ByFlag({"key", "TEXT"},
                        {"key", Shape::kText,
                         "a second submission with the same key returns the first job; a key is "
                         "its user's own (EBB_USER), and for another content it is refused",
                         "", R"("monday/train")"})),
            unsigned(kSubmission), kJob})};
}

std::vector<JobOption> AllJobOptions() {
  std::vector<JobOption> all;
  for (auto part :
       {ProgramOptions(), EstimateOptions(), StartOptions(), PauseOptions(), OtherOptions()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

std::span<const JobOption> JobOptions() {
  static const std::vector<JobOption> options = AllJobOptions();
  return options;
}

const JobOption& JobOptionOf(std::string_view key) {
  const auto options = JobOptions();
  const auto found = std::ranges::find_if(
      options, [&](const JobOption& option) { return option.field.key == key; });
  EBB_CHECK(found != options.end());
  return *found;
}

std::vector<Field> FieldsIn(Place place) {
  std::vector<Field> fields;
  for (const JobOption& option : JobOptions())
    if (option.StandsIn(place)) fields.push_back(option.field);
  return fields;
}

}  // namespace ebb::core
