// Laws of ebb audit on random run directories: the audit agrees with directories as Ebb writes
// them, and finds a figure that is changed by a millionth, a byte that is changed anywhere, and a
// line that is cut off.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "audit/audit_run.h"
#include "audit/evidence/json_differences.h"
#include "audit_for_test.h"
#include "base/text.h"
#include "platform/file.h"
#include "random_run.h"
#include "report/run/merged_run.h"
#include "report/run/run_directory.h"
#include "report/run/seal.h"
#include "testing/scratch_directory.h"

namespace ebb {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

fs::path RandomRunIn(const fs::path& scratch, std::uint64_t seed, int most_rows = 100) {
  Random random(SeedFor(13, seed));
  const fs::path path = scratch / std::to_string(seed);
  const Status written = WriteRandomRun(path, random, {most_rows});
  EXPECT_TRUE(written) << written.error().Message();
  return path;
}

audit::Audit Audited(const fs::path& path) {
  auto audit = audit::AuditRun(path);
  EXPECT_TRUE(audit) << audit.error().Message();
  return *std::move(audit);
}

std::string Text(const fs::path& file) { return *platform::ReadFile(file); }
void Write(const fs::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

TEST(AuditRun, WhatEbbWritesAgrees) {
  const fs::path scratch = ScratchDirectory("audit");
  std::size_t decisions = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const fs::path path = RandomRunIn(scratch, seed, seed % 10 == 0 ? 3000 : 150);
    const audit::Audit audit = Audited(path);
    EXPECT_TRUE(audit.agrees()) << path << "\n" << Join(Differences(audit), "\n");
    const audit::Check& made_again = audit.checks.back();
    EXPECT_THAT(made_again.what, HasSubstr("decisions of the gate made again: "));
    decisions += static_cast<std::size_t>(
        *ParseInteger(made_again.what.substr(made_again.what.rfind(' ') + 1)));
    fs::remove_all(path);
  }
  EXPECT_GT(decisions, 200u);
}

// Visits every number in the summaries, one at a time, without the seal. A saving is a difference
// of grams. If it is small beside those grams, a millionth of it is a rounding error.
void ForEachNumber(Json& json, const std::string& where, double grams,
                   const std::function<void(Json&, const std::string&)>& take) {
  if (json.is_structured()) {
    const bool is_saving = json.is_object() && json.value("figure", "") == "saving_g";
    for (auto& [key, value] : json.items())
      ForEachNumber(value, where + (is_saving ? ".saving_g" : "") + "." + key, grams, take);
  } else if (json.is_number()) {
    const bool is_percent = where.ends_with("saving_percent");
    const double operands = is_percent ? 100 : where.find(".saving") != where.npos ? grams : 0;
    if (std::abs(json.get<double>()) > std::max(1e-11, 1e-2 * operands)) take(json, where);
  }
}

TEST(AuditRun, AFigureChangedByAMillionthIsFound) {
  const fs::path scratch = ScratchDirectory("audit");
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const fs::path path = RandomRunIn(scratch, seed);
    fs::remove(path / "seals.jsonl");
    for (const auto& entry : fs::directory_iterator(path)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with("summary")) continue;
      const std::string before = Text(entry.path());
      Json summary = Json::parse(before);
      const double grams = Json::parse(Text(path / report::kSummaryFile)).value("emissions_g", 0.0);
      ForEachNumber(summary, name, grams, [&](Json& number, const std::string& where) {
        const Json was = number;
        number = was.get<double>() * (1 + 1e-6);
        Write(entry.path(), summary.dump());
        EXPECT_THAT(Differences(Audited(path)),
                    Contains(HasSubstr("the file says " + number.dump())))
            << where;
        number = was;
        ++changed;
      });
      Write(entry.path(), before);
    }
  }
  EXPECT_GT(changed, 500);
}

// A difference that rounding explains does not count; a larger one does.
TEST(AuditRun, ASavingIsHeldAgainstWhatItIsADifferenceOf) {
  const auto differences = [](const char* told, const char* computed, double grams) {
    audit::Check check;
    std::vector<std::string> more;
    audit::Compare(told, computed, "summary", check, more, grams);
    return check.count;
  };
  EXPECT_EQ(differences(R"({"saving_percent":-1.4e-8})", R"({"saving_percent":1e-13})", 1), 0);
  EXPECT_EQ(differences(R"({"saving_percent":1e-6})", R"({"saving_percent":0})", 1), 1);
  EXPECT_EQ(differences(R"({"b":{"saving_g":1e-9}})", R"({"b":{"saving_g":0}})", 1000), 0);
  EXPECT_EQ(differences(R"({"b":{"saving_g":1e-8}})", R"({"b":{"saving_g":0}})", 1), 1);
  EXPECT_EQ(differences(R"([{"figure":"saving_g","low":1e-9}])",
                        R"([{"figure":"saving_g","low":0}])", 1000),
            0);
  EXPECT_EQ(differences(R"({"emissions_g":1e-9})", R"({"emissions_g":0})", 1000), 1);
  EXPECT_EQ(differences(R"({"same_energy_at_submission":9,"saving":1e-7})",
                        R"({"same_energy_at_submission":9,"saving":0})", 1000),
            1);
}

