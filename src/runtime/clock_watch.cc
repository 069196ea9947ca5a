#include "runtime/clock_watch.h"

namespace ebb::runtime {
namespace {

// The largest difference that comes from reading two clocks in milliseconds.
constexpr Duration kRounding{1};

}  // namespace

ClockWatch::ClockWatch(const Clock& clock, ClockWatchOptions options)
    : ClockWatch(clock, options, clock.Now(), clock.SinceBoot()) {}

ClockWatch::ClockWatch(const Clock& clock, ClockWatchOptions options, Time wall,
                       Duration since_boot)
    : clock_(clock), options_(options), offset_((wall.time_since_epoch() - since_boot).count()) {}

bool ClockWatch::Look() {
  const Duration by = ahead();
  if (std::chrono::abs(by) <= options_.tolerance) {
    if (std::chrono::abs(by) > kRounding) offset_ += by.count();
    jumped_at_.reset();
    return false;
  }
  const Duration now = clock_.SinceBoot();
  if (!jumped_at_ || std::chrono::abs(by - jump_) > options_.tolerance) {
    jumped_at_ = now;
    jump_ = by;
  }
  return now - *jumped_at_ >= options_.settle;
}

std::optional<ClockStep> ClockWatch::TakeStep() {
  if (!Look()) return std::nullopt;
  const Duration by = ahead();
  const Time from = Now();
  offset_ += by.count();
  jumped_at_.reset();
  return ClockStep{from, from + by};
}

}  // namespace ebb::runtime
