#include "core/fields.h"

namespace ebb::core {
namespace {

void PutRuns(FieldWriter& archive, const std::vector<Sample>& samples) {
  archive.BeginList();
  const Sample* last = nullptr;
  for (const Sample& sample : samples) {
    const bool goes_on = last && last->interval.end == sample.interval.begin &&
                         last->interval.length() == sample.interval.length() &&
                         last->status == sample.status && last->link == sample.link;
    if (!goes_on) {
      if (last) archive.EndList();
      archive.BeginListItem();
      archive.Item(sample.interval.begin);
      archive.Item(sample.interval.length());
      if (sample.link == 0)
        archive.Item(sample.status);
      else
        archive.Item(std::pair(sample.status, sample.link));
    }
    archive.Item(sample.intensity);
    last = &sample;
  }
  if (last) archive.EndList();
  archive.EndList();
}

void GetRun(const FieldReader& run, std::vector<Sample>& samples) {
  Time begin{};
  Duration length{};
  std::pair<SampleStatus, std::uint8_t> origin{};
  run.At(0).Get(begin);
  run.At(1).Get(length);
  if (run.At(2).IsList())
    run.At(2).Get(origin);
  else
    run.At(2).Get(origin.first);
  // Both must stay within the range of times.
  const auto count = static_cast<std::int64_t>(run.Size());
  if (length <= Duration::zero() || begin > Time::max() - Duration{count} * length.count() ||
      length.count() > std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(1, count))
    return run.Fail("is not a run of samples");
  for (std::size_t i = 3; i < run.Size(); ++i, begin += length) {
    Sample sample{{begin, begin + length}, {}, origin.first, origin.second};
    run.At(i).Get(sample.intensity);
    samples.push_back(sample);
  }
}

}  // namespace

void Visit(FieldWriter& archive, const IntensitySeries& value) {
  Visit(archive, value.identity());
  if (value.samples().empty()) return;
  archive.BeginField("samples");
  PutRuns(archive, value.samples());
}

void Visit(FieldReader& archive, IntensitySeries& value) {
  SignalIdentity identity;
  // Older snapshots had the identity in an object of its own and wrote each sample separately.
  if (archive.Has("identity"))
    archive("identity", identity);
  else
    Visit(archive, identity);
  std::vector<Sample> samples;
  const FieldReader list = archive.Field("samples");
  for (std::size_t i = 0; i < list.Size(); ++i) {
    if (list.At(i).IsObject())
      list.At(i).Get(samples.emplace_back());
    else
      GetRun(list.At(i), samples);
  }
  auto series = IntensitySeries::Create(std::move(identity), std::move(samples));
  if (!series) return archive.Fail(series.error().Message());
  value = *std::move(series);
}

}  // namespace ebb::core
