#include "audit/audit_store.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "audit/evidence/energy_files.h"
#include "audit/evidence/json_differences.h"
#include "audit/figures/accounts.h"
#include "audit/figures/placed_job.h"
#include "audit/figures/uncertainty.h"
#include "base/text.h"
#include "local/files/attempt_files.h"
#include "local/files/job_folder.h"
#include "platform/digest_chain.h"
#include "platform/path_facts.h"

namespace ebb::audit {
namespace {

using core::JobId;
using store::Database;
using store::Row;

std::string JobText(JobId job) { return "job " + std::to_string(job); }

// A value in the form that it has in the record of a link (docs/store.md, Chains).
std::string IntegerText(const Row& row, int column) {
  return row.IsNull(column) ? "~" : std::to_string(row.Integer(column));
}
std::string NumberText(const Row& row, int column) {
  return row.IsNull(column) ? "~" : FormatExact(row.Number(column));
}
std::string TextText(const Row& row, int column) {
  if (row.IsNull(column)) return "~";
  const std::string_view text = row.Text(column);
  std::string record = std::to_string(text.size()) + ":";
  for (const char c : text) {
    if (c == '\\')
      record += "\\\\";
    else if (c == '\n')
      record += "\\n";
    else
      record += c;
  }
  return record;
}

// The record of a link from the columns that begin with `first`. `kinds` has one letter for each
// column: i, r or t.
std::string RecordText(const Row& row, int first, std::string_view kinds) {
  std::string record;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const int column = first + static_cast<int>(i);
    if (i > 0) record += ',';
    record += kinds[i] == 'i'   ? IntegerText(row, column)
              : kinds[i] == 'r' ? NumberText(row, column)
                                : TextText(row, column);
  }
  return record;
}

template <typename Words>
int IndexOf(const Words& words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? -1 : static_cast<int>(found - words.begin());
}

// The stored row of a job.
struct JobRow {
  JobId id = 0;
  Ms submitted = 0;
  std::int64_t microjoules = 0, without = 0, gpu_metered_uj = 0, gpu_metered_ms = 0;
  std::optional<double> grams;
  std::optional<std::int64_t> gpu;
  std::int64_t pruned = 0;
  std::string link;
  std::int64_t linked_from = 0;
  std::optional<double> settled_g, at_submission_g, half_width_g;
  std::string place_and_time;
};

struct Ledger {
  Rows rows;
  std::string link;
  std::int64_t rows_before_links = 0;
  std::optional<std::int64_t> gpu;
  std::int64_t gpu_metered_uj = 0, gpu_metered_ms = 0;
  std::string problem;
};

constexpr const char* kLedgerColumns =
    "SELECT job, attempt, device, component, source, wall_begin_ms, wall_end_ms, grid_begin_ms,"
    " grid_end_ms, energy_uj, pue, intensity_g_per_kwh, intensity_status, signal_kind,"
    " intensity_source, other_intensity_g_per_kwh, other_status, other_kind, shared, number FROM "
    "ledger"
    " WHERE job = ? ORDER BY number";
constexpr std::string_view kLedgerKinds = "iitttiiiiirrtttrtti";

void Take(const Row& stored, const JobRow& job, Ledger& ledger) {
  if (job.link.empty() || stored.Integer(19) < job.linked_from)
    ++ledger.rows_before_links;
  else
    ledger.link = platform::NextLink(ledger.link, RecordText(stored, 0, kLedgerKinds));
  audit::Row row;
  row.attempt = static_cast<int>(stored.Integer(1));
  row.component = IndexOf(kComponents, stored.Text(3));
  row.source = IndexOf(kSources, stored.Text(4));
  row.wall = {stored.Integer(5), stored.Integer(6)};
  row.grid = {stored.Integer(7), stored.Integer(8)};
  row.microjoules = stored.Integer(9);
  row.pue = stored.Number(10);
  if (!stored.IsNull(11)) row.g_per_kwh = stored.Number(11);
  row.status = IndexOf(kStatuses, stored.Text(12));
  row.shared = stored.Integer(18) != 0;
  if (row.component < 0 || row.source < 0 || row.status < 0) {
    ledger.problem = "row " + std::to_string(stored.Integer(19)) + " has an unknown word";
    return;
  }
  ledger.rows.push_back(row);
  if (std::string_view(kComponents[static_cast<std::size_t>(row.component)]) != "gpu") return;
  ledger.gpu = ledger.gpu.value_or(0) + row.microjoules;
  if (std::string_view(kSources[static_cast<std::size_t>(row.source)]) == "model") return;
  ledger.gpu_metered_uj += row.microjoules;
  ledger.gpu_metered_ms += row.wall.length();
}

class StoreAudit {
 public:
  StoreAudit(Database& database, const StoreAuditOptions& options)
      : database_(database), options_(options) {}

