#pragma once
// The speeds of an elastic job at its widths as Ebb has measured them, from the progress of its
// attempts. Pure.
//
// An attempt gives the rate of its program at one width. Rates of different programs are unlike,
// but their ratios between widths are alike, so the logarithm of a rate is the sum of a part of the
// program and a part of the width. Both are fitted by alternating medians (Tukey's median polish),
// which one odd attempt does not move.

#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/jobs/job.h"

namespace ebb::core {

/// A program's report of progress: how many units of work it has done by `at`, on the wall clock.
struct ProgressPoint {
  Time at{};
  double count = 0;
};

/// The units per second of an attempt with these reports, in order of time. The start-up does not
/// count. The median over parts of the rest is taken, because an evaluation or a checkpoint in one
/// part is no change of speed. Nullopt if the rest has too few reports or too little time.
std::optional<double> SteadyRate(std::span<const ProgressPoint> points);

/// The steady rate of an attempt.
struct WidthRate {
  std::string program;  ///< rates of one program (and device model) can be compared
  int devices = 1;
  double per_second = 0;  ///< > 0
  Time at{};              ///< end of the attempt, grid time
  friend bool operator==(const WidthRate&, const WidthRate&) = default;
};

/// A measured speed relative to that on another width.
struct MeasuredWidth {
  int devices = 1;
  double speed = 1;
  int attempts = 0;
};

/// This many attempts at a width are enough to believe their median. With fewer, the speed is one
/// standard error lower than measured, and no better than linear.
inline constexpr int kEnoughAttempts = 3;

/// The speeds relative to that on `own` devices, in ascending order of widths, with `own` itself:
/// a wider one is never slower. Empty without rates on `own` devices. Widths that no program has in
/// common with others of them are left out.
std::vector<MeasuredWidth> MeasuredSpeedup(const std::vector<WidthRate>& rates, int own);

/// The speeds for Job::learned_speedup: as measured, or for a width that was not measured the given
/// one in proportion to the nearest measured width, and from there no better than linear. Empty if
/// no width of the job but its own is measured.
std::vector<WidthSpeed> LearnedSpeedup(const Job& job, const std::vector<MeasuredWidth>& measured);

/// The largest change of a speed between both, as a share of the speed in `before`. Speeds that are
/// not given in `before` are the assumed ones.
double LargestChange(const Job& job, const std::vector<WidthSpeed>& before,
                     const std::vector<WidthSpeed>& after);

/// "2 devices 1.52 times as fast (given 1.9; 3 attempts), 4 devices 2.1 times (given 3.4; not
/// measured)".
std::string LearnedText(const Job& job, const std::vector<WidthSpeed>& learned,
                        const std::vector<MeasuredWidth>& measured);

}  // namespace ebb::core
