#include "audit/audit_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "audit/evidence/chains.h"
#include "audit/evidence/energy_files.h"
#include "audit/evidence/gate_decisions.h"
#include "audit/evidence/json_differences.h"
#include "audit/figures/expected_summary.h"
#include "audit/figures/run_figures.h"
#include "base/text.h"
#include "base/time.h"

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

// The path of a run directory is not compared, because the directory may be moved.
constexpr std::string_view kPlace = ".output_dir";
// Sentences for people are not compared, because they are made of figures that are.
constexpr std::array<std::string_view, 2> kSentences{".notices", ".text"};

bool IsWorthNaming(const std::string& field) {
  if (field.ends_with(kPlace)) return false;
  return std::none_of(kSentences.begin(), kSentences.end(),
                      [&](std::string_view end) { return field.ends_with(end); });
}

class RunAudit {
 public:
  RunAudit(RunFiles files, const RunAuditOptions& options)
      : files_(std::move(files)), options_(options) {
    audit_.subject = files_.directory.string();
  }

  Audit Take() {
    AddChains();
    Check figures;
    try {
      CheckFigures(told_of_ ? *told_of_ : files_, figures);
    } catch (const std::exception& error) {
      figures.Differ(std::string("the run cannot be read: ") + error.what());
    }
    figures.what = "figures computed again: " + std::to_string(compared_);
    audit_.checks.push_back(std::move(figures));
    DecisionFindings decisions = CheckDecisions(files_);
    audit_.checks.push_back(std::move(decisions.check));
    AddNotes(decisions.notes);
    AddEnergyFiles();
    return std::move(audit_);
  }

 private:
  void AddChains() {
    ChainFindings found = CheckChains(files_);
    const bool never_sealed =
        found.sealing == Sealing::kNeverYet || found.sealing == Sealing::kUnchained;
    if (options_.require_seal && never_sealed) found.check.Differ("the directory is not sealed");
    audit_.checks.push_back(std::move(found.check));
    audit_.heads = std::move(found.heads);
    told_of_ = std::move(found.as_sealed);
    AddNotes(found.notes);
  }
  // The directory of a run in a sweep is also the folder of its job, with the energy files.
  void AddEnergyFiles() {
    Check energy;
    const std::int64_t looked_at = CheckEnergyFiles(files_.directory, "the job", energy);
    if (looked_at == 0) return;
    energy.what = "energy files of attempts, line by line: " + std::to_string(looked_at);
    audit_.checks.push_back(std::move(energy));
  }
  void AddNotes(const std::vector<std::string>& notes) {
    audit_.notes.insert(audit_.notes.end(), notes.begin(), notes.end());
  }

  // The best start that the summary states. It is read only so that like is compared with like.
  static std::optional<Ms> ToldBestStart(std::string_view text) {
    const Json summary = Json::parse(text, nullptr, false);
    if (!summary.is_object()) return {};
    const auto best = summary.find("best_start_in_hindsight");
    if (best == summary.end() || !best->is_object() || !best->contains("start")) return {};
    const auto start = ParseTime(best->value("start", std::string()));
    return start ? std::optional(start->time_since_epoch().count()) : std::nullopt;
  }

  // Summaries of earlier versions say nothing of work.
  static void LeaveOutWork(std::string_view summary, RunFacts& facts) {
    const Json told = Json::parse(summary, nullptr, false);
    facts.summary_has_work = !told.is_object() || told.contains("work");
    if (!facts.summary_has_work) facts.work = {};
  }

  void CheckFigures(const RunFiles& files, Check& check) {
    RunFacts facts = ReadFacts(files, check);
    if (!files.Has("summary.json")) {
      audit_.notes.push_back("has no summary, so no figures could be compared");
      return;
    }
    const std::string_view summary = files.Text("summary.json");
    LeaveOutWork(summary, facts);
    const RunFigures figures = FiguresOf(files, facts, ToldBestStart(summary));
    grams_ = figures.sums.grams;
    CompareWith(summary, ExpectedSummary(files, facts, figures), "summary.json", check);
    for (const auto& [name, text] : files.texts)
      if (name.starts_with("summary_"))
        CompareWith(text, ExpectedNeo(files, facts, figures), name, check);
    if (!files.Has("emissions.csv")) return;
    const std::string row = ExpectedEmissionsRow(files, facts, figures);
    CompareWith(EmissionsRow(files.Text("emissions.csv"), row), row, "emissions.csv", check);
  }

  void CompareWith(std::string_view told, std::string_view computed, const std::string& name,
                   Check& check) {
    std::vector<std::string> more;
    compared_ += Compare(told, computed, name, check, more, grams_);
    for (std::string& field : more)
      if (IsWorthNaming(field)) audit_.not_computed.push_back(std::move(field));
  }

  RunFiles files_;
  std::optional<RunFiles> told_of_;  // the files that the summary was made from, if the run went on
                                     // after its last seal
  RunAuditOptions options_;
  Audit audit_;
  std::int64_t compared_ = 0;
  double grams_ = 0;
};

// A merged run's members are run directories, too.
Status AddMembers(const std::filesystem::path& directory, const RunAuditOptions& options,
                  Audit& audit) {
  std::vector<std::filesystem::path> members;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "members", code))
    if (entry.is_directory(code)) members.push_back(entry.path());
  std::sort(members.begin(), members.end());
  for (const auto& member : members) {
    EBB_ASSIGN_OR_RETURN(Audit one, AuditRun(member, options));
    for (Check& check : one.checks) {
      check.what = "member " + member.filename().string() + ": " + check.what;
      audit.checks.push_back(std::move(check));
    }
  }
  if (!members.empty())
    audit.notes.push_back(
        "how the members' rows were united is not computed again: the figures "
        "follow from the merged ledger");
  return {};
}

}  // namespace

Result<Audit> AuditRun(const std::filesystem::path& directory, const RunAuditOptions& options) {
  EBB_ASSIGN_OR_RETURN(RunFiles files, ReadRunFiles(directory));
  Audit audit = RunAudit(std::move(files), options).Take();
  EBB_RETURN_IF_ERROR(AddMembers(directory, options, audit));
  return audit;
}

}  // namespace ebb::audit
