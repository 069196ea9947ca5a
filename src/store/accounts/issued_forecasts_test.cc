#include "store/accounts/issued_forecasts.h"

#include <gtest/gtest.h>

#include "engine/journal_json.h"
#include "store/database/write_group.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using std::chrono::hours;

engine::Event Observed(int hour, double expected) {
  const Time now = Time{} + hours{hour};
  engine::SignalObserved signal;
  signal.view.now = now;
  signal.view.forecast.issued = now;
  if (expected > 0)
    signal.view.forecast.series = *core::IntensitySeries::Create(
        {"DE", {}, {}, "test"}, {{{now, now + hours{1}}, {expected}}});
  return {now, signal};
}

TEST(IssuedForecasts, OneForEachPieceOfTimeAsItWasIssued) {
  auto database =
      *Database::Open(ScratchDirectory("issued_forecasts") / "ebb.db", Database::Mode::kWrite);
  std::int64_t seq = 0;
  for (const auto& [hour, expected] :
       std::vector<std::pair<int, double>>{{0, 10}, {1, 11}, {2, 12}, {3, 0}, {6, 16}, {7, 17}}) {
    const engine::JournalRecord record = Observed(hour, expected);
    ASSERT_TRUE(database.Run("INSERT INTO journal(seq, at_ms, kind, line) VALUES(?, ?, ?, ?)",
                             {++seq, Milliseconds(Time{} + hours{hour}),
                              std::string(engine::KindOf(record)), engine::ToJsonLine(record)}));
  }
  const auto values = [&](Interval window, Duration every) {
    std::vector<double> found;
    const std::vector<IssuedForecast> all = *IssuedForecasts(database, window, every);
    for (const IssuedForecast& issued : all) {
      EXPECT_EQ(issued.at, issued.forecast.issued);
      found.push_back(issued.forecast.series.samples().front().intensity.g_per_kwh);
    }
    return found;
  };
  const Interval day{Time{}, Time{} + hours{24}};
  EXPECT_EQ(values(day, hours{1}), (std::vector<double>{10, 11, 12, 16, 17}));
  EXPECT_EQ(values(day, hours{3}), (std::vector<double>{10, 16}));
  EXPECT_EQ(values({Time{} + hours{1}, Time{} + hours{7}}, hours{1}),
            (std::vector<double>{11, 12, 16}));
}

}  // namespace
}  // namespace ebb::store
