#include "signals/weather/grib_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "signals/weather/gfs_runs.h"
#include "signals/weather/grib_field.h"

namespace ebb::signals {
namespace {

constexpr Duration kStillGrows{std::chrono::minutes{10}};
constexpr Duration kKept{std::chrono::days{400}};

bool IsSkipped(const std::filesystem::path& file) {
  const auto ending = file.extension();
  return file.filename().string().starts_with('.') || ending == ".idx" || ending == ".part" ||
         ending == ".tmp";
}

// Files sorted by name, so that errors are the same each time.
Result<std::vector<std::filesystem::path>> FilesIn(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  auto item = std::filesystem::recursive_directory_iterator(folder, failed);
  for (; !failed && item != std::filesystem::recursive_directory_iterator();
       item.increment(failed)) {
    std::error_code gone;
    if (item->is_regular_file(gone) && !IsSkipped(item->path())) files.push_back(item->path());
  }
  if (failed)
    return Fail({ExitCode::kUnavailable, "the folder cannot be read: " + failed.message(), folder,
                 "check its name and its rights"});
  std::sort(files.begin(), files.end());
  return files;
}

using FilesByRun = std::map<Time, std::vector<std::filesystem::path>>;

Result<FilesByRun> RunsIn(const std::string& folder) {
  EBB_ASSIGN_OR_RETURN(const auto files, FilesIn(folder));
  FilesByRun runs;
  for (const auto& file : files) {
    EBB_ASSIGN_OR_RETURN(const Time issued, RunOfGribFile(file.string()));
    runs[issued].push_back(file);
  }
  return runs;
}

bool IsComplete(const std::vector<std::filesystem::path>& files, Time now) {
  return std::none_of(files.begin(), files.end(), [&](const auto& file) {
    std::error_code gone;
    const auto changed = std::filesystem::last_write_time(file, gone);
    return gone || std::chrono::file_clock::to_sys(changed) > now - kStillGrows;
  });
}

Status AddFields(const std::vector<std::filesystem::path>& files,
                 const std::vector<WeatherPoint>& points, std::vector<GribField>& fields) {
  for (const auto& file : files) {
    EBB_ASSIGN_OR_RETURN(auto of_file, ReadGribFile(file.string(), points));
    std::move(of_file.begin(), of_file.end(), std::back_inserter(fields));
  }
  return {};
}

// Errors without a place get the folder as their place.
template <typename T>
Result<T> In(const std::string& folder, Result<T> result) {
  if (!result && result.error().where.empty()) result.error().where = folder;
  return result;
}

class GribFolder final : public WeatherSource {
 public:
  GribFolder(std::string path, Duration past_lag) : path_(std::move(path)), past_lag_(past_lag) {}

  const std::string& name() const override { return name_; }
  std::string_view terms() const override {
    return "the weather is read from files that somebody else brings (docs/weather.md)";
  }
  const std::string& server() const override { return path_; }

  Result<RunsByZone> Ahead(const std::vector<ZoneToAsk>& zones, Time now,
                           Time newer_than) override {
    EBB_ASSIGN_OR_RETURN(const FilesByRun runs, RunsIn(path_));
    for (auto run = runs.rbegin(); run != runs.rend() && run->first > newer_than; ++run) {
      if (run->first > now || !IsComplete(run->second, now)) continue;
      std::vector<GribField> fields;
      EBB_RETURN_IF_ERROR(AddFields(run->second, PointsOf(zones), fields));
      return In(path_, RunsOfZones(fields, zones, kLiveWindHeight_m, now - run->first));
    }
    if (newer_than == Time{})
      return Fail({ExitCode::kUnavailable, "the folder has no run that is complete", path_,
                   "put files of GFS there; a run counts ten minutes after its last file came"});
    return RunsByZone{};
  }

  Result<std::vector<forecast::WeatherRun>> Past(const ZoneToAsk& zone, Time now,
                                                 const forecast::WeatherArchive&) override {
    EBB_ASSIGN_OR_RETURN(const FilesByRun runs, RunsIn(path_));
    std::vector<GribField> fields;
    for (const auto& [issued, files] : runs)
      if (issued > now - kKept && issued + past_lag_ <= now && IsComplete(files, now))
        EBB_RETURN_IF_ERROR(AddFields(files, zone.points, fields));
    return In(path_, RunsOfGfs(fields, {0, zone.points.size()}, kLiveWindHeight_m, past_lag_));
  }

 private:
  const std::string name_ = "grib-folder";
  const std::string path_;
  const Duration past_lag_;
};

}  // namespace

Result<forecast::WeatherArchive> ReadGribFolder(const std::string& path,
                                                const std::vector<WeatherPoint>& points,
                                                Duration lag) {
  EBB_ASSIGN_OR_RETURN(const auto files, FilesIn(path));
  std::vector<GribField> fields;
  EBB_RETURN_IF_ERROR(AddFields(files, points, fields));
  EBB_ASSIGN_OR_RETURN(auto runs,
                       In(path, RunsOfGfs(fields, {0, points.size()}, WindHeightOf(fields), lag)));
  if (runs.empty())
    return Fail({ExitCode::kConfiguration, "the folder holds no weather", path,
                 "put files of GFS there, as gfs.t00z.pgrb2.0p25.f003"});
  return In(path, forecast::WeatherArchive::Create(std::filesystem::path(path).filename().string(),
                                                   std::move(runs)));
}

std::unique_ptr<WeatherSource> MakeGribFolder(std::string path, Duration past_lag) {
  return std::make_unique<GribFolder>(std::move(path), past_lag);
}

}  // namespace ebb::signals
