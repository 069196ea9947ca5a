#include <fstream>
#include <map>
#include <optional>

#include "base/text.h"
#include "platform/digest.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "trackers/mlflow.h"
#include "trackers/mlflow_note.h"

namespace ebb::trackers {
namespace {

using std::filesystem::path;

constexpr std::uint64_t kLongestFile = 1 << 20;
constexpr const char* kMeta = "meta.yaml";

// A YAML scalar in single quotes, on one line.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + "'";
}

std::string Unquoted(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') ||
      text.front() != text.back())
    return std::string(text);
  const bool single = text.front() == '\'';
  text = text.substr(1, text.size() - 2);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (single ? text.substr(i, 2) == "''" : text[i] == '\\') ++i;
    if (i < text.size()) plain += text[i];
  }
  return plain;
}

// A top-level "key: value" of the simple YAML that MLflow writes.
std::string MemberOf(std::string_view yaml, std::string_view key) {
  for (const std::string_view line : Split(yaml, '\n'))
    if (line.starts_with(key) && line.substr(key.size()).starts_with(":"))
      return Unquoted(Trim(line.substr(key.size() + 1)));
  return "";
}

// MLflow's codes of a run's status.
int StatusOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return 3;
    case Outcome::kFailed:
      return 4;
    case Outcome::kKilled:
      return 5;
    case Outcome::kPaused:
      return 2;
  }
  return 1;
}
constexpr int kRunning = 1;

class MlflowFiles final : public Tracker {
 public:
  MlflowFiles(const path& directory, path note)
      : directory_(platform::AbsolutePath(directory).lexically_normal()), note_(std::move(note)) {}
  std::string name() const override { return "MLflow " + directory_.string(); }

  Status Begin(const TrackedRun& run) override {
    run_ = run;
    EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory_));
    EBB_ASSIGN_OR_RETURN(experiment_, FindExperiment(run.experiment, run.begin));
    // The id follows from run_id: a resumed run finds its own directory, another run has another.
    id_ = platform::Sha256Hex(run.run_id).substr(0, 32);
    place_ = directory_ / experiment_ / id_;
    for (const char* folder : {"metrics", "params", "tags", "artifacts"})
      EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(place_ / folder));
    for (const auto& [key, text] : run.configuration)
      EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(place_ / "params" / key, text));
    for (const auto& [key, text] : Texts{{"mlflow.runName", run.name},
                                         {"mlflow.source.name", "ebb"},
                                         {"mlflow.source.type", "LOCAL"},
                                         {"ebb.run_id", run.run_id}})
      EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(place_ / "tags" / key, text));
    EBB_RETURN_IF_ERROR(WriteMeta(kRunning, std::nullopt));
    return WriteRunNote(note_, directory_.string(), id_);
  }

  Status Log(std::span<const Value> values) override {
    std::map<std::string, std::string> lines;
    for (const Value& value : values)
      lines[value.key] += std::to_string(Milliseconds(value.wall)) + " " +
                          FormatExact(value.value) + " " + std::to_string(value.step) + "\n";
    for (const auto& [key, text] : lines)
      EBB_RETURN_IF_ERROR(Append(place_ / "metrics" / key, text));
    return {};
  }

  Status End(Outcome outcome, Time wall) override { return WriteMeta(StatusOf(outcome), wall); }

  Status EndEarlier(Outcome outcome, Time wall) override {
    const auto id = RunIn(note_, directory_.string());
    if (!id) return {};
    std::error_code code;
    for (std::filesystem::directory_iterator experiment(directory_, code), end;
         !code && experiment != end; experiment.increment(code)) {
      const path meta = experiment->path() / *id / kMeta;
      const auto text = platform::ReadFile(meta, kLongestFile);
      if (!text) continue;
      std::string ended;
      for (const std::string_view line : Split(Trim(*text), '\n')) {
        if (line.starts_with("end_time:"))
          ended += "end_time: " + std::to_string(Milliseconds(wall));
        else if (line.starts_with("status:"))
          ended += "status: " + std::to_string(StatusOf(outcome));
        else
          ended += line;
        ended += '\n';
      }
      return platform::WriteFileAtomically(meta, ended);
    }
    if (!code || code == std::errc::no_such_file_or_directory) return {};
    return Fail({ExitCode::kUnavailable, code.message(), directory_.string(), ""});
  }

 private:
  static Status Append(const path& file, const std::string& text) {
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    std::ofstream stream(file, std::ios::app | std::ios::binary);
    stream << text << std::flush;
    if (stream) return {};
    return Fail({ExitCode::kUnavailable, "cannot be written", file.string(), ""});
  }

  // The id of the experiment of that name, whoever made it. Otherwise makes one, whose id follows
  // from the name, so that two runs that begin together make the same one.
  Result<std::string> FindExperiment(const std::string& name, Time now) {
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(directory_, code)) {
      const auto text = platform::ReadFile(entry.path() / kMeta, kLongestFile);
      if (text && MemberOf(*text, "name") == name && !MemberOf(*text, "experiment_id").empty())
        return entry.path().filename().string();
    }
    std::string id;
    for (const char c : platform::Sha256Hex("experiment " + name).substr(0, 18))
      id += static_cast<char>('0' + (c <= '9' ? c - '0' : c - 'a') % 10);
    if (id.front() == '0') id.front() = '1';
    const std::string meta = "artifact_location: " + Quoted(Uri(directory_ / id)) +
                             "\ncreation_time: " + std::to_string(Milliseconds(now)) +
                             "\nexperiment_id: " + Quoted(id) +
                             "\nlast_update_time: " + std::to_string(Milliseconds(now)) +
                             "\nlifecycle_stage: active\nname: " + Quoted(name) + "\n";
    EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory_ / id));
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(directory_ / id / kMeta, meta));
    return id;
  }

  static std::string Uri(const path& place) { return "file://" + place.string(); }

  Status WriteMeta(int status, std::optional<Time> end) {
    // The start of a resumed run is that of its first attempt.
    const auto before = platform::ReadFile(place_ / kMeta, kLongestFile);
    const std::string began = before ? MemberOf(*before, "start_time") : "";
    return platform::WriteFileAtomically(
        place_ / kMeta, "artifact_uri: " + Quoted(Uri(place_ / "artifacts")) +
                            "\nend_time: " + (end ? std::to_string(Milliseconds(*end)) : "null") +
                            "\nentry_point_name: ''\nexperiment_id: " + Quoted(experiment_) +
                            "\nlifecycle_stage: active\nrun_id: " + Quoted(id_) +
                            "\nrun_name: " + Quoted(run_.name) + "\nrun_uuid: " + Quoted(id_) +
                            "\nsource_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: " +
                            (began.empty() ? std::to_string(Milliseconds(run_.begin)) : began) +
                            "\nstatus: " + std::to_string(status) + "\ntags: []\nuser_id: ''\n");
  }

  const path directory_, note_;
  path place_;
  TrackedRun run_;
  std::string experiment_, id_;
};

}  // namespace

std::unique_ptr<Tracker> MakeMlflowFiles(path directory, path note) {
  constexpr std::string_view kFile = "file://";
  const std::string text = directory.string();
  if (text.starts_with(kFile)) directory = text.substr(kFile.size());
  return std::make_unique<MlflowFiles>(std::move(directory), std::move(note));
}

}  // namespace ebb::trackers
