#pragma once
// Computes what jobs would have emitted by first come, first served (first_come.h), again whenever
// jobs have ended or the signal knows more. It works on a thread of its own: the loop hands it
// views and takes results.
//
// The thread reads ledgers, settlements and the signal's history from the store, by a connection of
// its own. A job is valued by the values of its settlement, and by the history in other hours:
// those of the zone of its pool, the one where it ran last. Jobs that the view no longer has keep
// their place as the store has it. Jobs that have not ended take devices for their estimated
// duration.
//
// Thread contract: the loop's thread.

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "service/accounting/first_come.h"
#include "service/views/view.h"
#include "store/accounts/first_come_records.h"
#include "store/database/database.h"

namespace ebb::service {

/// The figures of an ended job that the store keeps, so that its ledger is not read again.
store::FirstComeRecord FirstComeRecordOf(const JobCard& card);

class FirstComeWatch {
 public:
  /// `on_change` is called on the watch's thread when there are results to take. `by_site`: energy
  /// at each site is accounted by the signal of its own zone; else all of it by the first signal.
  FirstComeWatch(std::filesystem::path store, std::function<void()> on_change, bool by_site);
  ~FirstComeWatch();

  /// Has this view compared soon, unless a newer view comes first.
  void Ask(std::shared_ptr<const View> view);
  /// The figures that have changed since the last call.
  std::map<core::JobId, FirstComeFigures> TakeChanged();

 private:
  void Work();
  void Look(const View& view);
  void Report(std::map<core::JobId, FirstComeFigures> figures);
  struct Profile {
    EnergyProfile energy;
    bool has_moved = false;  // from one site to another
  };
  // A site of a service that has several, and the history of its zone.
  struct SiteHistory {
    std::string name;        // empty: the service's own machine
    std::optional<Pue> pue;  // nothing: the service has one site
    core::IntensitySeries history;
  };
  const Profile* ProfileOf(core::JobId job, const View& view, std::optional<Pue> pue);
  Result<const SiteHistory*> HistoryAt(int pool, const View& view, Interval window,
                                       std::map<int, SiteHistory>& known);
  FirstComeFigures FiguresOf(const JobCard& card, std::optional<Time> start, const View& view,
                             const SiteHistory& at);

  const std::filesystem::path path_;
  const std::function<void()> on_change_;
  const bool by_site_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::shared_ptr<const View> next_;
  std::map<core::JobId, FirstComeFigures> changed_;
  bool stopping_ = false;
  // For the watch's thread alone.
  std::unique_ptr<store::Database> database_;
  std::map<core::JobId, Profile> profiles_;
  std::map<core::JobId, FirstComeFigures> reported_;
  std::thread thread_;  // last, because it uses the members above
};

}  // namespace ebb::service
