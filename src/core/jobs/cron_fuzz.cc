// Parses any text as a schedule. It must be refused with an Error, or be due again after any
// moment. Run: build/fuzz/bin/cron_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "core/jobs/cron.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ebb;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto schedule = core::CronSchedule::Parse(text);
  if (!schedule) {
    EBB_CHECK(!schedule.error().what.empty());
    return 0;
  }
  const Time after{std::chrono::hours{24 * 31 * (size + text.size() * 7 % 900)}};
  // The clock goes half an hour forward in March and back in October.
  const auto offset = [](Time time) -> Duration {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const auto month = static_cast<unsigned>(std::chrono::year_month_day{day}.month());
    return std::chrono::minutes{month > 3 && month < 10 ? 30 : 0};
  };
  const auto next = schedule->NextAfter(after, offset);
  EBB_CHECK(next && *next > after);
  return 0;
}
