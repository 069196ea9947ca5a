#include "local/shared_machine.h"

namespace ebb::local {
namespace {

// Rows of the machine belong to no attempt.
constexpr int kNoAttempt = 0;

std::unique_ptr<meter::MachineMeter> MakeMeter(const SharedMachineOptions& options,
                                               ReadingQueue& queue) {
  meter::MeterOptions whole = options.meters;
  whole.scope = core::MeterScope::kMachine;
  meter::MeterSet set = meter::MakeMeters(whole);
  meter::MachineMeterOptions machine;
  machine.interval = options.sampler.interval;
  machine.proc_root = options.sampler.proc_root;
  machine.wall_now = options.sampler.wall_now;
  machine.idle = options.idle;
  machine.cpu_idle_w = set.cpu_idle_w;
  return std::make_unique<meter::MachineMeter>(
      std::move(set.meters), std::move(machine),
      [&queue](std::vector<core::EnergyReading> readings) { queue.Push(std::move(readings)); });
}

}  // namespace

SharedMachine::SharedMachine(const SharedMachineOptions& options, runtime::SignalFeed& feed,
                             const runtime::GridClock& clock, JobRecords& records)
    : meter_(MakeMeter(options, queue_)),
      accountant_(feed, clock, kNoAttempt, options.pue),
      keeper_([&records](std::span<const core::LedgerRow> rows) {
        return records.MachineRows(rows);
      }) {}

void SharedMachine::Tick() { keeper_.Offer(accountant_.Add(queue_.Take())); }

void SharedMachine::Flush() {
  Tick();
  keeper_.Offer(accountant_.Flush());
}

}  // namespace ebb::local
