#include "store/accounts/issued_forecasts.h"

#include "engine/journal_json.h"
#include "store/database/write_group.h"

namespace ebb::store {

Result<std::vector<IssuedForecast>> IssuedForecasts(Database& database, Interval window,
                                                    Duration every) {
  std::vector<IssuedForecast> issued;
  // SQLite takes the line from the row with the lowest number in its group.
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT line, min(seq) FROM journal WHERE kind = 'signal_observed' AND at_ms >= ?"
      " AND at_ms < ? GROUP BY at_ms / ? ORDER BY min(seq)",
      {Milliseconds(window.begin), Milliseconds(window.end), every.count()},
      [&](const Row& row) -> Status {
        EBB_ASSIGN_OR_RETURN(engine::JournalRecord record, engine::FromJsonLine(row.Text(0)));
        auto* event = std::get_if<engine::Event>(&record);
        auto* signal = event ? std::get_if<engine::SignalObserved>(&event->fact) : nullptr;
        if (signal && signal->site == 0 && !signal->view.forecast.series.empty())
          issued.push_back({signal->view.now, std::move(signal->view.forecast)});
        return {};
      }));
  return issued;
}

}  // namespace ebb::store
