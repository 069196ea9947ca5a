#pragma once
// How fast training is on this machine, measured in a second or two: for the size of a run, and for
// the choice of its precision. Uses LibTorch's random numbers only in MeasureSpeed.

#include <string>

#include "base/result.h"
#include "train/emulation.h"
#include "train/libtorch.h"
#include "train/options.h"

namespace ebb::train {

/// One convolution in fp32 and in `precision`, on the CPU: a tenth of a second, a second where it
/// is emulated.
PrecisionTrial TryPrecision(Precision precision);

/// What a reader of the run should know of its precision, which is also said at once; empty:
/// nothing.
std::string PrecisionNotice(Precision precision, torch::Device device);

/// Samples per second of updates of the options' model and batch size in `precision`, on drawn
/// digits. Takes about a second; very slow precisions some more.
Result<double> MeasureSpeed(const Options& options, Precision precision);

}  // namespace ebb::train
