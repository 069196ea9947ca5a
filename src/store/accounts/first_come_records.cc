#include "store/accounts/first_come_records.h"

namespace ebb::store {
namespace {

std::optional<Emissions> OptionalEmissions(const Row& row, int column) {
  return row.IsNull(column) ? std::nullopt : std::optional(Emissions{row.Number(column)});
}

Value GramsOrNull(std::optional<Emissions> emissions) {
  return emissions ? Value{emissions->grams} : Value{};
}

Value NumberOrNull(std::optional<double> number) { return number ? Value{*number} : Value{}; }

constexpr std::string_view kColumns =
    "SELECT job, begin_ms, end_ms, pool, devices, emissions_g, at_submission_g, settled_g,"
    " saving_half_width_g, first_come_half_width_g, had_it_waited, energy_half_width,"
    " emissions_half_width, place_and_time FROM first_come";

FirstComeRecord RecordFrom(const Row& row) {
  FirstComeRecord record;
  record.job = row.Integer(0);
  if (!row.IsNull(1) && !row.IsNull(2))
    record.place = Interval{Time{Duration{row.Integer(1)}}, Time{Duration{row.Integer(2)}}};
  record.pool = static_cast<int>(row.Integer(3));
  record.devices = static_cast<int>(row.Integer(4));
  record.emissions = OptionalEmissions(row, 5);
  record.at_submission = OptionalEmissions(row, 6);
  record.settled = OptionalEmissions(row, 7);
  if (!row.IsNull(8)) record.saving_half_width_g = row.Number(8);
  if (!row.IsNull(9)) record.first_come_half_width_g = row.Number(9);
  if (!row.IsNull(11)) record.energy_half_width = row.Number(11);
  if (!row.IsNull(12)) record.emissions_half_width = row.Number(12);
  if (!row.IsNull(10)) record.had_it_waited = row.Text(10);
  if (!row.IsNull(13)) record.place_and_time = row.Text(13);
  return record;
}

}  // namespace

void AddFirstCome(WriteGroup& group, const FirstComeRecord& record) {
  const auto begin = record.place ? std::optional(record.place->begin) : std::nullopt;
  const auto end = record.place ? std::optional(record.place->end) : std::nullopt;
  group.Add(
      "INSERT OR REPLACE INTO first_come(job, begin_ms, end_ms, pool, devices, emissions_g,"
      " at_submission_g, settled_g, saving_half_width_g, first_come_half_width_g, had_it_waited,"
      " energy_half_width, emissions_half_width, place_and_time)"
      " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, nullif(?11, ''), ?12, ?13, nullif(?14, '')"
      " WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1)",
      {record.job, MillisecondsOrNull(begin), MillisecondsOrNull(end), std::int64_t{record.pool},
       std::int64_t{record.devices}, GramsOrNull(record.emissions),
       GramsOrNull(record.at_submission), GramsOrNull(record.settled),
       NumberOrNull(record.saving_half_width_g), NumberOrNull(record.first_come_half_width_g),
       record.had_it_waited, NumberOrNull(record.energy_half_width),
       NumberOrNull(record.emissions_half_width), record.place_and_time});
}

Result<std::vector<FirstComeRecord>> FirstComeAfter(Database& database, Time time) {
  std::vector<FirstComeRecord> records;
  EBB_RETURN_IF_ERROR(database.Query(std::string(kColumns) + " WHERE end_ms > ? ORDER BY job",
                                     {Milliseconds(time)}, [&](const Row& row) -> Status {
                                       records.push_back(RecordFrom(row));
                                       return {};
                                     }));
  return records;
}

Result<std::optional<FirstComeRecord>> FindFirstCome(Database& database, core::JobId job) {
  std::optional<FirstComeRecord> found;
  EBB_RETURN_IF_ERROR(database.Query(std::string(kColumns) + " WHERE job = ?", {job},
                                     [&](const Row& row) -> Status {
                                       found = RecordFrom(row);
                                       return {};
                                     }));
  return found;
}

}  // namespace ebb::store
