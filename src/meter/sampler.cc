#include "meter/sampler.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "meter/sampling_clock.h"
#include "meter/sharing/usage_reader.h"

namespace ebb::meter {
// One measurement from Start to Stop. The meters, the usage reader and the sink belong to the
// sampler thread from the moment it runs until it is joined; `mutex_` guards only the two requests.
class Sampler::Session {
 public:
  Session(std::vector<std::unique_ptr<Meter>>& meters, const SamplerOptions& options,
          const Sink& sink, std::vector<pid_t> roots, const Cgroup* cgroup)
      : meters_(meters),
        sink_(sink),
        interval_(std::max(options.interval, Duration{1})),
        usage_(options.proc_root, options.scope, std::move(roots), cgroup),
        clock_(options.wall_now) {
    const Instant begin = SamplingClock::AsInstant(clock_.begin());
    roots_found_ = usage_.Start(begin, clock_.wall_begin());
    for (const auto& meter : meters_) {
      meter->Start(begin);
      if (const auto interval = meter->poll_interval())
        poll_interval_ = std::min(poll_interval_.value_or(*interval), *interval);
    }
    const BlockAllSignals blocked;
    thread_ = std::thread([this] { Run(); });
  }

  void Mark() { Request(mark_requested_); }

  SamplerSummary Stop() {
    Request(stop_requested_);
    thread_.join();
    SamplerSummary summary;
    summary.mean = mean_.value();
    if (!roots_found_)
      summary.warnings.push_back("the process ended before its CPU time and memory could be read");
    for (const auto& meter : meters_) {
      for (std::string& gap : meter->Gaps()) summary.warnings.push_back(std::move(gap));
    }
    return summary;
  }

 private:
  void Request(bool& request) {
    {
      const std::lock_guard lock(mutex_);
      request = true;
    }
    wake_.notify_one();
  }

  void Run() {
    std::unique_lock lock(mutex_);
    SteadyTime next_sample = clock_.begin() + interval_;
    SteadyTime next_poll = poll_interval_ ? clock_.begin() + *poll_interval_ : SteadyTime::max();
    for (;;) {
      wake_.wait_until(lock, std::min(next_sample, next_poll),
                       [this] { return stop_requested_ || mark_requested_; });
      const bool stop = stop_requested_;
      const bool mark = std::exchange(mark_requested_, false);
      lock.unlock();
      if (mark && !stop) WaitUntilSampleHasLength();
      const SteadyTime now = std::chrono::steady_clock::now();
      if (stop || mark || now >= next_sample) TakeSample(now, stop);
      if (stop) return;
      if (now >= next_poll) Poll(now);
      if (now >= next_sample) next_sample = clock_.NextMultiple(now, interval_);
      if (now >= next_poll) next_poll = clock_.NextMultiple(now, *poll_interval_);
      lock.lock();
    }
  }

  // Intervals are whole milliseconds. A mark in the same millisecond as the sample before it still
  // gets a sample of its own, because the caller of Mark would otherwise wait for a whole interval.
  void WaitUntilSampleHasLength() const {
    while (clock_.WallNow() <= usage_.boundary())
      std::this_thread::sleep_for(std::chrono::microseconds{200});
  }

  void TakeSample(SteadyTime now, bool last) {
    const Time wall = clock_.WallNow();
    if (wall <= usage_.boundary() && !last) return;  // an empty interval
    const IntervalUsage usage = usage_.Next(SamplingClock::AsInstant(now), wall);
    std::vector<core::EnergyReading> readings;
    for (const auto& meter : meters_) {
      for (core::EnergyReading& reading : meter->Sample(usage))
        readings.push_back(std::move(reading));
    }
    const Utilisation utilisation = UtilisationOf(usage, meters_);
    mean_.Add(utilisation, usage.seconds());
    sink_(std::move(readings), utilisation);
  }

  void Poll(SteadyTime now) {
    for (const auto& meter : meters_) {
      if (meter->poll_interval()) meter->Poll(SamplingClock::AsInstant(now));
    }
  }

  std::vector<std::unique_ptr<Meter>>& meters_;
  const Sink& sink_;
  const Duration interval_;
  UsageReader usage_;
  const SamplingClock clock_;
  std::optional<std::chrono::nanoseconds> poll_interval_;
  bool roots_found_ = true;
  MeanUtilisation mean_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_requested_ = false;
  bool mark_requested_ = false;
  std::thread thread_;
};

Sampler::Sampler(std::vector<std::unique_ptr<Meter>> meters, SamplerOptions options, Sink sink)
    : options_(std::move(options)), sink_(std::move(sink)), meters_(std::move(meters)) {}

Sampler::~Sampler() { Stop(); }

void Sampler::Start(std::vector<pid_t> roots, const Cgroup* cgroup) {
  Stop();
  session_ = std::make_unique<Session>(meters_, options_, sink_, std::move(roots), cgroup);
}

void Sampler::Mark() {
  if (session_) session_->Mark();
}

SamplerSummary Sampler::Stop() {
  if (session_) {
    last_ = session_->Stop();
    session_.reset();
  }
  return last_;
}

}  // namespace ebb::meter
