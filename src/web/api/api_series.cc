// The routes that read large parts of the store.

#include <algorithm>

#include "engine/state.h"
#include "platform/system_clock.h"
#include "store/accounts/ledger_records.h"
#include "store/accounts/signal_records.h"
#include "web/answers/forecast_record.h"
#include "web/answers/job_series.h"
#include "web/answers/machine_energy.h"
#include "web/api/api.h"
#include "web/http/responses.h"

namespace ebb::web {
namespace {

constexpr Duration kRecord = std::chrono::hours{14 * 24};
constexpr Duration kRecordStep = std::chrono::hours{3};  // reads at most 112 forecasts

}  // namespace

Result<std::optional<store::JobRecord>> Api::FindRecord(core::JobId id) const {
  std::optional<store::JobRecord> record;
  EBB_RETURN_IF_ERROR(reader_.Use([&](store::Database& database) -> ebb::Status {
    EBB_ASSIGN_OR_RETURN(record, store::FindJob(database, id));
    return {};
  }));
  return record;
}

HttpResponse Api::Series(const HttpRequest& request, core::JobId id) const {
  const std::string only = QueryOf(request, "only");
  const auto view = service_.view();
  JobSeriesInput input;
  input.points = static_cast<std::size_t>(NumberOf(request, SeriesPoints()));
  const auto record = FindRecord(id);
  if (!record) return Respond(record.error());
  if (!*record) return NotFound("there is no job " + std::to_string(id));
  input.window = {(*record)->submitted, (*record)->ended.value_or(view->now)};
  const auto read = reader_.Use([&](store::Database& database) -> ebb::Status {
    if (!only.empty()) return {};
    EBB_ASSIGN_OR_RETURN(input.rows, store::LedgerOf(database, id));
    if (view->signals.empty() || !view->signals.front().view) return {};
    EBB_ASSIGN_OR_RETURN(
        input.signal,
        store::SignalHistory(database, view->signals.front().view->known.identity(), input.window));
    return {};
  });
  if (!read) return Respond(read.error());
  input.progress = LossesIn(service_.DirectoryOf(id) / "progress.jsonl");
  return Respond(JobSeriesToJson(input));
}

HttpResponse Api::MachineEnergy(const HttpRequest& request, core::JobId) const {
  const long long days = NumberOf(request, MachineDays());
  const Time now = platform::WallNow();
  const Interval wall{std::chrono::floor<std::chrono::hours>(now) - std::chrono::days{days}, now};
  std::vector<store::MachineHour> hours;
  const auto read = reader_.Use([&](store::Database& database) -> ebb::Status {
    EBB_ASSIGN_OR_RETURN(hours, store::MachineHours(database, wall));
    return {};
  });
  if (!read) return Respond(read.error());
  return Respond(MachineEnergyToJson(hours, wall));
}

HttpResponse Api::ForecastRecord(const HttpRequest&, core::JobId) const {
  const auto view = service_.view();
  const Interval window{view->now - kRecord, view->now};
  std::vector<store::IssuedForecast> issued;
  core::IntensitySeries history;
  if (!view->signals.empty() && view->signals.front().view) {
    const auto read = reader_.Use([&](store::Database& database) -> ebb::Status {
      EBB_ASSIGN_OR_RETURN(issued, store::IssuedForecasts(database, window, kRecordStep));
      EBB_ASSIGN_OR_RETURN(
          history,
          store::SignalHistory(database, view->signals.front().view->known.identity(), window));
      return {};
    });
    if (!read) return Respond(read.error());
  }
  return Respond(RecordToJson(issued, RecordOf(issued, history)));
}

}  // namespace ebb::web
