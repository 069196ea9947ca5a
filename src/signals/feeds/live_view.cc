#include "signals/feeds/live_view.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::signals {
namespace {

using core::Sample;
using core::SampleStatus;

// The last published sample that begins at or before `now`.
const Sample* LastBefore(const core::IntensitySeries& known, Time now) {
  const auto& samples = known.samples();
  auto it = std::upper_bound(
      samples.begin(), samples.end(), now,
      [](Time time, const Sample& sample) { return time < sample.interval.begin; });
  return it == samples.begin() ? nullptr : &*--it;
}

// The status of a value that is held on: an estimate, and never more certain than the value was.
SampleStatus HeldStatus(const Sample& last) {
  return std::max(last.status, SampleStatus::kEstimated);
}

// The last value held on, in whole steps of its own length.
std::optional<Sample> LastKnownAt(const LiveSnapshot& snapshot, Time now,
                                  const OutageRules& rules) {
  const Sample* last = LastBefore(snapshot.known, now);
  if (!last || now >= last->interval.end + rules.last_known_limit) return std::nullopt;
  const Duration step = last->interval.length();
  const auto steps = (now - last->interval.end) / step;
  const Time end = last->interval.end + (steps + 1) * step;
  return Sample{{last->interval.end, std::min(end, last->interval.end + rules.last_known_limit)},
                last->intensity,
                HeldStatus(*last)};
}

std::optional<Sample> ForecastAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  if (now >= snapshot.forecast.issued + rules.forecast_limit) return std::nullopt;
  const Sample* expected = snapshot.forecast.series.At(now);
  return expected ? std::optional<Sample>(*expected) : std::nullopt;
}

// Whether the provider's forecast was issued since `last` began: then it is better than holding
// `last` on.
bool IsProvidedSince(const LiveSnapshot& snapshot, const Sample* last) {
  return !last || snapshot.provider_issued >= last->interval.begin;
}

// The end of the provider's rows that are believed.
Time ProvidedUntil(const LiveSnapshot& snapshot, const OutageRules& rules) {
  return std::min(snapshot.provided_until, snapshot.provider_issued + rules.forecast_limit);
}

struct Standing {
  Freshness freshness = Freshness::kMissing;
  std::optional<Sample> current;
};

// The provider's own value for an interval that has no published value yet. It counts as fresh
// while the source answers and its published values are young.
std::optional<Standing> ProvidedAt(const LiveSnapshot& snapshot, Time now,
                                   const OutageRules& rules) {
  const Sample* last = LastBefore(snapshot.known, now);
  if (!IsProvidedSince(snapshot, last) || now >= ProvidedUntil(snapshot, rules))
    return std::nullopt;
  const Sample* provided = snapshot.forecast.series.At(now);
  if (!provided) return std::nullopt;
  const bool is_fresh =
      !snapshot.failure && last && now < last->interval.end + rules.last_known_limit;
  return Standing{is_fresh ? Freshness::kFresh : Freshness::kForecast, *provided};
}

Standing StandingAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  if (const Sample* current = snapshot.known.At(now)) return {Freshness::kFresh, *current};
  if (auto provided = ProvidedAt(snapshot, now, rules)) return *provided;
  if (auto held = LastKnownAt(snapshot, now, rules)) return {Freshness::kLastKnown, held};
  if (auto expected = ForecastAt(snapshot, now, rules)) return {Freshness::kForecast, expected};
  return {};
}

