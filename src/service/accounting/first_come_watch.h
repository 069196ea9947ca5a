#pragma once
// Keeps what jobs would have emitted first come, first served (first_come.h) up with the queue, on
// a thread of its own: the loop only hands it views and picks up results.
// It reads ledgers, what jobs were settled on and the signal's history from the store by a
// connection of its own. A job is held against the values that it was settled on; the history has
// the hours beyond.
//
// Jobs that the view has forgotten keep the devices that they would have had, as the store has it.
// Jobs that have not ended take theirs for as long as is estimated.
//
// Thread contract: one thread (the loop's).

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "service/accounting/first_come.h"
#include "service/views/view.h"
#include "store/database.h"
#include "store/first_come_records.h"

namespace ebb::service {

/// What the store keeps of it once it has ended and is forgotten.
store::FirstComeRecord FirstComeRecordOf(const JobCard& card);

class FirstComeWatch {
 public:
  /// `on_change` is called by its thread when there is something to take.
  FirstComeWatch(std::filesystem::path store, std::function<void()> on_change);
  ~FirstComeWatch();

  /// Jobs have ended, or the signal knows more: looks at this view soon, unless a newer one comes.
  void Ask(std::shared_ptr<const View> view);
  /// What has changed since the last call.
  std::map<core::JobId, FirstComeFigures> TakeChanged();

 private:
  void Work();
  void Look(const View& view);
  void Tell(std::map<core::JobId, FirstComeFigures> figures);
  const EnergyProfile* ProfileOf(core::JobId job);
  FirstComeFigures FiguresOf(const JobCard& card, std::optional<Time> start,
                             const core::IntensitySeries& history);

  const std::filesystem::path path_;
  const std::function<void()> on_change_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::shared_ptr<const View> next_;
  std::map<core::JobId, FirstComeFigures> changed_;
  bool stopping_ = false;
  // Of the thread alone.
  std::unique_ptr<store::Database> database_;
  std::map<core::JobId, EnergyProfile> profiles_;
  std::map<core::JobId, FirstComeFigures> told_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace ebb::service
