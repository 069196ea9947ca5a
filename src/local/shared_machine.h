#pragma once
// The meter of the machine that a local executor's programs share, and the account of what none of
// them used: its idle and unattributed energy becomes ledger rows as a program's does. Private to
// local/.
//
// Thread contract: one thread.

#include <memory>
#include <optional>

#include "local/local_job.h"
#include "local/reading_queue.h"
#include "local/row_keeper.h"
#include "meter/machine_meter.h"
#include "meter/meters.h"
#include "runtime/accountant.h"

namespace ebb::local {

struct SharedMachineOptions {
  meter::MeterOptions meters;
  meter::SamplerOptions sampler;
  meter::IdleRule idle = meter::IdleRule::kApart;
  Pue pue;
};

class SharedMachine {
 public:
  /// Everything borrowed must outlive it.
  SharedMachine(const SharedMachineOptions& options, runtime::SignalFeed& feed,
                const runtime::GridClock& clock, JobRecords& records);

  meter::MachineMeter& meter() { return *meter_; }
  /// Takes in what was measured since the last call and hands it on.
  void Tick();
  /// The same, with everything that is pending: when nothing runs any more.
  void Flush();

 private:
  ReadingQueue queue_;  // outlives the meter, whose thread fills it
  std::unique_ptr<meter::MachineMeter> meter_;
  runtime::Accountant accountant_;
  RowKeeper keeper_;
};

}  // namespace ebb::local
