// Checks the rules of the tree: every include follows an allowed arrow, every third-party header is
// used in its rooms only, and no header of Ebb includes a third-party header.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ebb {
namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

// The rooms that each room may include, besides itself. docs/HACKING.md draws the same table.
const std::map<std::string, Rooms> kAllowed{
    {"base", {}},
    {"core", {"base"}},
    {"forecast", {"base", "core"}},
    {"prices", {"base", "core"}},
    {"plan", {"base", "core"}},
    {"engine", {"base", "core", "plan"}},
    {"runtime", {"base", "core", "plan", "engine"}},
    {"platform", {"base", "runtime"}},
    {"store", {"base", "core", "engine", "runtime", "platform", "sweep"}},
    {"signals", {"base", "core", "prices", "forecast", "runtime", "platform"}},
    {"trackers", {"base", "platform"}},
    {"meter", {"base", "core", "platform"}},
    {"local", {"base", "core", "engine", "runtime", "platform", "meter"}},
    {"kubernetes", {"base", "core", "engine", "runtime", "platform"}},
    {"slurm", {"base", "core", "engine", "runtime", "platform", "local"}},
    {"sim", {"base", "core", "plan", "engine", "runtime"}},
    {"sweep", {"base", "core"}},
    {"report", {"base", "core", "plan", "engine", "platform", "sim", "sweep"}},
    {"audit", {"base", "core", "plan", "engine", "runtime", "platform", "store", "local"}},
    {"config",
     {"base", "core", "prices", "plan", "platform", "signals", "kubernetes", "sim", "sweep"}},
    {"service",
     {"base", "core", "plan", "engine", "runtime", "platform", "store", "local", "meter", "sweep",
      "report"}},
    {"web",
     {"base", "core", "forecast", "plan", "engine", "platform", "store", "local", "report",
      "service"}},
    {"app", {"base",  "core",    "prices", "plan",    "engine",     "runtime", "platform",
             "store", "signals", "meter",  "local",   "kubernetes", "slurm",   "sim",
             "sweep", "report",  "config", "service", "trackers",   "web"}},
    {"cli",
     {"base",   "core",    "forecast", "prices", "plan",       "engine", "runtime", "platform",
      "store",  "signals", "meter",    "local",  "kubernetes", "slurm",  "sim",     "sweep",
      "report", "config",  "service",  "web",    "audit",      "app"}},
    {"lib", {"base", "core", "platform", "signals", "meter", "local", "report", "app"}},
    {"train", {"base", "platform"}},
    {"testing", {"base", "core", "plan", "engine", "runtime"}},
};

