#include "store/first_come_records.h"

namespace ebb::store {
namespace {

std::optional<Emissions> OptionalEmissions(const Row& row, int column) {
  return row.IsNull(column) ? std::nullopt : std::optional(Emissions{row.Number(column)});
}

}  // namespace

void AddFirstCome(WriteGroup& group, const FirstComeRecord& record) {
  const auto begin = record.place ? std::optional(record.place->begin) : std::nullopt;
  const auto end = record.place ? std::optional(record.place->end) : std::nullopt;
  group.Add(
      "INSERT OR REPLACE INTO first_come(job, begin_ms, end_ms, pool, devices, emissions_g)"
      " SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1)",
      {record.job, Milliseconds(begin), Milliseconds(end), std::int64_t{record.pool},
       std::int64_t{record.devices}, record.emissions ? Value{record.emissions->grams} : Value{}});
}

Result<std::vector<FirstComeRecord>> FirstComeAfter(Database& database, Time time) {
  std::vector<FirstComeRecord> records;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT job, begin_ms, end_ms, pool, devices, emissions_g FROM first_come"
      " WHERE end_ms > ? ORDER BY job",
      {Milliseconds(time)}, [&](const Row& row) -> Status {
        FirstComeRecord record;
        record.job = row.Integer(0);
        if (!row.IsNull(1) && !row.IsNull(2))
          record.place = Interval{Time{Duration{row.Integer(1)}}, Time{Duration{row.Integer(2)}}};
        record.pool = static_cast<int>(row.Integer(3));
        record.devices = static_cast<int>(row.Integer(4));
        record.emissions = OptionalEmissions(row, 5);
        records.push_back(record);
        return {};
      }));
  return records;
}

void EndedSums::Add(Energy used, std::optional<Emissions> emitted,
                    std::optional<Emissions> baseline) {
  energy += used;
  if (emitted) emissions += *emitted;
  if (used == Energy{}) return;
  if (!emitted || !baseline) {
    ++not_compared;
    return;
  }
  ++compared;
  compared_emissions += *emitted;
  first_come += *baseline;
}

Result<EndedSums> SumEnded(Database& database, std::size_t newest) {
  constexpr std::string_view kEnded = "stage IN ('succeeded', 'failed', 'cancelled')";
  const std::string ended(kEnded);
  EndedSums sums;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT energy_uj, jobs.emissions_g, first_come.emissions_g FROM jobs LEFT JOIN first_come"
      " ON first_come.job = jobs.id WHERE " +
          ended + " AND id NOT IN (SELECT id FROM jobs WHERE " + ended +
          " ORDER BY id DESC LIMIT ?)",
      {static_cast<std::int64_t>(newest)}, [&](const Row& row) -> Status {
        sums.Add(Energy::Microjoules(row.Integer(0)), OptionalEmissions(row, 1),
                 OptionalEmissions(row, 2));
        return {};
      }));
  return sums;
}

}  // namespace ebb::store