  Result<Audit> Take() {
    audit_.subject = database_.path().string();
    if (options_.job) audit_.subject += ", " + JobText(*options_.job);
    EBB_RETURN_IF_ERROR(database_.Run("BEGIN"));  // one snapshot for the whole audit
    const Status read = CheckAll();
    std::ignore = database_.Run("COMMIT");
    if (!read) return Fail(read.error());
    EBB_RETURN_IF_ERROR(AddDecisions());
    return std::move(audit_);
  }

 private:
  Status CheckAll() {
    EBB_RETURN_IF_ERROR(CheckJobs());
    return options_.job ? Status() : CheckJournal();
  }

  Status CheckJobs() {
    std::vector<JobRow> jobs;
    EBB_RETURN_IF_ERROR(database_.Query(
        "SELECT id, submitted_ms, energy_uj, energy_without_intensity_uj, gpu_metered_uj,"
        " gpu_metered_ms, jobs.emissions_g, gpu_energy_uj, pruned, coalesce(ledger_link, ''),"
        " coalesce(ledger_linked_from, 0), settled_g, at_submission_g, saving_half_width_g,"
        " coalesce(place_and_time, '') FROM jobs"
        " LEFT JOIN first_come ON first_come.job = jobs.id WHERE ?1 IS NULL OR id = ?1 ORDER BY id",
        {options_.job ? store::Value{*options_.job} : store::Value{}},
        [&](const Row& row) -> Status {
          jobs.push_back(JobFrom(row));
          return {};
        }));
    if (options_.job && jobs.empty())
      return Fail({ExitCode::kUsage, "is not known", JobText(*options_.job),
                   "ebb queue --all lists the jobs"});
    for (const JobRow& job : jobs) EBB_RETURN_IF_ERROR(CheckJob(job));
    chains_.what = "ledgers: " + std::to_string(chained_rows_) + " rows of " +
                   std::to_string(jobs.size()) + " jobs, chained";
    figures_.what = "figures of jobs computed again: " + std::to_string(compared_);
    audit_.checks.push_back(std::move(chains_));
    audit_.checks.push_back(std::move(figures_));
    energy_.what = "energy files of attempts, line by line: " + std::to_string(energy_files_);
    audit_.checks.push_back(std::move(energy_));
    if (!options_.job) audit_.heads.push_back({"heads of all ledgers", all_ledgers_});
    TellWhatIsLeftOut();
    return {};
  }

  static JobRow JobFrom(const Row& row) {
    JobRow job;
    job.id = row.Integer(0);
    job.submitted = row.Integer(1);
    job.microjoules = row.Integer(2);
    job.without = row.Integer(3);
    job.gpu_metered_uj = row.Integer(4);
    job.gpu_metered_ms = row.Integer(5);
    if (!row.IsNull(6)) job.grams = row.Number(6);
    if (!row.IsNull(7)) job.gpu = row.Integer(7);
    job.pruned = row.Integer(8);
    job.link = row.Text(9);
    job.linked_from = row.Integer(10);
    if (!row.IsNull(11)) job.settled_g = row.Number(11);
    if (!row.IsNull(12)) job.at_submission_g = row.Number(12);
    if (!row.IsNull(13)) job.half_width_g = row.Number(13);
    job.place_and_time = row.Text(14);
    return job;
  }

  Status CheckJob(const JobRow& job) {
    if (!job.link.empty() && options_.job) audit_.heads.push_back({JobText(job.id), job.link});
    if (!job.link.empty())
      all_ledgers_ = platform::NextLink(all_ledgers_, std::to_string(job.id) + "," + job.link);
    CheckFolder(job);
    if (job.pruned > 0) {
      ++pruned_;
      return {};
    }
    Ledger ledger;
    ledger.link = "ledger of job " + std::to_string(job.id);
    EBB_RETURN_IF_ERROR(database_.Query(kLedgerColumns, {job.id}, [&](const Row& row) -> Status {
      audit::Take(row, job, ledger);
      return {};
    }));
    if (!ledger.problem.empty()) chains_.Differ(JobText(job.id) + ": " + ledger.problem);
    const auto chained = static_cast<std::int64_t>(ledger.rows.size()) - ledger.rows_before_links;
    chained_rows_ += chained;
    before_links_ += ledger.rows_before_links;
    if (!job.link.empty() && ledger.link != job.link)
      chains_.Differ(JobText(job.id) +
                     ": its ledger is not what was written: a row was changed, taken out or added");
    CheckSums(job, ledger);
    return CheckSettlements(job, ledger.rows);
  }

  std::filesystem::path FolderOf(const JobRow& job) const {
    return platform::AbsolutePath(database_.path()).parent_path() / "jobs" / std::to_string(job.id);
  }

