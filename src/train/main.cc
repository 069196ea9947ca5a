// ebb-train: the training program of Ebb. It knows nothing of grids and emissions, except that
// ranks that divide their work themselves read the intensity at each rank. It trains, reports its
// progress, pauses on SIGTERM and resumes, by the same contract as any other training
// program (docs/train.md).

#include <malloc.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "platform/terminal.h"
#include "train/data/digits.h"
#include "train/data/mnist.h"
#include "train/files/compress.h"
#include "train/language/adapter/merge.h"
#include "train/language/generation/complete.h"
#include "train/language/training/lora_trainer.h"
#include "train/library_errors.h"
#include "train/loop/evaluate.h"
#include "train/loop/speed.h"
#include "train/loop/stop_request.h"
#include "train/loop/trainer.h"
#include "train/model.h"
#include "train/options/options.h"

namespace ebb::train {
namespace {

constexpr std::size_t kDefaultTrainDigits = 8000;
constexpr std::size_t kDefaultTestDigits = 2000;

// Keeps freed memory in the process. glibc would return every large activation to the kernel when
// it is freed and fault it in again at the next step. Keeping the memory makes training up to 1.5
// times faster; the price is a resident size that stays at its peak.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

Environment ContractEnvironment() {
  Environment environment;
  for (const char* name : {"EBB_RUN_DIR", "EBB_CHECKPOINT_DIR", "EBB_RESUME",
                           "TORCHELASTIC_RESTART_COUNT", "CG_CARBON_INTENSITY"}) {
    if (const char* value = std::getenv(name)) environment[name] = value;
  }
  return environment;
}

DataSplits DrawDigitSplits(const DataOptions& options) {
  const auto count = [](std::int64_t wanted, std::size_t otherwise) {
    return wanted > 0 ? static_cast<std::size_t>(wanted) : otherwise;
  };
  return {DrawDigits({options.data_seed, Split::kTrain},
                     count(options.train_samples, kDefaultTrainDigits)),
          DrawDigits({options.data_seed, Split::kTest},
                     count(options.test_samples, kDefaultTestDigits))};
}

Result<DataSplits> LoadData(const DataOptions& options) {
  if (options.data == DataSource::kDigits) return DrawDigitSplits(options);
  EBB_ASSIGN_OR_RETURN(
      DataSplits splits,
      LoadMnist(options.data_dir, options.download ? Fetch(FetchOverHttp) : Fetch()));
  splits.train.Truncate(static_cast<std::size_t>(options.train_samples));
  splits.test.Truncate(static_cast<std::size_t>(options.test_samples));
  return splits;
}

int Report(const Error& error) {
  std::fprintf(stderr, "ebb-train: %s\n", error.Message().c_str());
  return static_cast<int>(error.code);
}

int PrintModels() {
  for (const auto& [name, info] : Models())
    std::printf("%-12s %s\n", name.c_str(), info.description.c_str());
  return 0;
}

// Prints one line per precision: its name, samples/s, and a notice about it.
int PrintSpeed(const Options& options) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const auto notice = EmulationNotice(precision, TryPrecision(precision));
    const Result<double> samples_per_s = MeasureSpeed(options, precision);
    // A precision that does not work and has a notice is listed with 0 samples/s.
    if (!samples_per_s && !notice) return Report(samples_per_s.error());
    std::printf("%s %.1f samples/s%s%s\n", Name(precision).c_str(), samples_per_s.value_or(0),
                notice ? "; " : "", notice.value_or("").c_str());
    std::fflush(stdout);
  }
  return 0;
}

int ExitCodeOf(const Result<Outcome>& outcome) {
  if (!outcome) return Report(outcome.error());
  return static_cast<int>(*outcome == Outcome::kPaused ? ExitCode::kTryLater : ExitCode::kOk);
}

int Print(const TextToPrint& text) { return std::fputs(text.text.c_str(), stdout) < 0; }

int Lora(const std::vector<std::string>& arguments) {
  const Result<LoraRequest> request = ParseLoraOptions(arguments, ContractEnvironment());
  if (!request) return Report(request.error());
  if (const auto* text = std::get_if<TextToPrint>(&*request)) return Print(*text);
  const auto& options = std::get<LoraOptions>(*request);
  if (!options.check) return ExitCodeOf(TrainLora(options));
  const Status ready = CheckLora(options);
  if (ready && options.progress != ProgressStyle::kNone) std::puts("the training can start");
  return ready ? 0 : Report(ready.error());
}

