#pragma once
// grid.json in the directory of a run: the intensity of the electricity of its program, kept up to
// date while the program runs. Programs on several machines divide their work by it
// (docs/training-program.md; the reader in ebb-train is train/ranks/grid_file.h). Users: a measured
// process (ebb run), the supervisor of an attempt of the service, and the follower of an attempt at
// a site. One thread.

#include <filesystem>
#include <optional>

#include "runtime/grid_clock.h"
#include "runtime/signal_feed.h"

namespace ebb::local {

inline constexpr const char* kGridFile = "grid.json";

class GridFile {
 public:
  /// The caller keeps `feed` up to date. The feed and the clock must outlive this.
  GridFile(std::filesystem::path file, runtime::SignalFeed& feed, const runtime::GridClock& clock,
           Pue pue)
      : file_(std::move(file)), feed_(feed), clock_(clock), pue_(pue) {}

  /// Writes the file if the intensity now differs from what it says. An intensity that has become
  /// unknown stays for half a minute: the next value may be on its way. A file that cannot be
  /// written is tried again with the next call. Returns true if it was written.
  bool Look();

 private:
  std::filesystem::path file_;
  runtime::SignalFeed& feed_;
  const runtime::GridClock& clock_;
  Pue pue_;
  bool written_ = false;  ///< otherwise the file may be that of an earlier attempt
  std::optional<Intensity> said_;
  Duration known_at_{};  ///< since boot, when an intensity was known last
};

}  // namespace ebb::local
