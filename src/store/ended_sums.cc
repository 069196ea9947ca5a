#include "store/ended_sums.h"

#include "base/field_text.h"
#include "store/service_store.h"

namespace ebb::store {
namespace {

constexpr const char* kSums = "ended_sums";
// A query in this form uses the index of jobs that are not counted.
constexpr const char* kUncounted = "ended_ms IS NOT NULL AND counted = 0";

std::optional<Emissions> OptionalEmissions(const Row& row, int column) {
  return row.IsNull(column) ? std::nullopt : std::optional(Emissions{row.Number(column)});
}

std::optional<double> OptionalNumber(const Row& row, int column) {
  return row.IsNull(column) ? std::nullopt : std::optional(row.Number(column));
}

template <typename Archive, typename Sums>
void VisitCompared(Archive& archive, const std::string& prefix, Sums& compared) {
  archive(prefix + "_jobs", compared.jobs);
  archive(prefix + "_not_compared", compared.not_compared);
  archive(prefix + "_emitted_g", compared.emitted);
  archive(prefix + "_baseline_g", compared.baseline);
  archive(prefix + "_half_width_g", compared.half_width_g);
  archive(prefix + "_without_interval", compared.without_interval);
}

template <typename Archive, typename Sums>
void VisitSums(Archive& archive, Sums& sums) {
  archive("energy_uj", sums.energy);
  archive("emissions_g", sums.emissions);
  VisitCompared(archive, "on_submission", sums.on_submission);
  VisitCompared(archive, "on_first_come", sums.on_first_come);
}

void PutSums(ServiceStore& store, const EndedSums& sums) {
  FieldWriter writer;
  writer.BeginObject();
  VisitSums(writer, sums);
  writer.EndObject();
  store.SetMeta(kSums, writer.text());
}

Result<EndedSums> GetSums(Database& database) {
  EndedSums sums;
  EBB_ASSIGN_OR_RETURN(const auto text, GetMeta(database, kSums));
  if (!text) return sums;
  ParsedText parsed(*text);
  if (parsed.error().empty()) {
    FieldReader reader = parsed.root();
    VisitSums(reader, sums);
  }
  if (parsed.error().empty()) return sums;
  return Fail({ExitCode::kConfiguration, parsed.error(), "stored sums of jobs",
               "look with ebb store check, or restore a backup"});
}

}  // namespace

void Compared::Add(Energy used, std::optional<Emissions> emissions, const Baseline& otherwise) {
  if (used == Energy{}) return;
  if (!emissions || !otherwise.emissions) {
    ++not_compared;
    return;
  }
  ++jobs;
  emitted += *emissions;
  baseline += *otherwise.emissions;
  half_width_g += otherwise.half_width_g.value_or(0);
  if (!otherwise.half_width_g && *otherwise.emissions != *emissions) ++without_interval;
}

Compared& Compared::operator+=(const Compared& other) {
  jobs += other.jobs;
  not_compared += other.not_compared;
  emitted += other.emitted;
  baseline += other.baseline;
  half_width_g += other.half_width_g;
  without_interval += other.without_interval;
  return *this;
}

void EndedSums::Add(Energy used, std::optional<Emissions> emitted, const Baseline& at_submission,
                    const Baseline& first_come) {
  energy += used;
  if (emitted) emissions += *emitted;
  on_submission.Add(used, emitted, at_submission);
  on_first_come.Add(used, emitted, first_come);
}

EndedSums& EndedSums::operator+=(const EndedSums& other) {
  energy += other.energy;
  emissions += other.emissions;
  on_submission += other.on_submission;
  on_first_come += other.on_first_come;
  return *this;
}

Result<std::vector<core::JobId>> UncountedJobs(Database& database, std::size_t limit) {
  std::vector<core::JobId> jobs;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT id FROM jobs WHERE " + std::string(kUncounted) + " ORDER BY id DESC LIMIT ?",
      {static_cast<std::int64_t>(limit)}, [&](const Row& row) -> Status {
        jobs.push_back(row.Integer(0));
        return {};
      }));
  return jobs;
}

Result<EndedSums> CountEnded(ServiceStore& store, std::size_t keep) {
  Database& database = store.database();
  EBB_ASSIGN_OR_RETURN(EndedSums sums, GetSums(database));
  EBB_ASSIGN_OR_RETURN(const auto newest, UncountedJobs(database, keep));
  if (newest.size() < keep) return sums;
  const core::JobId below = newest.empty() ? INT64_MAX : newest.back();
  std::int64_t counted = 0;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT energy_uj, coalesce(settled_g, jobs.emissions_g), at_submission_g,"
                     " first_come.emissions_g, saving_half_width_g, first_come_half_width_g"
                     " FROM jobs"
                     " LEFT JOIN first_come ON first_come.job = jobs.id WHERE " +
                         std::string(kUncounted) + " AND id < ?",
                     {below}, [&](const Row& row) -> Status {
                       ++counted;
                       sums.Add(Energy::Microjoules(row.Integer(0)), OptionalEmissions(row, 1),
                                {OptionalEmissions(row, 2), OptionalNumber(row, 4)},
                                {OptionalEmissions(row, 3), OptionalNumber(row, 5)});
                       return {};
                     }));
  if (counted == 0) return sums;
  store.SetCountedBelow(below);
  PutSums(store, sums);
  return sums;
}

void PutCounted(ServiceStore& store, core::JobId job, const EndedSums& sums) {
  store.SetCounted(job);
  PutSums(store, sums);
}

}  // namespace ebb::store