// The parts of each room, and the parts that each of them may include besides itself. "" stands for
// the files of the room outside its parts. A room that is missing here has no parts.
const std::map<std::string, std::map<std::string, Rooms>> kParts{
    {"core", {{"", {}}, {"options", {""}}}},
    {"config", {{"", {"options"}}, {"options", {""}}}},  // sections of a file read runs' options
    {"plan",
     {{"", {"planner"}},  // make_policy.cc
      {"policies", {""}},
      {"problem", {""}},
      {"bound", {"", "problem"}},
      {"planner", {"", "problem", "bound"}},
      {"feasibility", {"", "problem", "planner"}}}},
    {"signals",
     {{"", {"http", "providers", "traces", "feeds", "weather", "markets"}},
      {"weather", {"", "http"}},  // make_feed.cc and its sources
      {"markets", {"", "http", "traces"}},
      {"http", {""}},
      {"generation", {"", "http"}},
      {"providers", {"", "http", "generation", "traces"}},
      {"traces", {}},
      {"feeds", {"", "http", "traces", "weather", "markets"}}}},
    {"meter",
     {{"", {"cpu", "gpu", "sharing"}},  // meters.cc
      {"cpu", {""}},
      {"gpu", {"", "cpu"}},
      {"sharing", {"", "cpu"}}}},
    {"report",
     {{"", {}},
      {"draw", {""}},
      {"run", {""}},
      {"compare", {"", "run", "draw"}},
      {"period", {"", "run", "draw"}},
      {"simulation", {"", "run", "draw"}},
      {"sweep", {""}}}},
    {"service",
     {{"", {"views", "accounting", "sweeps", "planning", "intake", "devices"}},
      {"views", {}},
      {"accounting", {"views"}},
      {"sweeps", {"views"}},
      {"planning", {"views"}},
      {"intake", {"views", "sweeps"}},
      {"devices", {"views", "intake"}}}},
    {"web",
     {{"answers", {}},
      {"requests", {"answers"}},
      {"notify", {}},
      {"metrics", {"notify"}},
      {"live", {"answers", "http"}},
      {"http", {"answers", "metrics"}},
      {"api", {"answers", "requests", "metrics", "live", "http"}}}},
    {"app",
     {{"", {"jobs", "run"}},
      {"options", {}},
      {"setup", {"options", "run", "jobs"}},
      {"agent", {}},
      {"cluster", {}},
      {"slurm", {"options", "run"}},
      {"run", {"options"}},
      {"jobs", {"options", "run"}},
      {"sweep", {"options", "run", "jobs"}}}},
    {"cli", {{"", {}}, {"commands", {""}}}},
    {"train",
     {{"", {"models", "language"}}, {"models", {""}}, {"text", {""}}, {"language", {"", "text"}}}},
};

// A third-party header by the beginning of its name, and the rooms that may include it.
const std::vector<std::pair<std::string, Rooms>> kThirdParty{
    {"torch/", {"train"}},
    {"ATen/", {"train"}},
    {"c10/", {"train"}},
    {"CLI/", {"cli", "train"}},
    {"pcre2.h", {"train"}},
    {"utf8proc.h", {"train"}},
    {"yaml-cpp/", {"config"}},
    {"curl/", {"platform"}},
    {"openssl/", {"platform", "web"}},
    {"zlib.h", {"platform"}},
    {"Eigen/", {"report"}},
    {"nlohmann/",
     {"app", "audit", "base", "cli", "kubernetes", "report", "signals", "trackers", "train",
      "web"}},
    {"lemon/", {"plan"}},
    {"sqlite3.h", {"store"}},
    {"date/", {"prices"}},
    {"httplib.h", {"web"}},
};
// The only third-party type in headers of Ebb: tl::expected, as ebb::Result.
const std::string kResultHeader = "base/result.h";
// These headers give access to a library's functions. Only files of their room may include them.
const std::set<std::string> kPrivateHeaders{"platform/libcrypto.h", "platform/libcurl.h"};

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
    {"store/database.cc", "makes the file with its mode before SQLite opens it"},
    {"store/job_numbers.cc", "overwrites its number in place, so that a full disk cannot stop it"},
    {"trackers/tensorboard.cc", "appends whole records and takes back half ones"},
    {"app/jobs/service_client.cc", "whose store it is, and whether its socket may be used"},
    {"app/run/local_rank.cc", "which processes started together: parent and user"},
    {"train/device_program.cc",
     "the driver and the compiler of the GPU, loaded when kernels are needed"},
    {"train/energy_counter.cc", "the vendor's library, loaded when it is asked for"},
    {"train/nccl_sum.cc", "the vendor's library, loaded when it is asked for"},
    {"train/progress.cc", "the width of the terminal it draws its bar on"},
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
    {"store/restore.cc", "when the store was restored"},
    {"trackers/background_tracker.cc", "how long a tracker may take"},
    {"train/energy_watch.cc", "when an energy counter moved"},
    {"train/evaluate.cc", "how long inferences took"},
    {"train/language/", "how fast it computes, when its metrics were written"},
    {"train/progress.cc", "samples in a second"},
    {"web/api/", "the time of an answer"},
    {"web/http/tls.cc", "how often the certificate's files are looked at"},
    {"web/notify/webhook.cc", "retries"},
    {"testing/", "what tests need"},
};

