#include "train/options/emulation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"

namespace ebb::train {
namespace {

// The precision counts as emulated if it is slower than fp32 by this factor, although the processor
// has the arithmetic. The factor is large because a trial is short.
constexpr double kClearlySlower = 2;

std::vector<std::string_view> FlagsFor(Precision precision) {
  if (precision == Precision::kBf16) return {"avx512_bf16", "amx_bf16", "avx10_2", "bf16"};
  return {"avx512_fp16", "amx_fp16", "avx10_2", "asimdhp"};
}

}  // namespace

bool CpuHasArithmetic(std::string_view flags, Precision precision) {
  const std::vector<std::string_view> words = Split(flags, ' ');
  const std::vector<std::string_view> wanted = FlagsFor(precision);
  return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) !=
         words.end();
}

std::optional<std::string> EmulationNotice(Precision precision, const PrecisionTrial& trial) {
  if (precision == Precision::kFp32 || trial.fp32_seconds <= 0) return std::nullopt;
  if (std::isinf(trial.mixed_seconds))
    return Name(precision) + " does not work here: the library has no kernel for this processor";
  const double times = trial.mixed_seconds / trial.fp32_seconds;
  if (times <= (trial.cpu_has_it ? kClearlySlower : 1)) return std::nullopt;
  const std::string name = Name(precision);
  return name +
         " is emulated here, and slower and dirtier than fp32: " + FormatSignificant(times, 2) +
         " times its time in a trial; " +
         (trial.cpu_has_it
              ? "the processor has " + name +
                    " arithmetic, but the library does not use it (ONEDNN_MAX_CPU_ISA, "
                    "ATEN_CPU_CAPABILITY?)"
              : "the processor has no " + name + " arithmetic");
}

}  // namespace ebb::train
