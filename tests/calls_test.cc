// Checks who calls what: who besides platform asks the operating system or reads the machine's
// clock, who has SQL, and that no call throws where a form without exceptions exists.

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>

#include "tree_for_test.h"

namespace ebb {
namespace {

namespace fs = std::filesystem;
using Reasons = std::vector<std::pair<std::string, std::string>>;

// The files and folders besides platform that may call the operating system, each with its reason.
const std::vector<std::pair<std::string, std::string>> kPosix{
    {"local/", "supervisors: process groups, signals, event descriptors, locked files"},
    {"meter/cpu/cpu_info.cc", "the kernel's clock tick, by which /proc counts"},
    {"meter/gpu/", "the libraries of the vendors, loaded when they are there"},
    {"meter/sharing/", "/proc and cgroups: who used the machine"},
    {"meter/small_file.cc", "files of /proc and /sys, read without allocation"},
    {"meter/", "pid_t and the thread that samples"},
    {"signals/traces/expat.cc", "the library that reads XML, loaded when it is needed"},
    {"signals/weather/eccodes.cc", "the library that decodes GRIB, loaded when it is needed"},
    {"sites/files/folder.cc", "files below a folder in which programs may have put links"},
    {"store/database/database.cc", "makes the file with its mode before SQLite opens it"},
    {"store/database/job_numbers.cc",
     "overwrites its number in place, so that a full disk cannot stop it"},
    {"trackers/tensorboard.cc", "appends whole records and takes back half ones"},
    {"app/jobs/service_client.cc", "whose store it is, and whether its socket may be used"},
    {"app/run/local_rank.cc", "which processes started together: parent and user"},
    {"train/devices/device_program.cc",
     "the driver and the compiler of the GPU, loaded when kernels are needed"},
    {"train/loop/energy_counter.cc", "the vendor's library, loaded when it is asked for"},
    {"train/ranks/nccl_sum.cc", "the vendor's library, loaded when it is asked for"},
    {"train/loop/progress.cc", "the width of the terminal it draws its bar on"},
    {"web/http/", "sockets, and the server library as a module"},
    {"web/api/access", "a token's file: its owner, its mode, random bytes"},
    {"web/api/rate_limit.cc", "addresses of clients"},
    {"testing/", "what tests need"},
};

// The files besides platform that may read the machine's clock, each with its reason. Code that
// decides, computes or replays gets the time as an argument.
const std::vector<std::pair<std::string, std::string>> kClocks{
    {"app/", "what begins and ends now: runs, logs, files, followers"},
    {"cli/", "what is asked about now"},
    {"lib/tracker.cc", "a measurement begins and ends now"},
    {"lib/work_report.cc", "the program reports its progress now"},
    {"local/", "programs start, are measured and end now"},
    {"meter/", "samples are taken now"},
    {"report/run/merged_run.cc", "when the merged run was written"},
    {"service/", "the loop's watch and its delays"},
    {"signals/feeds/chain_feed.cc", "how long a source has been silent"},
    {"signals/feeds/live_feed.cc", "the age of what is cached"},
    {"sites/", "clocks of two machines are compared, and connections time out"},
    {"store/restore.cc", "when the store was restored"},
    {"trackers/background_tracker.cc", "how long a tracker may take"},
    {"train/loop/energy_watch.cc", "when an energy counter moved"},
    {"train/loop/evaluate.cc", "how long inferences took"},
    {"train/language/", "how fast it computes, when its metrics were written"},
    {"train/loop/progress.cc", "samples in a second"},
    {"web/api/", "the time of an answer"},
    {"web/http/tls.cc", "how often the certificate's files are looked at"},
    {"web/notify/webhook.cc", "retries"},
    {"testing/", "what tests need"},
};

bool IsListed(const std::string& file, const Reasons& reasons) {
  return std::any_of(reasons.begin(), reasons.end(),
                     [&](const auto& reason) { return file.starts_with(reason.first); });
}

TEST(Layering, TheOperatingSystemIsAskedWhereTheListSays) {
  const std::set<std::string> posix{"arpa/inet.h", "dirent.h",  "dlfcn.h",   "fcntl.h",
                                    "grp.h",       "ifaddrs.h", "netdb.h",   "netinet/in.h",
                                    "poll.h",      "pthread.h", "pwd.h",     "sched.h",
                                    "signal.h",    "spawn.h",   "termios.h", "unistd.h"};
  for (const Include& include : AllIncludes()) {
    const bool asks = posix.contains(include.target) || include.target.starts_with("sys/") ||
                      include.target.starts_with("linux/");
    if (!asks || IsTest(include.file) || RoomOf(include.file) == "platform") continue;
    // The type of process ids is only a name; it does not call the system.
    if (include.target == "sys/types.h") continue;
    EXPECT_TRUE(IsListed(include.file, kPosix))
        << Where(include) << ": ask platform, or say in the list why not";
  }
}

TEST(Layering, TheClockIsReadWhereTheListSays) {
  const fs::path root = fs::path(EBB_SOURCE_DIR) / "src";
  int readers = 0;
  for (const std::string& file : SourcesUnder(root)) {
    if (IsTest(file) || RoomOf(file) == "platform") continue;
    const std::string text = TextOf(root / file);
    for (const char* clock : {"system_clock::now", "steady_clock::now", "clock_gettime",
                              "WallNow()", "Steady::now", "high_resolution_clock"}) {
      if (text.find(clock) == std::string::npos) continue;
      ++readers;
      EXPECT_TRUE(IsListed(file, kClocks)) << "src/" << file << " reads " << clock;
    }
  }
  EXPECT_GT(readers, 20);
}

// The number of arguments of a call whose first argument begins at `at`.
int ArgumentsAt(const std::string& text, std::size_t at) {
  int depth = 0, commas = 0;
  bool any = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '{') ++depth;
    if ((c == ')' || c == '}') && depth-- == 0) break;
    if (c == ',' && depth == 0) ++commas;
    any = any || (c != ' ' && c != '\n');
  }
  return any ? commas + 1 : 0;
}

