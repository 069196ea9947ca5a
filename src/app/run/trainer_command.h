#pragma once
// Turns a training configuration into a run of ebb-train, which Ebb starts like any other training
// program: `ebb-train` for an image classifier, `ebb-train lora` for a language model.

#include <span>

#include "app/run/run_session.h"
#include "base/result.h"
#include "config/run/train_config.h"
#include "platform/process_signals.h"

namespace ebb::app {

/// The ebb-train beside this program, else the bare name; EBB_TRAIN_PROGRAM names another.
std::string TrainerProgram();

/// Command line, settings and options of one seed. ebb-train is looked for beside this program,
/// then in PATH; the environment variable EBB_TRAIN_PROGRAM names another.
Result<RunRequest> TrainerRun(const config::TrainConfig& config, std::int64_t seed);

/// Asks ebb-train, once for each kind of run (seeds do not count), whether it can start: model,
/// device, data (downloaded here if they are missing) and the folder of the model. It prints what
/// is wrong; the Error has its exit code.
Status CheckTrainings(std::span<const RunRequest> runs, platform::ProcessSignals& signals);

}  // namespace ebb::app
