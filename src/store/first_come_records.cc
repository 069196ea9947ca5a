#include "store/first_come_records.h"

namespace ebb::store {
namespace {

std::optional<Emissions> OptionalEmissions(const Row& row, int column) {
  return row.IsNull(column) ? std::nullopt : std::optional(Emissions{row.Number(column)});
}

Value GramsOrNull(std::optional<Emissions> emissions) {
  return emissions ? Value{emissions->grams} : Value{};
}

}  // namespace

void AddFirstCome(WriteGroup& group, const FirstComeRecord& record) {
  const auto begin = record.place ? std::optional(record.place->begin) : std::nullopt;
  const auto end = record.place ? std::optional(record.place->end) : std::nullopt;
  group.Add(
      "INSERT OR REPLACE INTO first_come(job, begin_ms, end_ms, pool, devices, emissions_g,"
      " at_submission_g)"
      " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1)",
      {record.job, Milliseconds(begin), Milliseconds(end), std::int64_t{record.pool},
       std::int64_t{record.devices}, GramsOrNull(record.emissions),
       GramsOrNull(record.at_submission)});
}

Result<std::vector<FirstComeRecord>> FirstComeAfter(Database& database, Time time) {
  std::vector<FirstComeRecord> records;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT job, begin_ms, end_ms, pool, devices, emissions_g, at_submission_g FROM first_come"
      " WHERE end_ms > ? ORDER BY job",
      {Milliseconds(time)}, [&](const Row& row) -> Status {
        FirstComeRecord record;
        record.job = row.Integer(0);
        if (!row.IsNull(1) && !row.IsNull(2))
          record.place = Interval{Time{Duration{row.Integer(1)}}, Time{Duration{row.Integer(2)}}};
        record.pool = static_cast<int>(row.Integer(3));
        record.devices = static_cast<int>(row.Integer(4));
        record.emissions = OptionalEmissions(row, 5);
        record.at_submission = OptionalEmissions(row, 6);
        records.push_back(record);
        return {};
      }));
  return records;
}

void Compared::Add(Energy used, std::optional<Emissions> emissions,
                   std::optional<Emissions> otherwise) {
  if (used == Energy{}) return;
  if (!emissions || !otherwise) {
    ++not_compared;
    return;
  }
  ++jobs;
  emitted += *emissions;
  baseline += *otherwise;
}

void EndedSums::Add(Energy used, std::optional<Emissions> emitted,
                    std::optional<Emissions> at_submission, std::optional<Emissions> first_come) {
  energy += used;
  if (emitted) emissions += *emitted;
  on_submission.Add(used, emitted, at_submission);
  on_first_come.Add(used, emitted, first_come);
}

Result<EndedSums> SumEnded(Database& database, std::size_t newest) {
  constexpr std::string_view kEnded = "stage IN ('succeeded', 'failed', 'cancelled')";
  const std::string ended(kEnded);
  EndedSums sums;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT energy_uj, jobs.emissions_g, at_submission_g, first_come.emissions_g FROM jobs"
      " LEFT JOIN first_come ON first_come.job = jobs.id WHERE " +
          ended + " AND id NOT IN (SELECT id FROM jobs WHERE " + ended +
          " ORDER BY id DESC LIMIT ?)",
      {static_cast<std::int64_t>(newest)}, [&](const Row& row) -> Status {
        sums.Add(Energy::Microjoules(row.Integer(0)), OptionalEmissions(row, 1),
                 OptionalEmissions(row, 2), OptionalEmissions(row, 3));
        return {};
      }));
  return sums;
}

}  // namespace ebb::store
