#pragma once
// The C++ face of libebb (ebb.h): a tracker that measures from its construction to stop() or to the
// end of its scope. Header only, C++14 and later; errors are ebb::TrackError.
//
//   {
//     ebb::Tracker tracker({{"name", "training"}, {"zone", "FR"}});
//     for (int epoch = 1; epoch <= 3; ++epoch) { ...; tracker.mark_epoch(epoch); }
//     std::cout << tracker.stop().energy_kwh;
//   }
//
// A run whose scope an exception leaves is recorded as failed (C++17; before that, as done). If
// another rank of the job counts the machine (EBB_COUNTED), the tracker counts nothing.

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ebb.h"

namespace ebb {

class TrackError : public std::runtime_error {
 public:
  explicit TrackError(const ebb_error& error)
      : std::runtime_error(error.message), code_(error.code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Name and value of a flag of `ebb track`, without dashes.
using TrackFlags = std::vector<std::pair<std::string, std::string>>;

class Tracker {
 public:
  explicit Tracker(const TrackFlags& flags = {}) {
    std::vector<ebb_setting> settings;
    for (const auto& flag : flags) settings.push_back({flag.first.c_str(), flag.second.c_str()});
    ebb_options options;
    ebb_options_init(&options, sizeof options);
    options.flags = settings.data();
    options.flag_count = settings.size();
    ebb_error error = EBB_ERROR_INIT;
    tracker_ = ebb_start(&options, &error);
    counted_elsewhere_ = !tracker_ && error.code == EBB_COUNTED;
    if (!tracker_ && !counted_elsewhere_) throw TrackError(error);
  }
  Tracker(Tracker&& other) noexcept
      : tracker_(std::exchange(other.tracker_, nullptr)),
        counted_elsewhere_(other.counted_elsewhere_),
        exceptions_(other.exceptions_) {}
  Tracker& operator=(Tracker&&) = delete;
  ~Tracker() {
    if (tracker_) ebb_stop(tracker_, Unwinding() ? 1 : 0, nullptr, nullptr);
    ebb_free(tracker_);
  }

  void mark_epoch(int number) {
    if (counted_elsewhere_) return;
    ebb_error error = EBB_ERROR_INIT;
    if (ebb_mark_epoch(tracker_, number, &error) != EBB_OK) throw TrackError(error);
  }
  void add_work(std::int64_t steps, std::int64_t samples, std::int64_t tokens = 0) {
    if (counted_elsewhere_) return;
    ebb_error error = EBB_ERROR_INIT;
    if (ebb_add_work(tracker_, steps, samples, tokens, &error) != EBB_OK) throw TrackError(error);
  }
  ebb_totals totals() {
    ebb_error error = EBB_ERROR_INIT;
    ebb_totals totals = EBB_TOTALS_INIT;
    const int code = counted_elsewhere_ ? EBB_OK : ebb_get_totals(tracker_, &totals, &error);
    if (code != EBB_OK) throw TrackError(error);
    return totals;
  }
  ebb_totals stop(int exit_code = 0) {
    ebb_error error = EBB_ERROR_INIT;
    ebb_totals totals = EBB_TOTALS_INIT;
    const int code = counted_elsewhere_ ? EBB_OK : ebb_stop(tracker_, exit_code, &totals, &error);
    if (code != EBB_OK) throw TrackError(error);
    return totals;
  }
  std::string run_directory() const { return ebb_run_directory(tracker_); }
  std::string notes() const { return ebb_notes(tracker_); }

 private:
#if __cplusplus >= 201703L
  static int Exceptions() noexcept { return std::uncaught_exceptions(); }
#else
  static int Exceptions() noexcept { return 0; }
#endif
  bool Unwinding() const noexcept { return Exceptions() > exceptions_; }

  ebb_tracker* tracker_ = nullptr;
  bool counted_elsewhere_ = false;
  int exceptions_ = Exceptions();
};

}  // namespace ebb
