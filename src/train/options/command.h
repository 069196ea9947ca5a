#pragma once
// Types that all commands of ebb-train share: choices, the environment of the training-program
// contract (docs/train.md), and text to print.

#include <map>
#include <string>

namespace ebb::train {

enum class Precision { kFp32, kBf16, kFp16 };
enum class DeviceChoice { kAuto, kCpu, kCuda };
enum class ProgressStyle { kAuto, kBar, kLines, kNone };
/// The library that sums gradients over ranks.
enum class Exchange { kGloo, kNccl };
/// The reaction to a loss or a gradient that is not finite.
enum class OnDivergence { kStop, kGoOn };

using Environment = std::map<std::string, std::string>;

/// EBB_RUN_DIR, EBB_CHECKPOINT_DIR and EBB_RESUME, with defaults for variables that are not set. A
/// restart by torchrun (TORCHELASTIC_RESTART_COUNT) resumes, too.
struct Contract {
  std::string run_dir;
  std::string checkpoint_dir;
  bool resume = false;
};
Contract ContractOf(const Environment& environment, const std::string& run_dir);

/// Text that a command prints instead of running (--help, --version).
struct TextToPrint {
  std::string text;
};

}  // namespace ebb::train
