#include "lib/work_report.h"

#include "platform/system_clock.h"
#include "report/run/training_files.h"

namespace ebb::lib {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWriteEvery{200};

}  // namespace

Status WorkReport::Open(const platform::Path& file) {
  EBB_ASSIGN_OR_RETURN(writer_, platform::LineWriter::Open(file));
  return {};
}

// The caller holds the mutex.
Status WorkReport::Write(const std::string& event, std::optional<int> epoch) {
  report::ProgressEvent line;
  line.time = platform::WallNow();
  line.event = event;
  line.epoch = epoch;
  line.step = done_.steps;
  line.samples_seen = done_.samples;
  line.tokens_seen = done_.tokens;
  has_unwritten_ = false;
  write_at_ = Steady::now() + kWriteEvery;
  return writer_->Append(report::ProgressLine(line));
}

Status WorkReport::Say(const std::string& event, std::optional<int> epoch) {
  const std::lock_guard lock(mutex_);
  return Write(event, epoch);
}

Status WorkReport::Add(const core::Work& work) {
  const std::lock_guard lock(mutex_);
  if (has_ended_)
    return Fail({ExitCode::kUsage, "the tracker is stopped: there is no work to count", "", ""});
  for (const core::WorkUnit unit : core::kWorkUnits) {
    const std::int64_t more = (work.*core::CountOf(unit)).value_or(0);
    if (more < 0)
      return Fail({ExitCode::kUsage,
                   "work of " + std::to_string(more) + " " + std::string(core::Name(unit)) + "s",
                   "", "give what was done since the last call, 0 if it is not known"});
    if (more == 0) continue;
    std::optional<std::int64_t>& done = done_.*core::CountOf(unit);
    done = done.value_or(0) + more;
    has_unwritten_ = true;
  }
  if (!has_unwritten_ || Steady::now() < write_at_) return {};
  return Write("step", std::nullopt);
}

Status WorkReport::End() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  return has_unwritten_ ? Write("end", std::nullopt) : Status();
}

}  // namespace ebb::lib