  // The folder is checked only if it belongs to this store: two stores in one directory share the
  // folders of jobs.
  void CheckFolder(const JobRow& job) {
    const auto store = platform::AbsolutePath(database_.path());
    const auto folder = FolderOf(job);
    if (platform::IsDirectory(folder) && local::MayBelongTo(folder, store))
      energy_files_ += CheckEnergyFiles(folder, JobText(job.id), energy_);
  }

  void CheckSums(const JobRow& job, const Ledger& ledger) {
    const Sums sums = SumsOf(ledger.rows);
    Same(job, "energy_uj", job.microjoules, sums.microjoules);
    Same(job, "energy_without_intensity_uj", job.without, sums.without);
    Same(job, "gpu_energy_uj", job.gpu.value_or(0), ledger.gpu.value_or(0));
    Same(job, "gpu_metered_uj", job.gpu_metered_uj, ledger.gpu_metered_uj);
    Same(job, "gpu_metered_ms", job.gpu_metered_ms, ledger.gpu_metered_ms);
    const bool any_known =
        sums.microjoules > sums.without ||
        std::any_of(ledger.rows.begin(), ledger.rows.end(),
                    [](const audit::Row& row) { return row.g_per_kwh.has_value(); });
    Same(job, "emissions_g", job.grams, any_known ? std::optional(sums.grams) : std::nullopt);
  }

  // Computes the settled figures again from the newest signals that the job was settled on.
  Status CheckSettlements(const JobRow& job, const Rows& rows) {
    std::string link = "settlements of job " + std::to_string(job.id), home, sites;
    bool any = false;
    EBB_RETURN_IF_ERROR(database_.Query(
        "SELECT asked_ms, signal, sites, link, number FROM settlements WHERE job = ? ORDER BY"
        " number",
        {job.id}, [&](const Row& row) -> Status {
          any = true;
          home = row.Text(1);
          sites = row.IsNull(2) ? "" : std::string(row.Text(2));
          if (platform::NextLink(link, RecordText(row, 0, sites.empty() ? "it" : "itt")) !=
              row.Text(3))
            chains_.Differ(JobText(job.id) + ": settlement " + std::to_string(row.Integer(4)) +
                           " is not what was written");
          link = row.Text(3);
          return {};
        }));
    if (!any && !job.place_and_time.empty())
      chains_.Differ(JobText(job.id) + ": its settlement is missing");
    if (!any || rows.empty()) {
      if (job.settled_g || job.at_submission_g)
        ++(RanElsewhere(job) ? settled_elsewhere_ : without_settlement_);
      return {};
    }
    const auto published = SettledSteps(home);
    const auto placed =
        published && !sites.empty() ? ReadPlacedJob(sites, *published) : std::nullopt;
    if (!published || (!placed && !sites.empty())) {
      chains_.Differ(JobText(job.id) + ": its settlement cannot be read");
      return {};
    }
    const SettledRows settled = placed ? SettledAtSites(*placed, rows, job.submitted)
                                       : SettledOneSite(rows, job.submitted, *published);
    CheckSettled(job, settled);
    if (placed) CheckPlaces(job, *placed, rows, settled);
    return {};
  }

  void CheckSettled(const JobRow& job, const SettledRows& settled) {
    const auto emitted = KnownGrams(settled.actual), at_submission = KnownGrams(settled.moved);
    Same(job, "settled_g", job.settled_g, emitted);
    Same(job, "at_submission_g", job.at_submission_g, at_submission);
    // The scope of a job is its process tree, not the whole machine.
    Same(job, "saving_half_width_g", job.half_width_g,
         emitted && at_submission
             ? std::optional(HalfWidthOfSaving(settled.moved, settled.actual, false))
             : std::nullopt,
         std::max(kSmallest, kToleranceOfDifference * emitted.value_or(0)));
  }

  void CheckPlaces(const JobRow& job, const PlacedJob& placed, const Rows& rows,
                   const SettledRows& settled) {
    if (job.place_and_time != placed.figures)
      figures_.Differ(JobText(job.id) +
                      ": its figures at other places are not those of its settlement");
    const std::string problem =
        ComparePlaces(placed, rows, job.submitted, settled,
                      [&](const char* name, std::optional<double> told,
                          std::optional<double> computed) { Same(job, name, told, computed); });
    if (!problem.empty()) figures_.Differ(JobText(job.id) + ": " + problem);
  }

  // Whether an attempt of the job ran at another site, by the plans in its folder.
  bool RanElsewhere(const JobRow& job) const {
    const auto folder = FolderOf(job);
    for (int attempt = local::LastAttempt(folder); attempt > 0; --attempt) {
      const auto plan = local::ReadPlan(local::AttemptPaths{folder, attempt}.plan());
      if (plan && plan->place) return true;
    }
    return false;
  }