struct Include {
  std::string file;  // relative to src/
  int line = 0;
  std::string target;
};

bool IsTest(const std::string& file) {
  return file.find("_test.cc") != std::string::npos || file.find("_for_test.") != std::string::npos;
}

std::vector<Include> AllIncludes() {
  const fs::path root = fs::path(EBB_SOURCE_DIR) / "src";
  std::vector<Include> includes;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc") continue;
    std::ifstream stream(entry.path());
    std::string text;
    for (int line = 1; std::getline(stream, text); ++line) {
      if (!text.starts_with("#include ")) continue;
      const auto open = text.find_first_of("\"<");
      const auto close = text.find_first_of("\">", open + 1);
      includes.push_back({fs::relative(entry.path(), root).string(), line,
                          text.substr(open + 1, close - open - 1)});
    }
  }
  return includes;
}

std::string RoomOf(const std::string& path) { return path.substr(0, path.find('/')); }

// The part of a path: "policies" of "plan/policies/tiers.cc", "" of "plan/policy.h".
std::string PartOf(const std::string& path) {
  const auto first = path.find('/');
  const auto second = path.find('/', first + 1);
  return second == std::string::npos ? "" : path.substr(first + 1, second - first - 1);
}

using Reasons = std::vector<std::pair<std::string, std::string>>;

bool IsListed(const std::string& file, const Reasons& reasons) {
  return std::any_of(reasons.begin(), reasons.end(),
                     [&](const auto& reason) { return file.starts_with(reason.first); });
}

std::string TextOf(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The C++ files under a folder of the tree, as paths relative to the folder.
std::vector<std::string> SourcesUnder(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cc")
      files.push_back(fs::relative(entry.path(), folder).string());
  }
  return files;
}

std::string Where(const Include& include) {
  return "src/" + include.file + ":" + std::to_string(include.line) + " includes " + include.target;
}

TEST(Layering, EveryIncludeFollowsAnAllowedArrow) {
  const auto includes = AllIncludes();
  ASSERT_GT(includes.size(), 200u);
  for (const Include& include : includes) {
    const std::string from = RoomOf(include.file);
    ASSERT_TRUE(kAllowed.contains(from)) << "src/" << from << " is in no room of the table";
    const std::string to = RoomOf(include.target);
    if (!kAllowed.contains(to) || to == from) continue;
    if (to == "testing" && IsTest(include.file)) continue;
    EXPECT_TRUE(kAllowed.at(from).contains(to)) << Where(include);
  }
}

TEST(Layering, EveryIncludeInsideARoomFollowsAnArrowBetweenItsParts) {
  for (const Include& include : AllIncludes()) {
    const auto room = kParts.find(RoomOf(include.file));
    if (room == kParts.end() || RoomOf(include.target) != room->first) continue;
    if (IsTest(include.file) || include.file.ends_with("_fuzz.cc")) continue;
    const std::string from = PartOf(include.file), to = PartOf(include.target);
    ASSERT_TRUE(room->second.contains(from)) << Where(include);
    EXPECT_TRUE(from == to || room->second.at(from).contains(to)) << Where(include);
  }
}

