// The width of an elastic job in Slurm: how many devices a pending job asks for. It has its own
// width while it waits, so that it starts with that if Ebb is gone; to let it go sets the planned
// one in the same request. Which width it has is always what Slurm says.

#include <algorithm>
#include <array>

#include "core/jobs/widths.h"
#include "slurm/client/job_size.h"
#include "slurm/slurm_executor.h"

namespace ebb::slurm {
namespace {

// True for Slurm's reasons that a job of this size cannot start. Limits on numbers of jobs and on
// time are none of them: Slurm's names of limits say what they limit.
bool IsAboutSize(std::string_view reason) {
  if (reason == "BadConstraints" || reason == "PartitionConfig" || reason == "PartitionNodeLimit")
    return true;
  const auto contains = [&](std::string_view word) {
    return reason.find(word) != std::string_view::npos;
  };
  constexpr std::array kLimits{"QOS", "Assoc", "Max"};
  constexpr std::array kSizes{"GRES", "Cpu", "CPU", "Node", "Mem", "Billing"};
  return std::ranges::any_of(kLimits, [&](const char* l) { return reason.starts_with(l); }) &&
         std::ranges::any_of(kSizes, contains);
}

}  // namespace

bool SlurmExecutor::IsElastic(const Entry& entry) {
  return entry.local && core::IsElastic(entry.local->job());
}

int SlurmExecutor::WidthOf(const Entry& entry) {
  return entry.width > 0 ? entry.width : entry.local->job().devices;
}

// The width in the last answer of Slurm; 0: the job is not elastic, was not in an answer yet, or
// has another number of devices than its widths. Slurm gives whole cores, of two threads each.
int SlurmExecutor::SeenWidth(const Entry& entry) {
  if (!IsElastic(entry) || entry.seen.partitions.empty()) return 0;
  int seen = DevicesOf(entry.seen);
  const bool is_rounded_up = entry.seen.gpus == 0 && seen == entry.width + 1;
  if (is_rounded_up && entry.width > 0) seen = entry.width;
  const auto widths = core::WidthsOf(entry.local->job());
  return std::ranges::find(widths, seen, &core::WidthSpeed::devices) == widths.end() ? 0 : seen;
}

// Words for a change to this width; none: the job has it, or nobody knows how.
std::vector<std::string> SlurmExecutor::SizeFor(const Entry& entry, int width) {
  if (!IsElastic(entry) || entry.seen.partitions.empty() || DevicesOf(entry.seen) == width)
    return {};
  auto words = SizeWords(entry.seen, width);
  return words ? *std::move(words) : std::vector<std::string>{};
}

bool SlurmExecutor::IsRefusedItsWidth(const Entry& entry) {
  return entry.step == Step::kStarting && entry.is_let_go && entry.comment.course == Course::kGo &&
         IsElastic(entry) && WidthOf(entry) != entry.local->job().devices &&
         DevicesOf(entry.seen) == WidthOf(entry) && IsAboutSize(entry.seen.reason);
}

// The engine hears of it once the job runs, and does not ask for this width for a while.
void SlurmExecutor::GoOnAtOwnWidth(Entry& entry, const std::string& why) {
  const int own = entry.local->job().devices;
  entry.narrowed = "Slurm does not give it " + std::to_string(WidthOf(entry)) + " devices (" + why +
                   "); it goes on with " + std::to_string(own);
  options_.say((entry.ids.empty() ? entry.local->job().name : "job " + entry.id()) + ": " +
               entry.narrowed);
  entry.width = own;
  entry.is_let_go = false;
}

}  // namespace ebb::slurm