// No input may lead to an abort. Functions that throw if the working directory was deleted, a
// folder may not be searched, or a text is not a number are called in the form that does not throw
// (platform/path_facts.h).
TEST(Layering, NothingIsAskedInAFormThatThrows) {
  const fs::path root = fs::path(EBB_SOURCE_DIR) / "src";
  const std::vector<std::pair<std::string, int>> arguments_without_code{
      {"current_path", 0},
      {"absolute", 1},
      {"canonical", 1},
      {"exists", 1},
      {"is_directory", 1},
      {"is_regular_file", 1},
      {"is_symlink", 1},
      {"is_empty", 1},
      {"file_size", 1},
      {"create_directory", 1},
      {"create_directories", 1},
      {"remove", 1},
      {"remove_all", 1},
      {"last_write_time", 1},
      {"read_symlink", 1},
      {"space", 1},
      {"status", 1},
      {"rename", 2},
      {"copy", 2},
      {"copy_file", 2},
      {"create_symlink", 2},
      {"create_hard_link", 2},
      {"resize_file", 2},
      {"permissions", 2},
      {"directory_iterator", 1},
      {"recursive_directory_iterator", 1}};
  int asked = 0;
  for (const std::string& file : SourcesUnder(root)) {
    if (IsTest(file) || file.find("_for_test") != std::string::npos ||
        file.find("_fuzz") != std::string::npos || RoomOf(file) == "testing")
      continue;
    const std::string text = TextOf(root / file);
    for (const auto& [name, without_code] : arguments_without_code) {
      const std::string call = "fs::" + name + "(", spelt_out = "filesystem::" + name + "(";
      for (const std::string& begin : {call, spelt_out})
        for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
          ++asked;
          const int given = ArgumentsAt(text, at + begin.size());
          // The end iterator of any directory.
          if (given == 0 && name.ends_with("iterator")) continue;
          EXPECT_GT(given, without_code)
              << "src/" << file << ": " << text.substr(at, text.find('\n', at) - at);
        }
    }
    for (const char* number : {"std::stoi(", "std::stol(", "std::stoll(", "std::stoul(",
                               "std::stoull(", "std::stod(", "std::stof("})
      EXPECT_EQ(text.find(number), std::string::npos) << "src/" << file << " uses " << number;
  }
  EXPECT_GT(asked, 50);
}

// The store's queries are functions with names. The audit has queries of its own, because it checks
// what the store computes.
TEST(Layering, SqlStandsInTheStoreAndInTheAuditThatChecksIt) {
  const fs::path root = fs::path(EBB_SOURCE_DIR) / "src";
  const std::regex sql(R"("(SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|DROP) )");
  int found = 0;
  for (const std::string& file : SourcesUnder(root)) {
    if (IsTest(file) || !std::regex_search(TextOf(root / file), sql)) continue;
    ++found;
    EXPECT_TRUE(RoomOf(file) == "store" || RoomOf(file) == "audit") << "src/" << file;
  }
  EXPECT_GT(found, 10);
}

// An entry for a file that is gone would excuse a later file of the same name.
TEST(Layering, TheListsNameWhatIsThere) {
  const fs::path root = fs::path(EBB_SOURCE_DIR) / "src";
  const auto files = SourcesUnder(root);
  for (const Reasons* reasons : {&kPosix, &kClocks})
    for (const auto& [prefix, why] : *reasons)
      EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&, &name = prefix](const auto& file) {
        return file.starts_with(name);
      })) << prefix;
}

}  // namespace
}  // namespace ebb