// Each provider and each policy is one file, so adding one requires reading only one.
TEST(Layering, ProvidersAndPoliciesDoNotKnowEachOther) {
  int looked = 0;
  for (const Include& include : AllIncludes()) {
    if (IsTest(include.file)) continue;
    for (const std::string peers : {"signals/providers/", "plan/policies/"}) {
      if (!include.file.starts_with(peers) || !include.target.starts_with(peers)) continue;
      EXPECT_EQ(fs::path(include.file).stem(), fs::path(include.target).stem()) << Where(include);
      ++looked;
    }
  }
  EXPECT_GT(looked, 4);
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

// A comment begins with the thing that it is about: docs/VOICE.md, Comments in code.
TEST(Layering, CommentsBeginWithTheirSubject) {
  const std::regex riddle(R"(^\s*//[/!]?<? ?(Of|What|It|Its|They|Their|Them|Those)\b)");
  const std::regex any(R"(^\s*//)");
  int comments = 0;
  for (const char* folder : {"src", "tests", "bench"}) {
    const fs::path root = fs::path(EBB_SOURCE_DIR) / folder;
    for (const std::string& file : SourcesUnder(root)) {
      std::ifstream stream(root / file);
      int number = 0;
      bool inside = false;  // of a block of comments: only its first line begins something
      for (std::string line; std::getline(stream, line);) {
        ++number;
        const bool is_comment = std::regex_search(line, any);
        if (is_comment && !inside) {
          ++comments;
          EXPECT_FALSE(std::regex_search(line, riddle))
              << folder << "/" << file << ":" << number << ": " << line;
        }
        inside = is_comment;
      }
    }
  }
  EXPECT_GT(comments, 5000);
}

// A comment that names a file of the tree must name one that exists.
TEST(Layering, CommentsNameFilesThatExist) {
  const fs::path root = EBB_SOURCE_DIR;
  std::set<std::string> paths, names;
  for (const char* folder : {"src", "tests", "bench"})
    for (const std::string& file : SourcesUnder(root / folder)) {
      paths.insert(std::string(folder) + "/" + file);
      names.insert(fs::path(file).filename().string());
    }
  const std::regex named(R"(([A-Za-z0-9_./-]*[a-z0-9_]\.(?:h|cc))\b)");
  const std::regex foreign("^(tensorflow|torch|codecarbon)/|^rocm_smi\\.h$");
  int looked = 0;
  for (const std::string& path : paths) {
    std::ifstream stream(root / path);
    for (std::string line; std::getline(stream, line);) {
      const auto comment = line.find("//");
      if (comment == std::string::npos) continue;
      for (std::sregex_iterator found(line.begin() + static_cast<std::ptrdiff_t>(comment),
                                      line.end(), named);
           found != std::sregex_iterator(); ++found) {
        const std::string name = (*found)[1];
        if (std::regex_search(name, foreign)) continue;
        const std::string sibling = (fs::path(path).parent_path() / name).lexically_normal();
        EXPECT_TRUE(paths.contains(name) || paths.contains("src/" + name) ||
                    paths.contains(sibling) || names.contains(name))
            << path << " names " << name;
        ++looked;
      }
    }
  }
  EXPECT_GT(looked, 50);
}

// docs/HACKING.md tells people which files to touch.
TEST(Layering, TheMapNamesFilesThatExist) {
  const fs::path root = EBB_SOURCE_DIR;
  std::set<std::string> paths{"/CHANGELOG.md", "/CMakeLists.txt", "/README.md"};
  for (const char* folder : {"src", "tests", "bench", "docs", "deploy", "cmake", "python", "web"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      paths.insert("/" + fs::relative(entry.path(), root).string());
  const auto exists = [&](const std::string& name) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return path.ends_with("/" + name); });
  };
  const std::string map = TextOf(root / "docs/HACKING.md");
  const std::regex named("`([A-Za-z0-9_./-]*[A-Za-z0-9_]\\.(h|cc|py|js|json|yaml|yml|md|txt))`");
  int looked = 0;
  for (std::sregex_iterator found(map.begin(), map.end(), named); found != std::sregex_iterator();
       ++found) {
    const std::string name = (*found)[1];
    // These stand for any name.
    if (name == "_test.cc" || name.find("NAME") != std::string::npos) continue;
    EXPECT_TRUE(exists(name)) << "docs/HACKING.md names " << name;
    ++looked;
  }
  EXPECT_GT(looked, 200);
}

