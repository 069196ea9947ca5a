// Checks the layers of the tree: every include follows an allowed arrow, every third-party header
// is used in its rooms only, and no header of Ebb includes a third-party header.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "tree_for_test.h"

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
    {"sites", {"base", "core", "runtime", "platform", "meter", "local"}},
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
     {"base",  "core",    "forecast", "prices",  "plan",  "engine",     "runtime", "platform",
      "store", "signals", "meter",    "local",   "sites", "kubernetes", "slurm",   "sim",
      "sweep", "report",  "config",   "service", "web",   "audit",      "app"}},
    {"lib", {"base", "core", "platform", "signals", "meter", "local", "report", "app"}},
    {"train", {"base", "core", "platform", "meter"}},
    {"testing", {"base", "core", "plan", "engine", "runtime"}},
};

// The parts of each room, and the parts that each of them may include besides itself. "" stands for
// the files of the room outside its parts. A room that is missing here has no parts.
const std::map<std::string, std::map<std::string, Rooms>> kParts{
    {"core",
     {{"", {"signal", "devices", "ledger", "jobs"}},  // fields.h
      {"signal", {}},
      {"devices", {}},
      {"ledger", {"signal"}},
      {"jobs", {"signal", "devices", "ledger"}},
      {"run", {"", "signal", "devices", "ledger", "jobs"}},
      {"options", {"ledger", "jobs"}}}},
    {"sites",
     {{"files", {}},
      {"protocol", {"files"}},
      {"home", {"files", "protocol", "remote"}},
      {"remote", {"files", "protocol"}}}},
    {"slurm",
     {{"", {"client", "jobs", "site"}},  // slurm_executor.cc
      {"client", {}},
      {"jobs", {"client"}},
      {"site", {"client", "jobs"}}}},
    {"plan",
     {{"", {"planner"}},  // make_policy.cc
      {"policies", {""}},
      {"problem", {""}},
      {"bound", {"", "problem"}},
      {"planner", {"", "problem", "bound"}},
      {"feasibility", {"", "problem", "planner"}}}},
    {"signals",
     {{"", {"http", "providers", "traces", "feeds", "weather", "markets"}},
      {"weather", {"", "http", "traces"}},  // make_feed.cc and its sources
      {"markets", {"", "http", "traces"}},
      {"http", {""}},
      {"generation", {"", "http"}},
      {"providers", {"", "http", "generation", "traces"}},
      {"traces", {}},
      {"feeds", {"", "http", "traces", "weather", "markets"}}}},
    {"store",
     {{"", {"database", "accounts", "jobs", "upkeep"}},
      {"database", {}},
      {"accounts", {"database"}},
      {"jobs", {"database", "accounts"}},
      {"upkeep", {"database", "accounts", "jobs"}}}},
    {"meter",
     {{"", {"cpu", "gpu", "sharing"}},  // meters.cc
      {"cpu", {""}},
      {"gpu", {"", "cpu"}},
      {"sharing", {"", "cpu"}}}},
    {"local",
     {{"", {"files", "power", "process", "supervisor"}},
      {"readings", {}},
      {"files", {"readings"}},
      {"power", {"readings", "files"}},
      {"process", {"readings", "files", "power"}},
      {"supervisor", {"readings", "files", "power", "process"}}}},
    {"kubernetes",
     {{"",  // cluster_executor.cc
       {"api", "objects", "nodes", "devices", "gates", "policies", "reconciler", "dispatch",
        "admission"}},
      {"api", {}},
      {"objects", {"api"}},
      {"nodes", {"api", "objects"}},
      {"devices", {"api", "objects", "nodes"}},
      {"gates", {"api", "objects", "nodes", "devices"}},
      {"policies", {"api", "objects"}},
      {"reconciler", {"api", "objects", "nodes", "gates", "policies"}},
      {"dispatch", {"api", "objects"}},
      {"admission", {"api", "objects", "nodes", "gates", "reconciler", "dispatch"}}}},
    {"report",
     {{"", {}},
      {"draw", {""}},
      {"run", {""}},
      {"compare", {"", "run", "draw"}},
      {"period", {"", "run", "draw"}},
      {"impact", {"", "run", "period"}},
      {"simulation", {"", "run", "draw"}},
      {"sweep", {""}}}},
    {"audit", {{"", {"evidence", "figures"}}, {"evidence", {}}, {"figures", {"evidence"}}}},
    {"config",
     {{"", {"options", "yaml"}},
      {"yaml", {}},
      {"options", {"", "yaml", "run"}},
      {"prices", {"yaml"}},
      {"scenario", {"", "yaml", "options", "prices"}},
      {"run", {"", "yaml", "options"}},
      {"sweep", {"", "yaml", "run"}},
      {"cluster", {"", "yaml"}}}},
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
      {"clouds", {"options", "slurm"}},
      {"cluster", {}},
      {"slurm", {"options", "run"}},
      {"run", {"options"}},
      {"jobs", {"options", "run"}},
      {"sweep", {"options", "run", "jobs", "slurm"}}}},
    {"cli", {{"", {}}, {"top", {""}}, {"commands", {"", "top"}}}},
    {"train",
     {{"", {"options", "data", "devices", "files", "loop", "language"}},  // main.cc
      {"options", {}},
      {"devices", {"", "options"}},
      {"ranks", {"", "options"}},
      {"data", {"", "options", "devices"}},
      {"learning", {"", "options", "devices", "ranks", "data"}},
      {"files", {"", "options", "devices", "data", "learning"}},
      {"loop", {"", "options", "devices", "ranks", "data", "learning", "files"}},
      {"models", {""}},
      {"text", {}},
      {"language",
       {"", "options", "devices", "ranks", "data", "learning", "files", "loop", "text"}}}},
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
     {"app", "audit", "base", "cli", "kubernetes", "report", "signals", "slurm", "trackers",
      "train", "web"}},
    {"lemon/", {"plan"}},
    {"sqlite3.h", {"store"}},
    {"date/", {"prices"}},
    {"httplib.h", {"web"}},
};

// The only third-party type in headers of Ebb: tl::expected, as ebb::Result.
const std::string kResultHeader = "base/result.h";

// These headers give access to a library's functions. Only files of their room may include them.
const std::set<std::string> kPrivateHeaders{"platform/libcrypto.h", "platform/libcurl.h"};

// Helpers for sources that use the JSON library. No header may include them.
const std::set<std::string> kHeadersForSources{"report/json_parts.h"};

// The part of a path: "policies" of "plan/policies/tiers.cc", "" of "plan/policy.h".
std::string PartOf(const std::string& path) {
  const auto first = path.find('/');
  const auto second = path.find('/', first + 1);
  return second == std::string::npos ? "" : path.substr(first + 1, second - first - 1);
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
// The code that checks figures is not the code that computes them.
TEST(Layering, TheAuditHasItsOwnArithmetic) {
  for (const Include& include : AllIncludes()) {
    if (RoomOf(include.file) != "audit" || IsTest(include.file)) continue;
    for (const char* shared :
         {"core/run/accounting.h", "core/ledger/budget.h", "core/ledger/cost.h",
          "core/ledger/counterfactual.h", "core/ledger/ledger.h", "core/run/ledger_union.h",
          "core/run/run.h", "core/run/uncertainty.h"})
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
                  kPrivateHeaders.contains(include.file) ||
                  kHeadersForSources.contains(include.file))
          << Where(include);
    }
    EXPECT_TRUE(!kHeadersForSources.contains(include.target) || !include.file.ends_with(".h"))
        << Where(include);
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

}  // namespace
}  // namespace ebb
