#include "cli/audit_sweep.h"

#include <algorithm>

#include "cli/flag_values.h"
#include "cli/sweep_engine.h"
#include "cli/sweep_stored.h"
#include "engine/journal_json.h"
#include "store/journal_file.h"

namespace ebb::cli {
namespace {

Time BeginOf(const std::vector<runtime::JournalRecord>& records) {
  for (const auto& record : records)
    if (const auto* event = std::get_if<engine::Event>(&record)) return event->at;
  return {};
}

}  // namespace

bool HoldsSweep(const std::filesystem::path& directory) {
  const SweepPaths paths{directory};
  std::error_code code;
  return std::filesystem::exists(paths.sweep_file(), code) &&
         std::filesystem::exists(paths.journal(), code);
}

Result<audit::Audit> AuditSweep(const std::filesystem::path& directory) {
  const SweepPaths paths{directory};
  EBB_ASSIGN_OR_RETURN(const SweepRunRequest request, WithStoredFlags({}, paths));
  RunOptions options;
  EBB_RETURN_IF_ERROR(ApplyFlags(request.flags, options));
  audit::Audit audit;
  audit.subject = directory.string() + ", its decisions";
  audit::Check check;
  const auto records = store::ReadJournal(paths.journal());
  if (records) {
    EBB_ASSIGN_OR_RETURN(
        const SweepEngine made,
        MakeSweepEngine(request.policy, options.scheduler.prices,
                        options.scheduler.clock.start.value_or(BeginOf(*records))));
    const auto decisions =
        std::count_if(records->begin(), records->end(), [](const runtime::JournalRecord& record) {
          return std::holds_alternative<engine::Decision>(record);
        });
    check.what = "decisions of the sweep made again: " + std::to_string(decisions);
    if (const Status replayed = engine::Replay(*records, *made.engine); !replayed)
      check.Differ("journal.jsonl: " + replayed.error().Message());
  } else {
    check.what = "decisions of the sweep made again: 0";
    check.Differ(records.error().Message());
  }
  audit.checks.push_back(std::move(check));
  audit.notes.emplace_back("journal.jsonl and machine.jsonl are not chained");
  return audit;
}

}  // namespace ebb::cli
