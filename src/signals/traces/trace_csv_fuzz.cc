// Feeds any bytes to the reader of traces. It refuses them with an Error, or returns a series whose
// every value can be looked up. Run: build/fuzz/bin/trace_csv_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "platform/file.h"
#include "signals/feeds/replay_feed.h"
#include "signals/http/live_payload.h"
#include "signals/traces/trace_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ebb;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto payload = signals::ParseLivePayload(text, "fuzz"))
    EBB_CHECK(!payload->intensity || payload->intensity->g_per_kwh >= 0);
  const auto plain = platform::MaybeGunzip(text, "fuzz", 1 << 20);
  if (!plain) return 0;
  const auto trace = signals::ParseTrace(*plain, "Z_fuzz_direct.csv");
  if (!trace) {
    EBB_CHECK(!trace.error().what.empty() && !trace.error().where.empty());
    return 0;
  }
  EBB_CHECK(!trace->series.empty() && trace->step > Duration::zero());
  const Time now = trace->series.span().begin + trace->step;
  const auto feed = signals::ReplayFeed::Create(*trace, {});
  EBB_CHECK(feed.has_value());
  const auto view = (*feed)->Observe(now, std::chrono::hours{24});
  EBB_CHECK(view.has_value() && (*feed)->NextChange(now) > now);
  return 0;
}