  void Same(const JobRow& job, const char* what, std::int64_t told, std::int64_t computed) {
    ++compared_;
    if (told != computed)
      figures_.Differ(JobText(job.id) + ": " + what + " is stored as " + std::to_string(told) +
                      ", computed " + std::to_string(computed));
  }
  void Same(const JobRow& job, const char* what, std::optional<double> told,
            std::optional<double> computed, double floor = kSmallest) {
    ++compared_;
    const auto text = [](std::optional<double> value) {
      return value ? FormatExact(*value) : std::string("unknown");
    };
    if (told.has_value() != computed.has_value() || (told && !AreAlike(*told, *computed, floor)))
      figures_.Differ(JobText(job.id) + ": " + what + " is stored as " + text(told) +
                      ", computed " + text(computed));
  }

  void TellWhatIsLeftOut() {
    const auto note = [&](std::int64_t count, const char* what) {
      if (count > 0) audit_.notes.push_back(std::to_string(count) + what);
    };
    note(pruned_,
         " jobs have no ledger any more (docs/store.md, retention): their sums stand alone");
    note(before_links_, " rows were written before Ebb chained its ledgers");
    note(without_settlement_,
         " jobs were settled before Ebb kept what on: their settled grams are not computed again");
    note(settled_elsewhere_,
         " jobs ran at other sites too, and were settled before Ebb kept the signals of all zones: "
         "their rows are checked, but not their settled grams and savings");
    audit_.not_computed.emplace_back("grams under first come, first served");
    audit_.not_computed.emplace_back("sums over jobs that the view has forgotten");
  }

  Result<std::string> Meta(const char* key) {
    std::string value;
    EBB_RETURN_IF_ERROR(database_.Query("SELECT value FROM meta WHERE key = ?", {std::string(key)},
                                        [&](const Row& row) -> Status {
                                          value = row.Text(0);
                                          return {};
                                        }));
    return value;
  }

  Status CheckJournal() {
    Check check;
    EBB_ASSIGN_OR_RETURN(const std::string head, Meta("journal_link"));
    EBB_ASSIGN_OR_RETURN(const std::string before, Meta("journal_link_before"));
    std::string link = before.empty() ? "journal" : before, last_decision;
    std::int64_t records = 0, unlinked = 0;
    bool linked = !before.empty();
    EBB_RETURN_IF_ERROR(database_.Query(
        "SELECT seq, at_ms, kind, line, link FROM journal ORDER BY seq", {},
        [&](const Row& row) -> Status {
          const std::string where = "record " + std::to_string(row.Integer(0));
          if (row.IsNull(4)) {
            ++unlinked;
            if (linked) check.Differ(where + " has no link");
            return {};
          }
          linked = true;
          ++records;
          if (platform::NextLink(link, RecordText(row, 0, "iitt")) != row.Text(4))
            check.Differ(where + " is not what was written, or the one before it is not");
          link = row.Text(4);
          if (row.Text(2) == "decision") last_decision = link;
          return {};
        }));
    if (!head.empty() && head != last_decision && (before.empty() || !last_decision.empty()))
      check.Differ("the journal ends before the decision that it was last told to end with");
    if (head.empty() && !last_decision.empty())
      check.Differ("the head of the journal's chain is missing");
    if (unlinked > 0)
      audit_.notes.push_back(std::to_string(unlinked) +
                             " records were written before Ebb chained the journal");
    if (!head.empty()) audit_.heads.push_back({"journal", head});
    check.what = "journal: " + std::to_string(records) + " records, chained";
    audit_.checks.push_back(std::move(check));
    return {};
  }

  Status AddDecisions() {
    if (options_.job) {
      audit_.notes.emplace_back(
          "decisions are made again for the store as a whole: leave --job out");
      return {};
    }
    EBB_ASSIGN_OR_RETURN(const auto results, store::CheckStore(database_, options_.check));
    for (const store::CheckResult& result : results) {
      Check check;
      check.what = result.what;
      for (const std::string& problem : result.problems) check.Differ(problem);
      audit_.checks.push_back(std::move(check));
    }
    if (!options_.check.make_engine)
      audit_.notes.emplace_back(
          "decisions were not made again: the store does not name its policy");
    return {};
  }

  Database& database_;
  const StoreAuditOptions& options_;
  Audit audit_;
  Check chains_, figures_, energy_;
  std::string all_ledgers_ = "ledgers";  // the link over the heads of all jobs' ledgers
  std::int64_t energy_files_ = 0;
  std::int64_t chained_rows_ = 0, before_links_ = 0, compared_ = 0, pruned_ = 0,
               without_settlement_ = 0, settled_elsewhere_ = 0;
};

}  // namespace

Result<Audit> AuditStore(Database& database, const StoreAuditOptions& options) {
  return StoreAudit(database, options).Take();
}

}  // namespace ebb::audit
