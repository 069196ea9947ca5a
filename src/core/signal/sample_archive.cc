#include "core/signal/sample_archive.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::core {

void SampleArchive::Add(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) AddOne(sample);
}

// Adds only the parts of the sample that no better value covers.
void SampleArchive::AddOne(Sample sample) {
  std::vector<Sample> parts{sample};
  auto it = samples_.upper_bound(sample.interval.begin);
  if (it != samples_.begin()) --it;
  for (; it != samples_.end() && it->first < sample.interval.end; ++it) {
    const Sample& other = it->second;
    const Interval common = Overlap(other.interval, parts.back().interval);
    if (other.status >= sample.status || common.length() == Duration::zero()) continue;
    const Time end = parts.back().interval.end;
    parts.back().interval.end = common.begin;
    parts.push_back(sample);
    parts.back().interval = {common.end, end};
  }
  for (const Sample& part : parts) {
    if (part.interval.length() == Duration::zero()) continue;
    Carve(part.interval);
    samples_[part.interval.begin] = part;
  }
}

// Makes room: removes the samples inside the interval and cuts those that reach beyond it.
void SampleArchive::Carve(Interval interval) {
  auto it = samples_.upper_bound(interval.begin);
  if (it != samples_.begin()) --it;
  while (it != samples_.end() && it->first < interval.end) {
    const Sample old = it->second;
    if (old.interval.end <= interval.begin) {
      ++it;
      continue;
    }
    it = samples_.erase(it);
    Sample before = old, after = old;
    before.interval.end = interval.begin;
    after.interval.begin = interval.end;
    if (before.interval.length() > Duration::zero()) samples_[before.interval.begin] = before;
    if (after.interval.length() > Duration::zero()) samples_[after.interval.begin] = after;
  }
}

void SampleArchive::ForgetBefore(Time time) {
  while (!samples_.empty() && samples_.begin()->second.interval.end <= time)
    samples_.erase(samples_.begin());
}

Time SampleArchive::measured_until() const {
  const auto it = std::find_if(samples_.rbegin(), samples_.rend(), [](const auto& entry) {
    return entry.second.status == SampleStatus::kMeasured;
  });
  return it == samples_.rend() ? Time{} : it->second.interval.end;
}

std::optional<Sample> SampleArchive::At(Time time) const {
  auto after = samples_.upper_bound(time);
  if (after == samples_.begin()) return std::nullopt;
  const Sample& sample = (--after)->second;
  return sample.interval.contains(time) ? std::optional(sample) : std::nullopt;
}

std::vector<Sample> SampleArchive::samples() const {
  std::vector<Sample> all;
  for (const auto& entry : samples_) all.push_back(entry.second);
  return all;
}

IntensitySeries SampleArchive::Series(const SignalIdentity& identity) const {
  auto series = IntensitySeries::Create(identity, samples());
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

}  // namespace ebb::core
