#include "service/devices/gpu_watch.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace ebb::service {
namespace {

using Clock = std::chrono::steady_clock;
using Look = Result<meter::GpuInventory>;

constexpr std::chrono::seconds kLongestGoodbye{2};

bool IsInTrouble(const Look& look) {
  return !look || look->unknown_name ||
         std::any_of(look->devices.begin(), look->devices.end(),
                     [](const meter::GpuDevice& device) { return !device.fault.empty(); });
}

bool IsSame(const Look& a, const Look& b) {
  if (a.has_value() != b.has_value()) return false;
  if (!a) return a.error().Message() == b.error().Message();
  const auto same_device = [](const meter::GpuDevice& x, const meter::GpuDevice& y) {
    return x.uuid == y.uuid && x.model == y.model && x.index == y.index && x.fault == y.fault;
  };
  return a->cards == b->cards && a->notes == b->notes && a->chosen == b->chosen &&
         a->unknown_name.has_value() == b->unknown_name.has_value() &&
         std::equal(a->devices.begin(), a->devices.end(), b->devices.begin(), b->devices.end(),
                    same_device);
}

Look Silent() {
  return Fail({ExitCode::kUnavailable, "the driver of the GPUs does not answer", "",
               "nvidia-smi should hang as well; the machine may need a reboot"});
}

}  // namespace

struct GpuWatch::Shared {
  explicit Shared(GpuWatchOptions given) : options(std::move(given)) {}

  void Run() {
    std::unique_lock guard(mutex);
    while (!stopping) {
      hurry = false;
      looking_since = Clock::now();
      guard.unlock();
      Look look = options.look();
      guard.lock();
      looking_since.reset();
      const auto pause = IsInTrouble(look) ? options.every_in_trouble : options.every;
      latest = std::move(look);
      const bool news = !taken || !IsSame(*taken, *latest);
      changed.notify_all();
      if (news && !stopping) options.on_news();
      changed.wait_for(guard, pause, [&] { return stopping || hurry; });
    }
    done = true;
    changed.notify_all();
  }
  // A look that is still within its patience is not news.
  bool Hangs() const { return looking_since && Clock::now() - *looking_since > options.patience; }

  const GpuWatchOptions options;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Look> latest, taken;
  std::optional<Clock::time_point> looking_since;
  bool hurry = false, stopping = false, done = false;
};

GpuWatch::GpuWatch(GpuWatchOptions options)
    : shared_(std::make_shared<Shared>(std::move(options))) {
  std::thread([shared = shared_] { shared->Run(); }).detach();
}

GpuWatch::~GpuWatch() {
  std::unique_lock guard(shared_->mutex);
  shared_->stopping = true;
  shared_->changed.notify_all();
  shared_->changed.wait_for(guard, kLongestGoodbye, [&] { return shared_->done; });
}

std::optional<Look> GpuWatch::TakeNews() {
  const std::lock_guard guard(shared_->mutex);
  Look now = shared_->Hangs() ? Silent() : shared_->latest.value_or(Silent());
  if (!shared_->Hangs() && !shared_->latest) return std::nullopt;
  if (shared_->taken && IsSame(*shared_->taken, now)) return std::nullopt;
  shared_->taken = now;
  return now;
}

Look GpuWatch::TakeFirst(std::chrono::milliseconds limit) {
  std::unique_lock guard(shared_->mutex);
  shared_->changed.wait_for(guard, limit, [&] { return shared_->latest.has_value(); });
  shared_->taken = shared_->latest.value_or(Silent());
  return *shared_->taken;
}

void GpuWatch::Hurry() {
  const std::lock_guard guard(shared_->mutex);
  shared_->hurry = true;
  shared_->changed.notify_all();
}

}  // namespace ebb::service
