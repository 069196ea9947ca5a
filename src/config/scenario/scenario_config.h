#pragma once
// Scenario files for `ebb simulate` and queue files for `ebb plan`: YAML to a sim::Scenario and the
// signals of its sites. All mistakes of a file are reported at once, with their lines; nothing of a
// file with a mistake is used. Every key: scenario_table.h and docs/scenario-options.md. Pure but
// for LoadScenario, which also reads the job CSV that a file names.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/jobs/tier.h"
#include "signals/signal_options.h"
#include "sim/scenario.h"

namespace ebb::config {

struct ScenarioFile {
  sim::Scenario scenario;
  std::vector<signals::SignalOptions> signals;  ///< in the order of scenario.cluster.sites
  std::vector<std::string> price_files;         ///< in the same order; empty if a site has none
                                                ///< (scenario_prices.h)
  std::vector<std::string> operator_files;      ///< in the same order (operator_file.h)
  std::vector<std::string> notes;               ///< notes for the reader of the result
};

enum class ScenarioUse {
  kSimulation,  ///< the file needs sites and start dates
  kPlan,        ///< a queue at one moment: sites, policies and start dates may be missing
};

struct ScenarioContext {
  std::string path;  ///< path for messages; relative paths in the file begin at its directory
  ScenarioUse use = ScenarioUse::kSimulation;
  std::optional<Time> moment;  ///< replaces the file's start dates
  /// The signal of the only site if a queue file names no site.
  std::optional<signals::SignalOptions> default_signal;
  /// The tiers that jobs may name. A tier sets options that the job itself does not set.
  std::vector<core::Tier> tiers = core::PublishedTiers();
  /// Reads a job CSV, plain or gzip.
  std::function<Result<std::string>(const std::string& path)> read_file;
};

/// Fails if idle draw is to be counted and is unknown for a device.
Status CheckIdleDraw(const sim::Scenario& scenario, const std::string& path);

Result<ScenarioFile> ParseScenario(const std::string& text, const ScenarioContext& context);

/// Reads `context.path`, which may name a file that ships with Ebb (platform/shipped_files.h), and
/// everything it names.
Result<ScenarioFile> LoadScenario(ScenarioContext context);

}  // namespace ebb::config