int Generate(const std::vector<std::string>& arguments) {
  const Result<GenerateRequest> request = ParseGenerateOptions(arguments);
  if (!request) return Report(request.error());
  if (const auto* text = std::get_if<TextToPrint>(&*request)) return Print(*text);
  const Status done = Complete(std::get<GenerateOptions>(*request));
  return done ? 0 : Report(done.error());
}

int MergeModel(const std::vector<std::string>& arguments) {
  const Result<MergeRequest> request = ParseMergeOptions(arguments);
  if (!request) return Report(request.error());
  if (const auto* text = std::get_if<TextToPrint>(&*request)) return Print(*text);
  const auto& options = std::get<MergeOptions>(*request);
  const Status done = Merge(options);
  if (!done) return Report(done.error());
  std::printf("the merged model is in %s\n", options.output.c_str());
  return 0;
}

int EvaluateFile(const std::vector<std::string>& arguments) {
  const Result<EvaluateRequest> request = ParseEvaluateOptions(arguments);
  if (!request) return Report(request.error());
  if (const auto* text = std::get_if<TextToPrint>(&*request)) return Print(*text);
  auto options = std::get<EvaluateOptions>(*request);
  options.train_samples = 1;  // not used by an evaluation
  const Result<LoadedModel> loaded = WithLibraryErrors([&] { return LoadModel(options.model); });
  if (!loaded) return Report(loaded.error());
  const Result<DataSplits> data = LoadData(options);
  if (!data) return Report(data.error());
  const auto found = EvaluateModel(options, *loaded, data->test);
  if (!found) return Report(found.error());
  if (!*found) return static_cast<int>(ExitCode::kTryLater);
  return Print({(*found)->dump(2) + "\n"});
}

int CompressFile(const std::vector<std::string>& arguments) {
  const Result<CompressRequest> request = ParseCompressOptions(arguments);
  if (!request) return Report(request.error());
  if (const auto* text = std::get_if<TextToPrint>(&*request)) return Print(*text);
  const auto& options = std::get<CompressOptions>(*request);
  const Result<Compressed> done = Compress(options);
  if (!done) return Report(done.error());
  std::printf("the model is in %s: %llu bytes, before %llu\n", options.output.c_str(),
              static_cast<unsigned long long>(done->bytes_after),
              static_cast<unsigned long long>(done->bytes_before));
  return 0;
}

int TrainAs(const Options& options) {
  // The model is looked up first, because a misspelt name should not cost a download.
  if (const auto model = FindModel(options.model); !model) return Report(model.error());
  if (options.measure_speed) return PrintSpeed(options);
  const Result<DataSplits> data = LoadData(options);
  if (!data) return Report(data.error());
  if (!options.export_data.empty()) {
    const Status written = WriteMnistFiles(options.export_data, *data);
    return written ? 0 : Report(written.error());
  }
  if (options.check) {
    const Status ready = CheckTraining(options, *data);
    if (ready && options.progress != ProgressStyle::kNone) std::puts("the training can start");
    return ready ? 0 : Report(ready.error());
  }
  return ExitCodeOf(Train(options, *data));
}

int Main(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (arguments.front() == "lora") return Lora(rest);
    if (arguments.front() == "generate") return Generate(rest);
    if (arguments.front() == "merge") return MergeModel(rest);
    if (arguments.front() == "evaluate") return EvaluateFile(rest);
    if (arguments.front() == "compress") return CompressFile(rest);
  }
  const Result<Request> request = ParseOptions(arguments, ContractEnvironment());
  if (!request) return Report(request.error());
  if (const auto* text = std::get_if<TextToPrint>(&*request)) return Print(*text);
  if (std::holds_alternative<ListModels>(*request)) return PrintModels();
  return TrainAs(std::get<Options>(*request));
}

}  // namespace
}  // namespace ebb::train

int main(int argc, char** argv) {
  ebb::train::InstallStopHandlers();
  ebb::platform::WriteErrorsByLine();
  ebb::train::KeepFreedMemory();
  return ebb::train::Main({argv + 1, argv + argc});
}
