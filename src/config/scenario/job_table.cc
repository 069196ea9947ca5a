// The keys of jobs in a scenario file: in a list, and in a file of their own.

#include "config/scenario/scenario_table.h"
#include "core/options/field_builders.h"

namespace ebb::config {
namespace {

using core::Field;
using core::JobOptionOf;
using core::kShortestDuration;

constexpr double kMostJobs = 1'000'000;
constexpr double kMostJobsOfTrace = 1e9;
constexpr double kMostEnergyKwh = 1e7;
constexpr double kMostGigabytes = 1e6;
constexpr double kBytesPerGigabyte = 1e9;

// An option of jobs in words that fit the place. Its type and range stay.
Field InWords(std::string meaning, std::string default_text, Field option) {
  option.meaning = std::move(meaning);
  option.default_text = std::move(default_text);
  return option;
}

Field MaxDelay() {
  return DurationField("max_delay", "latest start, after submission", "24h", "12h");
}

// In a scenario, a tier is named; only a file of tiers spells one out.
Field TierName() {
  Field field = InWords(
      "name of a tier, which gives a threshold, a latest start and a priority where the job gives "
      "none ([config](config.md))",
      "", JobOptionOf("tier").field);
  field.shape = core::Shape::kText;
  return field;
}

SectionTable<JobSection> GroupKeys() {
  using S = JobSection;
  return {
      Key<S>(
          core::Whole("count", "a group of so many like jobs, which become `name-1`, `name-2`, ...",
                      "1", "21", 1, kMostJobs),
          &S::count),
      KeyByRule<S>(TextField("submit",
                             "when it is submitted, after the start date; or a date, if there is "
                             "exactly one start date",
                             "0s", "2h"),
                   "duration, or time", ReadMoment, &S::submit),
      Key<S>(
          DurationField("submit_every", "in a group: from one submission to the next", "0s", "5m"),
          &S::submit_every),
      Key<S>(core::In("kWh", core::Number("energy_kwh",
                                          "energy of the whole job, instead of `power_w`; one of "
                                          "both is required",
                                          "", "3", 0, kMostEnergyKwh)),
             &S::energy_kwh)};
}

SectionTable<JobSection> DeadlineKeys() {
  using S = JobSection;
  constexpr const char* kMoment = "duration, or time";
  return {Key<S>(
              TierName(), [](auto& s) -> auto& { return s.submission.job.tier; }),
          Key<S>(MaxDelay(), &S::max_delay),
          KeyByRule<S>(
              InWords("the same as `max_delay`, or a date", "24h", JobOptionOf("start_by").field),
              kMoment, ReadMoment, &S::start_by),
          KeyByRule<S>(
              InWords("latest end, after submission or a date", "", JobOptionOf("finish_by").field),
              kMoment, ReadMoment, &S::finish_by),
          KeyByRule<S>(Field{"overrides", core::Shape::kObjects,
                             "how it runs on a device model, if that differs from the pool", "",
                             "[{model: A5000, speed: 1.2}]"},
                       "list of sections", ReadNode, &S::overrides)};
}

// A size in GB, whose member is in bytes.
SectionKey<JobSection> GigabyteKey(std::string key, std::string meaning, std::string example,
                                   std::int64_t core::Job::*member) {
  return KeyWith<JobSection>(
      core::In("GB", core::Number(std::move(key), std::move(meaning), "0", std::move(example), 0,
                                  kMostGigabytes)),
      {[member](const core::OptionValue& value, JobSection& s) -> Status {
         s.submission.job.*member =
             static_cast<std::int64_t>(std::get<double>(value) * kBytesPerGigabyte);
         return {};
       },
       [member](const JobSection& s) -> std::optional<core::OptionValue> {
         return static_cast<double>(s.submission.job.*member) / kBytesPerGigabyte;
       }});
}

SectionTable<JobSection> PlaceKeys() {
  using S = JobSection;
  return {
      Key<S>(
          Field{"sites", core::Shape::kTexts, "names of the sites at which it may run", "any",
                R"(["norway"])"},
          [](auto& s) -> auto& { return s.submission.job.sites; }),
      Key<S>(
          Field{"forbidden_sites", core::Shape::kTexts,
                "names of the sites at which it may not run", "none", R"(["ohio"])"},
          [](auto& s) -> auto& { return s.submission.job.forbidden_sites; }),
      Key<S>(
          Field{"data", core::Shape::kTexts,
                "labels of its data: it runs only at sites that may hold them", "none",
                R"(["personal"])"},
          [](auto& s) -> auto& { return s.submission.job.data; }),
      Key<S>(
          TextField("home",
                    "the site where its files lie ([simulate](simulate.md#moves-between-sites)); "
                    "without it, the job brings none along",
                    "", R"("ohio")"),
          [](auto& s) -> auto& { return s.submission.job.home; }),
      GigabyteKey("files_gb",
                  "with `home`: data and image that another site needs before it can begin there, "
                  "in GB",
                  "20", &core::Job::file_bytes),
      GigabyteKey(
          "checkpoint_gb",
          "size of a checkpoint, in GB, which it brings along if it goes on at another site", "1.5",
          &core::Job::checkpoint_bytes)};
}

}  // namespace

const SectionTable<JobSection>& JobTable() {
  static const SectionTable<JobSection> table =
      Joined(Joined(GroupKeys(), DeadlineKeys()), PlaceKeys());
  return table;
}

const SectionTable<core::ModelOverride>& OverrideTable() {
  using core::ModelOverride;
  static const SectionTable<ModelOverride> table{
      Key<ModelOverride>(core::Required(TextField("model", "device model", "", R"("A5000")")),
                         &ModelOverride::model),
      Key<ModelOverride>(SpeedField(), &ModelOverride::speed),
      Key<ModelOverride>(PowerFactorField(), &ModelOverride::power_factor)};
  return table;
}

const SectionTable<JobTraceSection>& JobTraceTable() {
  using S = JobTraceSection;
  const auto trace = [](auto member) {
    return [member](auto& s) -> auto& { return s.options.*member; };
  };
  using Options = sim::JobCsvOptions;
  static const SectionTable<S> table{
      Key<S>(core::Required(
                 TextField("csv", "the file, plain or gzip ([simulate](simulate.md), A job CSV)",
                           "", "jobs.csv.gz")),
             &S::csv),
      Key<S>(TextField("how_to_get", "what Ebb says if the file is missing", "",
                       R"("download it from ...")"),
             &S::how_to_get),
      Key<S>(MaxDelay(), trace(&Options::max_delay)),
      Key<S>(DurationField("shortest", "shorter jobs are left out", "0s", "5m"),
             trace(&Options::shortest)),
      Key<S>(DurationField("longest", "longer jobs are left out", "", "3d", kShortestDuration),
             trace(&Options::longest)),
      Key<S>(core::Whole("widest", "jobs with more devices are left out", "", "8", 1,
                         core::kMostDevices),
             trace(&Options::widest)),
      Key<S>(core::Whole("most_jobs", "only so many jobs, the first ones", "", "1000", 1,
                         kMostJobsOfTrace),
             trace(&Options::most_jobs)),
      KeyByRule<S>(Field{"rules", core::Shape::kObjects,
                         "what jobs of a length have; the first rule that fits a job counts", "",
                         "[{duration_up_to: 2h, max_delay: 6h}]"},
                   "list of sections", ReadNode, &S::rules)};
  return table;
}

const SectionTable<sim::JobRule>& JobRuleTable() {
  using sim::JobRule;
  static const SectionTable<JobRule> table{
      Key<JobRule>(core::Formerly("run_time_up_to",
                                  DurationField("duration_up_to", "for jobs no longer than this",
                                                "any length", "2h", kShortestDuration)),
                   &JobRule::duration_up_to),
      Key<JobRule>(MaxDelay(), &JobRule::max_delay),
      Key<JobRule>(
          InWords("power of each device, in watts", "that of `jobs`", JobOptionOf("power_w").field),
          &JobRule::power),
      Key<JobRule>(TierName(), &JobRule::tier)};
  return table;
}

}  // namespace ebb::config
