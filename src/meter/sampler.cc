#include "meter/sampler.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "meter/cpu_info.h"
#include "meter/usage_reader.h"

namespace ebb::meter {
namespace {

using SteadyClock = std::chrono::steady_clock;
using SteadyTime = SteadyClock::time_point;

Instant AsInstant(SteadyTime time) { return time.time_since_epoch(); }

// Goes on while the machine is suspended, as the wall clock does and the steady clock does not.
std::chrono::nanoseconds TimeSinceBoot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

Time SystemNow() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

// A new thread inherits the mask of the one that starts it: signals stay with the threads that were
// there before.
class BlockAllSignals {
 public:
  BlockAllSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockAllSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockAllSignals(const BlockAllSignals&) = delete;
  BlockAllSignals& operator=(const BlockAllSignals&) = delete;

 private:
  sigset_t before_;
};

double Percent(std::optional<std::chrono::nanoseconds> cpu_time, const IntervalUsage& usage) {
  const double available_seconds = usage.seconds() * usage.logical_processors;
  if (!cpu_time || available_seconds <= 0) return 0;
  const double used_seconds = std::chrono::duration<double>(*cpu_time).count();
  return std::clamp(100 * used_seconds / available_seconds, 0.0, 100.0);
}

// Mean of utilisation figures weighted by the time each stood for.
class WeightedMean {
 public:
  void Add(const Utilisation& part, double seconds) {
    if (seconds_ == 0) mean_.wall.begin = part.wall.begin;
    mean_.wall.end = part.wall.end;
    seconds_ += seconds;
    const double weight = seconds_ > 0 ? seconds / seconds_ : 1;
    const auto blend = [weight](double& mean, double value) { mean += weight * (value - mean); };
    blend(mean_.cpu_percent, part.cpu_percent);
    blend(mean_.tree_cpu_percent, part.tree_cpu_percent);
    blend(mean_.ram_gb, part.ram_gb);
    blend(mean_.gpu_percent, part.gpu_percent);
  }
  const Utilisation& value() const { return mean_; }

 private:
  Utilisation mean_;
  double seconds_ = 0;
};

}  // namespace

// One measurement from Start to Stop. The meters, the usage reader and the sink belong to the
// sampler thread from the moment it runs until it is joined; `mutex_` guards only the two requests.
class Sampler::Session {
 public:
  Session(std::vector<std::unique_ptr<Meter>>& meters, const SamplerOptions& options,
          const Sink& sink, std::vector<pid_t> roots)
      : meters_(meters),
        sink_(sink),
        interval_(std::max(options.interval, Duration{1})),
        usage_(options.proc_root, options.scope, std::move(roots), options.one_of_several),
        wall_anchor_(options.wall_now ? options.wall_now() : SystemNow()),
        boot_anchor_(TimeSinceBoot()),
        begin_(SteadyClock::now()) {
    roots_found_ = usage_.Start(AsInstant(begin_), wall_anchor_);
    for (const auto& meter : meters_) {
      meter->Start(AsInstant(begin_));
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
    SteadyTime next_sample = begin_ + interval_;
    SteadyTime next_poll = poll_interval_ ? begin_ + *poll_interval_ : SteadyTime::max();
    for (;;) {
      wake_.wait_until(lock, std::min(next_sample, next_poll),
                       [this] { return stop_requested_ || mark_requested_; });
      const bool stop = stop_requested_;
      const bool mark = std::exchange(mark_requested_, false);
      lock.unlock();
      const SteadyTime now = SteadyClock::now();
      if (stop || mark || now >= next_sample) TakeSample(now, stop);
      if (stop) return;
      if (now >= next_poll) Poll(now);
      if (now >= next_sample) next_sample = NextMultiple(now, interval_);
      if (now >= next_poll) next_poll = NextMultiple(now, *poll_interval_);
      lock.lock();
    }
  }

  // Samples stay on a grid laid at Start, so that they do not drift; a late one leaves some out.
  SteadyTime NextMultiple(SteadyTime now, std::chrono::nanoseconds interval) const {
    return begin_ + ((now - begin_) / interval + 1) * interval;
  }

  void TakeSample(SteadyTime now, bool last) {
    const Time wall = std::chrono::floor<Duration>(std::chrono::sys_time<std::chrono::nanoseconds>(
        wall_anchor_.time_since_epoch() + (TimeSinceBoot() - boot_anchor_)));
    if (wall <= usage_.boundary() && !last) return;  // asked again within a millisecond
    const IntervalUsage usage = usage_.Next(AsInstant(now), wall);
    std::vector<core::EnergyReading> readings;
    for (const auto& meter : meters_) {
      for (core::EnergyReading& reading : meter->Sample(usage))
        readings.push_back(std::move(reading));
    }
    const Utilisation utilisation = Describe(usage);
    mean_.Add(utilisation, usage.seconds());
    sink_(std::move(readings), utilisation);
  }

  void Poll(SteadyTime now) {
    for (const auto& meter : meters_) {
      if (meter->poll_interval()) meter->Poll(AsInstant(now));
    }
  }

  Utilisation Describe(const IntervalUsage& usage) const {
    Utilisation utilisation;
    utilisation.wall = usage.wall;
    utilisation.tree_cpu_percent = Percent(usage.tree_cpu, usage);
    // The kernel counts the machine's time in coarser steps than that of processes.
    utilisation.cpu_percent =
        std::max(Percent(usage.machine_busy, usage), utilisation.tree_cpu_percent);
    utilisation.ram_gb = usage.tree_resident_bytes.value_or(0) / kBytesPerGib;
    int metered = 0;
    for (const auto& meter : meters_) {
      const auto percent = meter->utilisation_percent();
      if (!percent) continue;
      ++metered;
      utilisation.gpu_percent += (*percent - utilisation.gpu_percent) / metered;
    }
    return utilisation;
  }

  std::vector<std::unique_ptr<Meter>>& meters_;
  const Sink& sink_;
  const Duration interval_;
  UsageReader usage_;
  const Time wall_anchor_;
  const std::chrono::nanoseconds boot_anchor_;
  const SteadyTime begin_;
  std::optional<std::chrono::nanoseconds> poll_interval_;
  bool roots_found_ = true;
  WeightedMean mean_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_requested_ = false;
  bool mark_requested_ = false;
  std::thread thread_;
};

Sampler::Sampler(std::vector<std::unique_ptr<Meter>> meters, SamplerOptions options, Sink sink)
    : options_(std::move(options)), sink_(std::move(sink)), meters_(std::move(meters)) {}

Sampler::~Sampler() { Stop(); }

void Sampler::Start(std::vector<pid_t> roots) {
  Stop();
  session_ = std::make_unique<Session>(meters_, options_, sink_, std::move(roots));
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
