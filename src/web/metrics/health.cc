#include "web/metrics/health.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

// A cycle takes milliseconds, or seconds if the store's disk is slow.
constexpr std::chrono::seconds kLongestCycle{10};

// An attempt that cannot be started is tried again three times. If this many starts in a row fail,
// the fault is not the job's.
constexpr std::int64_t kFailedStarts = 3;

bool IsNews(const core::Sample& sample) {
  return sample.status == core::SampleStatus::kMeasured ||
         sample.status == core::SampleStatus::kEstimated;
}

std::optional<Duration> ValueAge(const core::IntensitySeries& known, Time now) {
  const auto& samples = known.samples();
  const auto newest = std::find_if(samples.rbegin(), samples.rend(), IsNews);
  if (newest == samples.rend()) return std::nullopt;
  return std::max(now - newest->interval.end, Duration::zero());
}

SignalHealth HealthOf(const service::SiteSignalView& signal, Time now) {
  SignalHealth health;
  health.lost = signal.lost;
  health.state = "missing";
  if (!signal.view) return health;
  health.zone = signal.view->known.identity().zone;
  health.value_age = ValueAge(signal.view->known, now);
  // An empty view does not say when it was taken.
  if (!signal.view->known.empty() || !signal.view->forecast.series.empty())
    health.heard_age = std::max(now - signal.view->now, Duration::zero());
  if (const core::Sample* sample = signal.view->At(now)) {
    health.value = sample->intensity;
    health.state = core::Name(sample->status);
  }
  return health;
}

void Put(Json& json, const char* key, const std::optional<Duration>& duration) {
  if (duration) json[key] = Seconds(*duration);
}

}  // namespace

bool Health::SignalIsDegraded() const {
  return signals.empty() || std::any_of(signals.begin(), signals.end(), [](const auto& signal) {
           return signal.state == "missing" || !signal.lost.empty();
         });
}

bool Health::Ready() const {
  const bool known = std::all_of(signals.begin(), signals.end(),
                                 [](const auto& signal) { return signal.state != "missing"; });
  return store.empty() && devices.empty() && known && !hangs &&
         failed_starts_in_a_row < kFailedStarts;
}

Health HealthOf(const service::View& view, Time now, std::chrono::steady_clock::time_point steady,
                std::chrono::nanoseconds busy, const std::string& doing) {
  Health health;
  health.store = view.trouble;
  health.devices = view.device_trouble;
  if (view.drain) health.drain = DrainText(*view.drain);
  for (const service::SiteSignalView& signal : view.signals)
    health.signals.push_back(HealthOf(signal, now));
  health.running = view.running.size();
  health.failed_starts_in_a_row = view.counters.failed_starts_in_a_row;
  health.last_look = std::max(steady - view.counters.last_look, std::chrono::nanoseconds::zero());
  health.busy = busy;
  health.hangs = busy > kLongestCycle;
  if (health.hangs) health.doing = doing;
  return health;
}

std::string HealthToJson(const Health& health) {
  Json json{{"ready", health.Ready()}, {"store", health.store.empty() ? "ok" : health.store}};
  json["devices"] = health.devices.empty() ? "ok" : health.devices;
  if (!health.drain.empty()) json["draining"] = health.drain;
  json["signals"] = Json::array();
  for (const SignalHealth& signal : health.signals) {
    Json entry{{"zone", signal.zone}, {"state", signal.state}};
    if (signal.value) entry["g_per_kwh"] = signal.value->g_per_kwh;
    Put(entry, "value_age_s", signal.value_age);
    Put(entry, "heard_age_s", signal.heard_age);
    if (!signal.lost.empty()) entry["lost"] = signal.lost;
    json["signals"].push_back(std::move(entry));
  }
  json["executor"] = {{"state", health.hangs                        ? "hangs"
                                : health.failed_starts_in_a_row > 0 ? "starts fail"
                                                                    : "ok"},
                      {"running", health.running},
                      {"failed_starts_in_a_row", health.failed_starts_in_a_row},
                      {"last_look_s", std::chrono::duration<double>(health.last_look).count()},
                      {"busy_s", std::chrono::duration<double>(health.busy).count()}};
  if (!health.doing.empty()) json["executor"]["busy_with"] = health.doing;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ebb::web
