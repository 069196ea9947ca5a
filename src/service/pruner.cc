#include "service/pruner.h"

#include <string>

namespace ebb::service {
namespace {

// Requests wait meanwhile.
constexpr std::chrono::milliseconds kAtOnce{10};
constexpr std::chrono::hours kBelieveClockAfter{24};

}  // namespace

void Pruner::DistrustClock() { next_look_ = Clock::now() + kBelieveClockAfter; }

bool Pruner::PruneSome() {
  const auto begin = Clock::now();
  if (!keep_ || begin < next_look_) return false;
  const Time before = ports_.now() - *keep_;
  while (Clock::now() - begin < kAtOnce) {
    const auto step = ports_.store.Prune(before, [this](core::JobId job) { RemoveFolder(job); });
    if (!step || step->job == 0) {
      next_look_ = begin + look_every_;
      return false;
    }
  }
  return true;
}

void Pruner::RemoveFolder(core::JobId job) {
  std::error_code code;
  std::filesystem::remove_all(ports_.directory_of(job), code);
  if (code) ports_.events.Say(job, "its folder cannot be removed: " + code.message());
}

}  // namespace ebb::service
