// ebb summary RUN_DIR: derives a run's summary from its ledger again.
#include <cstdio>

#include "cli/command_line.h"
#include "cli/local_times.h"
#include "cli/say.h"
#include "report/run/emissions_file.h"
#include "report/run/run_directory.h"
#include "report/run/summary.h"

namespace ebb::cli {

void AddSummaryCommand(Parser& parser) {
  Command& command =
      parser.Add("summary", "show what a run waited, used and emitted",
                 "\nExample:\n  ebb summary runs/baseline-20261120T203312Z-3f2a --format json");
  auto directory = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");
  command.Positional("RUN_DIR", "the run's directory", directory.get());
  command.Flag({"format", "text|json", "output format"},
               [format](const std::string& text) { *format = text; });
  auto emissions_file = std::make_shared<std::string>();
  command.Flag({"emissions-file", "FILE", "also write the run's row into this emissions.csv"},
               [emissions_file](const std::string& text) { *emissions_file = text; });
  command.Action([=]() -> Result<int> {
    std::vector<std::string> notices;
    EBB_ASSIGN_OR_RETURN(const core::RunRecord run, report::ReadRun(*directory, &notices));
    for (const std::string& notice : notices) SayNote(notice);
    const report::Summary summary = report::Summarise(run);
    if (!emissions_file->empty()) {
      EBB_ASSIGN_OR_RETURN(
          const auto done,
          report::WriteEmissionsRow(*emissions_file, report::EmissionsFieldsOf(run, summary),
                                    report::CsvWrite::kUpdate));
      for (const std::string& notice : done) SayNote(notice);
    }
    const std::string text =
        *format == "json" ? report::SummaryJson(run, summary)
                          : ForStdout(LocalTimes::Now().InText(report::SummaryText(run, summary)));
    std::fputs(text.c_str(), stdout);
    return 0;
  });
}

}  // namespace ebb::cli
