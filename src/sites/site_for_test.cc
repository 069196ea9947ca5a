// The program that tests start as `ebb` on another machine, and as the follower here:
// `site session`, `site follow PLAN`, `supervise PLAN`. The state folder is $EBB_SITE_FOR_TEST.

#include <string>
#include <vector>

#include "local/supervisor/supervise_for_test.h"
#include "platform/byte_channel.h"
#include "sites/home/follower.h"
#include "sites/remote/kept_start.h"
#include "sites/remote/site_session.h"

namespace ebb::sites {
namespace {

int Serve() {
  SiteSessionOptions options;
  options.jobs.state = std::getenv("EBB_SITE_FOR_TEST");
  options.version = "test";
  platform::ByteChannel channel(0, 1);
  return ServeSite(channel, options) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int FollowPlan(const std::filesystem::path& file) {
  const auto lock = platform::FileLock::Inherited(3);
  const auto plan = local::ReadPlan(file);
  if (!plan) return EXIT_FAILURE;
  FollowerOptions options;
  options.version = "test";
  options.tick = Duration{20};
  options.shortest_wait = Duration{20};
  options.longest_wait = Duration{200};
  options.patience = Duration{1000};
  return Follow({file.parent_path(), plan->attempt}, *plan, options, lock) ? EXIT_SUCCESS
                                                                           : EXIT_FAILURE;
}

int Supervise(const std::filesystem::path& file) {
  const auto plan = local::ReadPlan(file);
  if (!plan) return EXIT_FAILURE;
  const KeeperOptions keeper{.tick = Duration{20}, .devices_are_free = DevicesAreFree};
  if (!WaitForStart({file.parent_path(), plan->attempt}, keeper)) return EXIT_SUCCESS;
  return local::SuperviseForTest(file);
}

}  // namespace
}  // namespace ebb::sites

int main(int count, char** words) {
  const std::vector<std::string> argv(words, words + count);
  if (count == 3 && argv[1] == "site" && argv[2] == "session") return ebb::sites::Serve();
  if (count == 4 && argv[2] == "follow") return ebb::sites::FollowPlan(argv[3]);
  if (count == 3 && argv[1] == "supervise") return ebb::sites::Supervise(argv[2]);
  return EXIT_FAILURE;
}