core::IntensitySeries SeriesOf(const LiveSnapshot& snapshot, std::vector<Sample> samples) {
  auto series = core::IntensitySeries::Create(snapshot.identity, std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

// Appends a stand-in after the samples that are there.
void Append(Sample sample, std::vector<Sample>& samples) {
  if (!samples.empty())
    sample.interval.begin = std::max(sample.interval.begin, samples.back().interval.end);
  if (sample.interval.length() > Duration::zero()) samples.push_back(sample);
}

Error NothingKnown(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  Error error{ExitCode::kUnavailable, "no intensity is known for " + FormatTime(now),
              snapshot.identity.source, ""};
  if (!snapshot.asked_at) {
    error.what += ": the source has not answered yet";
  } else if (snapshot.failure) {
    error = *snapshot.failure;
  }
  if (const Sample* last = LastBefore(snapshot.known, now))
    error.what += "; the last value ended " + FormatDuration(now - last->interval.end) +
                  " ago, and none stands in after " + FormatDuration(rules.last_known_limit);
  return error;
}

std::string Ago(Duration age) { return FormatDuration(age) + " ago"; }

std::string Describe(const runtime::SignalState& state, const LiveSnapshot& snapshot,
                     const OutageRules& rules) {
  std::string text(Name(state.freshness));
  if (state.value_age && *state.value_age > Duration::zero())
    text += ", the last value ended " + Ago(*state.value_age);
  if (state.answer_age) text += " (" + snapshot.origin + " " + Ago(*state.answer_age) + ")";
  text += "; if it stops: last value up to " + FormatDuration(rules.last_known_limit);
  if (rules.forecast_limit > Duration::zero())
    text += ", then forecast up to " + FormatDuration(rules.forecast_limit);
  text += ", then wait";
  if (snapshot.forecast_failure)
    text += "; no forecast from the provider: " + snapshot.forecast_failure->Message();
  return text;
}

}  // namespace

runtime::SignalState StateAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  runtime::SignalState state;
  state.freshness = StandingAt(snapshot, now, rules).freshness;
  if (const Sample* last = LastBefore(snapshot.known, now))
    state.value_age = std::max<Duration>(now - last->interval.end, Duration::zero());
  if (snapshot.answered_at)
    state.answer_age = std::max<Duration>(now - *snapshot.answered_at, Duration::zero());
  state.text = Describe(state, snapshot, rules);
  return state;
}

Result<core::SignalView> ViewAt(const LiveSnapshot& snapshot, Time now, const OutageRules& rules) {
  const Standing standing = StandingAt(snapshot, now, rules);
  if (!standing.current && snapshot.failure) return Fail(NothingKnown(snapshot, now, rules));
  if (!standing.current && !snapshot.asked_at) return Fail(NothingKnown(snapshot, now, rules));
  core::SignalView view;
  view.now = now;
  const Time known_end = standing.current ? standing.current->interval.end : now;
  std::vector<Sample> known = snapshot.known.Slice({now - kKnownHistory, known_end}).samples();
  if (standing.current && !snapshot.known.At(now)) Append(*standing.current, known);
  view.known = SeriesOf(snapshot, std::move(known));
  const Interval ahead{known_end, Time::max()};
  const core::Forecast& forecast = snapshot.forecast;
  view.forecast = {forecast.issued, forecast.method, forecast.series.Slice(ahead),
                   forecast.p10.Slice(ahead), forecast.p90.Slice(ahead)};
  if (now >= forecast.issued + rules.forecast_limit) view.forecast = {now, "none", {}, {}, {}};
  return view;
}

core::IntensitySeries SettledOver(const LiveSnapshot& snapshot, Interval interval) {
  const auto& known = snapshot.known.samples();
  const Time answered = snapshot.answered_at.value_or(Time::min());
  const auto running = std::find_if(known.begin(), known.end(), [&](const Sample& sample) {
    return sample.interval.end > answered;
  });
  const Time over = running == known.end() ? interval.end : running->interval.begin;
  return snapshot.known.Slice(Overlap({Time::min(), over}, interval));
}

core::IntensitySeries BelievedOver(const LiveSnapshot& snapshot, Interval interval,
                                   const OutageRules& rules) {
  std::vector<Sample> samples = snapshot.known.Slice(interval).samples();
  const Sample* last = LastBefore(snapshot.known, interval.end);
  const Interval after = Overlap({last ? last->interval.end : Time::min(), Time::max()}, interval);
  const auto forecast_until = [&](Time end) {
    return snapshot.forecast.series.Slice(Overlap({Time::min(), end}, after)).samples();
  };
  if (IsProvidedSince(snapshot, last))
    samples = core::Filled(samples, forecast_until(ProvidedUntil(snapshot, rules)));
  const Interval held =
      last ? Overlap({last->interval.end, last->interval.end + rules.last_known_limit}, interval)
           : Interval{};
  if (held.length() > Duration::zero())
    samples = core::Filled(samples, {{held, last->intensity, HeldStatus(*last)}});
  const Time believed_until = snapshot.forecast.issued + rules.forecast_limit;
  return SeriesOf(snapshot, core::Filled(samples, forecast_until(believed_until)));
}

}  // namespace ebb::signals