TEST(AuditRun, AByteChangedAnywhereIsFound) {
  const fs::path scratch = ScratchDirectory("audit");
  Random random(5);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const fs::path path = RandomRunIn(scratch, seed, 60);
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      // The lock file holds the pid of the last writer, which is not a figure.
      if (entry.is_regular_file() && entry.file_size() > 0 &&
          entry.path().filename() != report::kLockFile)
        files.push_back(entry.path());
    for (int i = 0; i < 30; ++i) {
      const fs::path& file = files[random.Below(files.size())];
      const std::string before = Text(file);
      std::string text = before;
      const std::size_t at = random.Below(text.size());
      text[at] = static_cast<char>(text[at] ^ static_cast<char>(1 + random.Below(255)));
      Write(file, text);
      EXPECT_FALSE(Audited(path).agrees()) << file << ", byte " << at;
      Write(file, before);
    }
    EXPECT_TRUE(Audited(path).agrees());
  }
}

TEST(AuditRun, LinesThatAreCutOffPutInOrSwappedAreFound) {
  const fs::path path = RandomRunIn(ScratchDirectory("audit"), 3);
  const fs::path file = path / report::kLedgerFile;
  const std::string before = Text(file);
  const auto lines = Split(before, '\n');
  ASSERT_GT(lines.size(), 5u);
  const auto with = [&](const std::vector<std::size_t>& order) {
    std::string text;
    for (const std::size_t i : order) (text += lines[i]) += '\n';
    Write(file, text);
    return Audited(path);
  };
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) all.push_back(i);
  EXPECT_TRUE(with(all).agrees());
  auto order = all;
  order.pop_back();
  EXPECT_THAT(Differences(with(order)), Contains(HasSubstr("has fewer or other lines than seal")));
  order = all;
  std::swap(order[1], order[2]);
  EXPECT_THAT(Differences(with(order)), Contains(HasSubstr("ledger.jsonl:2: is not what was")));
  order = all;
  order.erase(order.begin());
  EXPECT_FALSE(with(order).agrees());
  order = all;
  order.push_back(all.back());
  EXPECT_THAT(Differences(with(order)), Contains(HasSubstr("is not what was written there")));
}

TEST(AuditRun, AResumeContinuesChainsAndIsSealedAgain) {
  const fs::path path = RandomRunIn(ScratchDirectory("audit"), 4);
  const core::RunRecord run = *report::ReadRun(path);
  // A kill has cut off the last row.
  std::ofstream(path / report::kLedgerFile, std::ios::app) << R"({"attempt":9,"dev)";
  {
    auto directory = report::RunDirectory::Open(path);
    ASSERT_TRUE(directory) << directory.error().Message();
    ASSERT_TRUE(directory->AppendRow(run.ledger.back()));
  }
  const audit::Audit audit = Audited(path);
  EXPECT_THAT(audit.notes, Contains(HasSubstr("lines were added after the last seal")));
  // The summary was written before that row and is compared with the rows before it.
  EXPECT_TRUE(audit.agrees()) << Join(Differences(audit), "\n");
  const std::string summary = Text(path / report::kSummaryFile);
  std::string changed = summary;
  changed.insert(changed.size() - 2, " ");
  Write(path / report::kSummaryFile, changed);
  EXPECT_THAT(Differences(Audited(path)), Contains(HasSubstr("summary.json: is not as it was")));
  Write(path / report::kSummaryFile, summary);
  ASSERT_TRUE(report::SealRun(path, run.spec.created_wall));
  EXPECT_EQ(Audited(path).checks.front().count, 0);
  EXPECT_GT(Audited(path).checks[1].count, 0);  // the seal covers a summary that does not fit
  EXPECT_GE(Split(Text(path / report::kSealsFile), '\n').size(), 3u);
}

