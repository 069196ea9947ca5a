#include "forecast/better_on_record.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "forecast/rows.h"

namespace ebb::forecast {
namespace {

constexpr Duration kWeek{std::chrono::days{7}};
constexpr Duration kRecord = 4 * kWeek;
constexpr Duration kBetweenIssues{std::chrono::hours{13}};
constexpr Duration kScoredHorizon{std::chrono::hours{96}};
// Fewer rows than this are no record; then the provider, who knows the weather, is believed.
constexpr int kLeastRows = 100;

Time WeekOf(Time now) {
  return Time{std::chrono::floor<std::chrono::days>(now).time_since_epoch() / kWeek * kWeek};
}

// FNV-1a over times and values.
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

struct Errors {
  double provider = 0, own = 0;
  int rows = 0;
};

// Rows that both have, of what was not over when they were made.
void AddErrors(const core::Forecast& provider, const core::Forecast& own, Time made,
               std::span<const core::Sample> truth, Errors& errors) {
  for (const core::Sample& sample : truth) {
    if (sample.interval.end <= made) continue;
    const core::Sample* theirs = provider.series.At(sample.interval.begin);
    const core::Sample* ours = own.series.At(sample.interval.begin);
    if (!theirs || !ours) continue;
    errors.provider += std::fabs(theirs->intensity.g_per_kwh - sample.intensity.g_per_kwh);
    errors.own += std::fabs(ours->intensity.g_per_kwh - sample.intensity.g_per_kwh);
    ++errors.rows;
  }
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
  const Time week = WeekOf(now);
  const std::pair key{week.time_since_epoch() / kWeek,
                      Digest(KnownBy(history, week - Duration{1}, publication_))};
  if (const auto it = verdicts_.find(key); it != verdicts_.end()) return it->second;
  EBB_ASSIGN_OR_RETURN(const bool better, Judge(history, week));
  verdicts_[key] = better;
  return better;
}

Result<bool> BetterOnRecord::Judge(const core::IntensitySeries& history, Time until) {
  Errors errors;
  for (Time issue = until - kRecord; issue < until; issue += kBetweenIssues) {
    EBB_ASSIGN_OR_RETURN(const auto provider, provider_->At(history, issue, kScoredHorizon));
    EBB_ASSIGN_OR_RETURN(const auto own, own_->At(history, issue, kScoredHorizon));
    const auto by_issue = KnownBy(history, issue, publication_).size();
    const auto by_end =
        KnownBy(history, std::min(issue + kScoredHorizon, until) - Duration{1}, publication_);
    if (by_end.size() > by_issue) AddErrors(provider, own, issue, by_end.subspan(by_issue), errors);
  }
  return errors.rows < kLeastRows || errors.provider <= errors.own;
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
