#pragma once
// Ends the processes that an attempt left running after its supervisor has gone: none of them may
// run beside the next attempt on its devices. They are found by the attempt's control group, by the
// run directory in their environment, and, if this process started the supervisor, by their parent,
// which is this process now. So a process is found even if it left its process group and cleared
// its environment. Private to local/.

#include <filesystem>

#include "local/files/attempt_files.h"
#include "local/supervisor/ending.h"
#include "meter/sharing/cgroup.h"

namespace ebb::local {

/// For an attempt whose supervisor, or executor, was killed, so that it is not measured any more.
/// Its program is found by its process group, too. Process numbers from before the machine's last
/// start are ignored. The program itself is not asked: the kernel did that when its supervisor
/// died.
Ending EndingOfOrphan(const std::optional<EnergyHeader>& header,
                      const std::filesystem::path& run_directory, Duration grace);

}  // namespace ebb::local
