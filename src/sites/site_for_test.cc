// The program that tests start as `ebb` on another machine, and as the follower here:
// `site session`, `site follow PLAN`, `supervise PLAN`. The state folder is $EBB_SITE_FOR_TEST.

#include <string>
#include <vector>

#include "base/text.h"
#include "local/supervisor/supervise_for_test.h"
#include "platform/byte_channel.h"
#include "platform/file.h"
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

// The intensity in the file "intensity" beside the folder of jobs, as it is now.
class FileFeed final : public runtime::SignalFeed {
 public:
  explicit FileFeed(std::filesystem::path file) : file_(std::move(file)) {}
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<core::SignalView> Observe(Time now, Duration) override {
    EBB_ASSIGN_OR_RETURN(const auto known, Believed({now, now + Duration{1}}));
    return core::SignalView{now, known, {}};
  }
  Result<core::IntensitySeries> Believed(Interval interval) override {
    EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file_));
    return core::IntensitySeries::Create(identity_,
                                         {{interval, {ParseNumber(Trim(text)).value_or(0)}, {}}});
  }
  Time NextChange(Time now) const override { return now + Duration{1}; }

 private:
  std::filesystem::path file_;
  core::SignalIdentity identity_;
};

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
  FileFeed feed(file.parent_path().parent_path().parent_path() / "intensity");
  options.feed = &feed;
  options.pue = Pue{ParseNumber(plan->metering.at("pue")).value_or(0)};
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
