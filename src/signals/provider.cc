#include "signals/provider.h"

namespace ebb::signals {

Status AddPayload(const Payload& payload, Time now, const std::string& where, Reading& reading) {
  if (reading.zone.empty()) reading.zone = payload.zone;
  if (!reading.kind) reading.kind = payload.kind;
  if (payload.boundary != core::Boundary::kUnknown) reading.boundary = payload.boundary;
  if (payload.issued) reading.issued = payload.issued;
  for (core::Sample sample : payload.samples) {
    const bool expected = sample.status == core::SampleStatus::kForecast;
    if (sample.interval.begin > now && expected) {
      reading.forecast.push_back(sample);
      continue;
    }
    if (sample.interval.begin > now + kForgivenSkew)
      return Fail({ExitCode::kUnavailable,
                   "a value of " + FormatTime(sample.interval.begin) + " is said to be known at " +
                       FormatTime(now),
                   where, "check this machine's clock"});
    if (expected) sample.status = core::SampleStatus::kEstimated;
    sample.interval.begin = std::min(sample.interval.begin, now);
    reading.known.push_back(sample);
  }
  return {};
}

}  // namespace ebb::signals
