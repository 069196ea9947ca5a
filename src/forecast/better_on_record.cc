#include "forecast/better_on_record.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/check.h"
#include "forecast/rows.h"

namespace ebb::forecast {
namespace {

constexpr Duration kBetweenIssues{std::chrono::hours{13}};

// FNV-1a hash over times and values.
std::uint64_t Digest(std::span<const core::Sample> samples) {
  std::uint64_t digest = 0xcbf29ce484222325ULL;
  const auto add = [&](std::uint64_t word) { digest = (digest ^ word) * 0x100000001b3ULL; };
  for (const core::Sample& sample : samples) {
    add(static_cast<std::uint64_t>(sample.interval.begin.time_since_epoch().count()));
    add(static_cast<std::uint64_t>(sample.interval.length().count()));
    add(std::bit_cast<std::uint64_t>(sample.intensity.g_per_kwh));
  }
  return digest;
}

core::IntensitySeries JoinedSeries(const core::IntensitySeries& first,
                                   const core::IntensitySeries& second) {
  std::vector<core::Sample> samples;
  auto next = first.samples().begin();
  const auto end = first.samples().end();
  for (const core::Sample& sample : second.samples()) {
    while (next != end && next->interval.begin <= sample.interval.begin) samples.push_back(*next++);
    const bool free = samples.empty() || samples.back().interval.end <= sample.interval.begin;
    if (free && (next == end || sample.interval.end <= next->interval.begin))
      samples.push_back(sample);
  }
  samples.insert(samples.end(), next, end);
  auto series = core::IntensitySeries::Create(second.identity(), std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

}  // namespace

BetterOnRecord::BetterOnRecord(std::unique_ptr<Forecaster> provider,
                               std::unique_ptr<Forecaster> own,
                               const core::Publication& publication)
    : provider_(std::move(provider)), own_(std::move(own)), publication_(publication) {}

Result<core::Forecast> BetterOnRecord::At(const core::IntensitySeries& history, Time now,
                                          Duration horizon) {
  EBB_ASSIGN_OR_RETURN(const bool provider_is_better, ProviderIsBetter(history, now));
  EBB_ASSIGN_OR_RETURN(core::Forecast own, own_->At(history, now, horizon));
  if (!provider_is_better) return own;
  EBB_ASSIGN_OR_RETURN(const core::Forecast provider, provider_->At(history, now, horizon));
  return Joined(provider, own);
}

Result<bool> BetterOnRecord::ProviderIsBetter(const core::IntensitySeries& history, Time now) {
  EBB_ASSIGN_OR_RETURN(const Judgement judgement, JudgementAt(history, now));
  return judgement.ProviderIsBetter();
}

Result<Judgement> BetterOnRecord::JudgementAt(const core::IntensitySeries& history, Time now) {
  const Time until = JudgedUntil(now);
  const std::pair key{until.time_since_epoch() / kJudgedWeek,
                      Digest(KnownBy(history, until - Duration{1}, publication_))};
  if (const auto it = judgements_.find(key); it != judgements_.end()) return it->second;
  std::vector<Time> moments;
  for (Time moment = until - kJudgedRecord; moment < until; moment += kBetweenIssues)
    moments.push_back(moment);
  EBB_ASSIGN_OR_RETURN(const Judgement judgement,
                       Judge(*provider_, *own_, history, publication_, moments, until));
  judgements_[key] = judgement;
  return judgement;
}

core::Forecast Joined(const core::Forecast& first, const core::Forecast& second) {
  if (first.series.empty()) return second;
  core::Forecast joined = first;
  joined.issued = std::max(first.issued, second.issued);
  joined.series = JoinedSeries(first.series, second.series);
  if (joined.series.samples().size() > first.series.samples().size())
    joined.method += ", beyond it " + second.method;
  if (first.p10.empty() || second.p10.empty()) {
    joined.p10 = {};
    joined.p90 = {};
    return joined;
  }
  joined.p10 = JoinedSeries(first.p10, second.p10);
  joined.p90 = JoinedSeries(first.p90, second.p90);
  return joined;
}

}  // namespace ebb::forecast