TEST(AuditRun, ALastByteThatWasAlteredIsNoHalfWrittenLine) {
  const fs::path path = RandomRunIn(ScratchDirectory("audit"), 4);
  ASSERT_TRUE(report::SealRun(path, {}));
  for (const char* name : {report::kLedgerFile, report::kSealsFile}) {
    const std::string before = Text(path / name);
    std::string text = before;
    text.back() = 'x';
    Write(path / name, text);
    EXPECT_THAT(Differences(Audited(path)), Contains(HasSubstr("does not end as it was written")));
    Write(path / name, before);
  }
  EXPECT_TRUE(Audited(path).agrees());
}

// Leaves the directory as an Ebb without digest chains would have written it.
void TakeChainsOff(const fs::path& path) {
  fs::remove(path / report::kSealsFile);
  fs::remove(path / report::kGateInputsFile);
  for (const char* name : report::kChainedFiles) {
    if (!fs::exists(path / name)) continue;
    const std::string before = Text(path / name);
    std::string text;
    for (const std::string_view line : Split(before, '\n'))
      if (!line.empty()) text += std::string(line.substr(0, line.rfind(",\"chain\""))) + "}\n";
    Write(path / name, text);
  }
}

TEST(AuditRun, ADirectoryFromBeforeTheChainsIsComputedAgainAndSaysSo) {
  const fs::path path = RandomRunIn(ScratchDirectory("audit"), 5);
  TakeChainsOff(path);
  const audit::Audit audit = Audited(path);
  EXPECT_TRUE(audit.agrees()) << Join(Differences(audit), "\n");
  EXPECT_THAT(audit.notes, Contains(HasSubstr("not sealed")));
  EXPECT_FALSE(audit::AuditRun(path, {true})->agrees());
  // The run is continued: the first link covers the rows that were there before.
  {
    auto directory = report::RunDirectory::Open(path);
    ASSERT_TRUE(directory->AppendRow(report::ReadRun(path)->ledger.back()));
  }
  ASSERT_TRUE(report::SealRun(path, {}));
  EXPECT_EQ(Audited(path).checks.front().count, 0);
  std::string text = Text(path / report::kLedgerFile);
  text[12] = text[12] == '1' ? '2' : '1';
  Write(path / report::kLedgerFile, text);
  EXPECT_THAT(Differences(Audited(path)), Contains(HasSubstr("is not what was written there")));
}

TEST(AuditRun, ADecisionThatWasAlteredIsMadeAgainDifferently) {
  const fs::path scratch = ScratchDirectory("audit");
  int altered = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const fs::path path = RandomRunIn(scratch, seed);
    TakeChainsOff(path);
    const fs::path again = RandomRunIn(scratch / "again", seed);
    fs::copy_file(again / report::kGateInputsFile, path / report::kGateInputsFile);
    std::string text = Text(path / report::kDecisionsFile);
    const auto at = text.find("\"rule\":\"above_threshold\"");
    if (at == std::string::npos) continue;
    text.replace(at, 24, "\"rule\":\"below_threshold\"");
    Write(path / report::kDecisionsFile, text);
    EXPECT_THAT(Differences(Audited(path)),
                Contains(HasSubstr(
                    ".rule: the file says \"below_threshold\", computed \"above_threshold\"")));
    ++altered;
  }
  EXPECT_GT(altered, 0);
}

TEST(AuditRun, AMergedRunAndItsMembersAgree) {
  const fs::path scratch = ScratchDirectory("audit");
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const fs::path path = RandomRunIn(scratch, seed), copy = path.string() + "-copy";
    fs::copy(path, copy, fs::copy_options::recursive);
    const auto merged = report::MergeRuns({path, copy}, "");
    ASSERT_TRUE(merged) << merged.error().Message();
    const fs::path whole = path.string() + "-whole";
    ASSERT_TRUE(report::WriteMergedRun(whole, *merged));
    ASSERT_TRUE(SumUpRun(whole, merged->record.spec.created_wall));
    const audit::Audit audit = Audited(whole);
    EXPECT_TRUE(audit.agrees()) << Join(Differences(audit), "\n");
    EXPECT_GT(audit.checks.size(), 3u);
  }
}

TEST(AuditRun, DamagedFilesAreDifferencesAndNoCrash) {
  const fs::path scratch = ScratchDirectory("audit");
  for (const char* name : {"run.json", "summary.json", "signal.csv", "attempts.jsonl",
                           "gate_inputs.jsonl", "seals.jsonl", "emissions.csv"}) {
    const fs::path path = RandomRunIn(scratch / name, 7);
    for (const char* text : {"", "{}", "[]", "null", "{\"a\":", "x\ny\n", "{}\n{}\n"}) {
      Write(path / name, text);
      EXPECT_FALSE(Audited(path).agrees()) << name << ": " << text;
    }
  }
  EXPECT_FALSE(audit::AuditRun(scratch / "nothing"));
}

}  // namespace
}  // namespace ebb