// The code that checks figures is not the code that computes them.
TEST(Layering, TheAuditHasItsOwnArithmetic) {
  for (const Include& include : AllIncludes()) {
    if (RoomOf(include.file) != "audit" || IsTest(include.file)) continue;
    for (const char* shared :
         {"core/accounting.h", "core/budget.h", "core/cost.h", "core/counterfactual.h",
          "core/ledger.h", "core/ledger_union.h", "core/run.h", "core/uncertainty.h"})
      EXPECT_NE(include.target, shared) << Where(include);
  }
}

TEST(Layering, ThirdPartyHeadersStayInTheirRoomsAndOutOfOurHeaders) {
  for (const Include& include : AllIncludes()) {
    for (const auto& [prefix, rooms] : kThirdParty) {
      if (!include.target.starts_with(prefix) || IsTest(include.file)) continue;
      EXPECT_TRUE(rooms.contains(RoomOf(include.file))) << Where(include);
      // Headers of src/train may use LibTorch tensors. All other headers include no third-party
      // header.
      const bool header = include.file.ends_with(".h");
      EXPECT_TRUE(!header || RoomOf(include.file) == "train" || include.file == kResultHeader ||
                  kPrivateHeaders.contains(include.file))
          << Where(include);
    }
    const bool is_private = kPrivateHeaders.contains(include.target);
    EXPECT_TRUE(!is_private || RoomOf(include.file) == RoomOf(include.target)) << Where(include);
  }
}

TEST(Layering, NoRoomIsEmpty) {
  for (const auto& [room, allowed] : kAllowed) {
    const fs::path path = fs::path(EBB_SOURCE_DIR) / "src" / room;
    ASSERT_TRUE(fs::is_directory(path)) << path;
    EXPECT_NE(fs::directory_iterator(path), fs::directory_iterator()) << path;
  }
}

// CTest runs the cases of one file side by side: two cases that write to the same name would fail
// sometimes.
TEST(Layering, TestsWriteWhereNoOtherDoes) {
  int looked = 0;
  for (const char* folder : {"src", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(EBB_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      // The test of the C++ API includes only ebb.hpp.
      if (!IsTest(name) || name == "layering_test.cc" || name == "library_cpp_test.cc") continue;
      std::ifstream stream(entry.path());
      const std::string text(std::istreambuf_iterator<char>(stream), {});
      for (const char* shared : {"TempDir()", "temp_directory_path", "mkdtemp", "\"/tmp/ebb"})
        EXPECT_EQ(text.find(shared), std::string::npos)
            << name << " names " << shared << ": use testing/scratch_directory.h";
      ++looked;
    }
  EXPECT_GT(looked, 200);
}

// Shipped files work on their own, because a user has only this checkout.
TEST(StandsAlone, NothingThatShipsNamesAFileOutsideTheCheckout) {
  const fs::path root = EBB_SOURCE_DIR;
  std::vector<fs::path> files{root / "README.md", root / "data" / "README.md"};
  for (const char* folder : {"configs", "deploy", "src", "python", "web"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && entry.path().extension() != ".gz")
        files.push_back(entry.path());
  ASSERT_GT(files.size(), 200u);
  for (const fs::path& path : files) {
    const std::string name = fs::relative(path, root).string();
    // The paths that tests look for; they skip if a path is missing.
    if (name == "src/testing/source_tree.cc") continue;
    std::ifstream stream(path);
    std::stringstream text;
    text << stream.rdbuf();
    for (const char* outside : {"shared/data", "../shared", "/root/"})
      EXPECT_EQ(text.str().find(outside), std::string::npos) << name << " names " << outside;
  }
}

TEST(StandsAlone, PathsInConfigurationsStayInTheCheckout) {
  const fs::path root = EBB_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(root / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const fs::path folder = fs::relative(entry.path().parent_path(), root);
    std::ifstream stream(entry.path());
    for (std::string word; stream >> word;) {
      if (!word.starts_with("../")) continue;
      const fs::path meant = (folder / word).lexically_normal();
      EXPECT_FALSE(meant.string().starts_with("..")) << entry.path() << " names " << word;
    }
  }
}

}  // namespace
}  // namespace ebb
