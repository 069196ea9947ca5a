#pragma once
// grid.json in the directory of a run: the intensity of the electricity of its program, kept up to
// date while the program runs. Programs on several machines divide their work by it
// (docs/training-program.md; the reader in ebb-train is train/ranks/grid_file.h). One thread.

#include <filesystem>
#include <optional>

#include "base/time.h"
#include "base/units.h"

namespace ebb::local {

inline constexpr const char* kGridFile = "grid.json";

class GridFile {
 public:
  GridFile(std::filesystem::path file, Pue pue) : file_(std::move(file)), pue_(pue) {}

  /// Writes the file if the intensity differs from what it says. nullopt: unknown. A file that
  /// cannot be written is tried again with the next value.
  void Keep(std::optional<Intensity> intensity, Time wall_now);

 private:
  std::filesystem::path file_;
  Pue pue_;
  bool written_ = false;  ///< otherwise the file may be that of an earlier attempt
  std::optional<Intensity> said_;
};

}  // namespace ebb::local
