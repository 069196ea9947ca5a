#pragma once
// Measures how fast training is on this machine, in a second or two: to choose the size of a run,
// and its precision. Only MeasureSpeed uses LibTorch's random numbers.

#include <string>

#include "base/result.h"
#include "train/libtorch.h"
#include "train/options/emulation.h"
#include "train/options/options.h"

namespace ebb::train {

/// Times one convolution in fp32 and in `precision`, on the CPU. Takes a tenth of a second, or a
/// second if the precision is emulated.
PrecisionTrial TryPrecision(Precision precision);

/// A notice about the run's precision for its reader, which is also printed at once; empty: no
/// notice.
std::string PrecisionNotice(Precision precision, torch::Device device);

/// Samples per second of updates of the options' model and batch size in `precision`, on drawn
/// digits. Takes about a second; longer for very slow precisions.
Result<double> MeasureSpeed(const Options& options, Precision precision);

}  // namespace ebb::train
