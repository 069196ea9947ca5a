#pragma once
// What an attempt leaves running, where nobody is there whose descendants they are: nothing of it
// may run beside the next attempt on its devices. What a program started is found by its control
// group, by the run directory in its environment, and, where this process started the supervisor,
// by its parent, which is this process now: also where it has left its process group and cleared
// its environment. Private to local/.

#include <filesystem>

#include "local/attempt_files.h"
#include "local/ending.h"
#include "meter/sharing/cgroup.h"

namespace ebb::local {

/// Of an attempt whose supervisor, or executor, was killed: nobody measures it any more. Its
/// program is found by its process group, too. Numbers from before the machine's last start are
/// nobody's. The program itself is not asked: the kernel did that when its supervisor died.
Ending EndingOfOrphan(const std::optional<EnergyHeader>& header,
                      const std::filesystem::path& run_directory, Duration grace);

}  // namespace ebb::local
