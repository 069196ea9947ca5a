#include "app/run/run_outputs.h"

#include <algorithm>
#include <cstdlib>

#include "platform/file.h"
#include "platform/http.h"
#include "platform/system.h"
#include "report/run/codecarbon_csv.h"
#include "report/run/emissions_file.h"

namespace ebb::app {
namespace {

using platform::Path;

constexpr std::chrono::seconds kBetweenWrites{10};
constexpr std::chrono::seconds kLongestPause{300};
// A gateway that does not answer must not block the loop that forwards signals.
constexpr Duration kPushTimeout{2000};
constexpr const char* kPushPath = "/metrics/job/codecarbon";

Status CheckDirectoryOf(const std::string& file, const char* flag) {
  if (file.empty()) return {};
  const Path path(file);
  const Path directory = path.has_parent_path() ? path.parent_path() : Path(".");
  if (platform::IsWritableDirectory(directory)) return {};
  std::error_code ignored;
  const bool there = std::filesystem::is_directory(directory, ignored);
  return Fail({ExitCode::kUnavailable,
               there ? "the directory cannot be written" : "the directory does not exist",
               directory.string(), "make it, or name another with --" + std::string(flag)});
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The gateway's login, from CodeCarbon's variables.
std::string PushLogin() {
  const std::string user = Variable("PROMETHEUS_USERNAME");
  return user.empty() ? "" : user + ":" + Variable("PROMETHEUS_PASSWORD");
}

}  // namespace

Status CheckOutputs(const RunOptions& options) {
  EBB_RETURN_IF_ERROR(CheckDirectoryOf(options.emissions_file, "emissions-file"));
  return CheckDirectoryOf(options.prometheus_file, "prometheus-file");
}

std::vector<std::string> PublishEmissions(const RunOptions& options, const core::RunRecord& run,
                                          const report::Summary& summary,
                                          const Path& run_directory) {
  if (options.emissions_file.empty()) return {};
  const auto written = report::WriteEmissionsRow(
      options.emissions_file, report::EmissionsFieldsOf(run, summary), options.csv_write);
  if (written) return *written;
  return {"the row could not be added, the run is kept: " + written.error().Message() +
          ". Add it later: ebb summary " + run_directory.string() + " --emissions-file " +
          options.emissions_file};
}

PrometheusExport::PrometheusExport(const RunOptions& options, const core::RunSpec& spec,
                                   const core::RunRecord& before)
    : file_(options.prometheus_file),
      url_(options.prometheus_url),
      project_name_(spec.name),
      run_id_(spec.run_id),
      ran_before_(before.running_time()),
      pause_(kBetweenWrites) {
  while (url_.ends_with('/')) url_.pop_back();
  if (wanted()) report::AddRows(before.ledger, totals_);
  written_ = totals_;
  written_.duration_s = Seconds(ran_before_);
}

void PrometheusExport::OnRows(std::span<const core::LedgerRow> rows) {
  if (wanted()) report::AddRows(rows, totals_);
}

std::optional<std::string> PrometheusExport::OnTick(Duration elapsed) {
  if (!wanted() || std::chrono::steady_clock::now() < next_) return std::nullopt;
  return Write(elapsed);
}

std::optional<std::string> PrometheusExport::OnEnd(Duration elapsed) {
  if (!wanted()) return std::nullopt;
  for (auto* component : {&totals_.cpu, &totals_.gpu, &totals_.ram}) component->power_w = 0;
  return Write(elapsed);
}

std::optional<std::string> PrometheusExport::Write(Duration elapsed) {
  totals_.duration_s = Seconds(ran_before_ + elapsed);
  const std::string text = report::PrometheusText(project_name_, run_id_, totals_, written_);
  Status status;
  if (!file_.empty()) status = platform::WriteFileAtomically(file_, text);
  if (Status pushed = url_.empty() ? Status() : Push(text); !pushed) status = pushed;
  // Asks a gateway that is down less and less often.
  pause_ = status ? kBetweenWrites : std::min(2 * pause_, kLongestPause);
  next_ = std::chrono::steady_clock::now() + pause_;
  if (status) {
    written_ = totals_;
    failed_ = false;
    return std::nullopt;
  }
  if (std::exchange(failed_, true)) return std::nullopt;
  return "figures for Prometheus not written: " + status.error().Message();
}

Status PrometheusExport::Push(const std::string& text) const {
  platform::HttpRequest request;
  request.url = url_ + kPushPath;
  request.headers = {"Content-Type: text/plain; version=0.0.4"};
  request.body = text;
  request.timeout = kPushTimeout;
  request.user_password = PushLogin();
  EBB_ASSIGN_OR_RETURN(const platform::HttpResponse answer, platform::HttpPut(request));
  if (answer.status / 100 == 2) return {};
  return Fail({ExitCode::kUnavailable, "the Pushgateway answers " + std::to_string(answer.status),
               request.url, "check --prometheus-url, PROMETHEUS_USERNAME and PROMETHEUS_PASSWORD"});
}

}  // namespace ebb::app
