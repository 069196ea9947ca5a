#pragma once
// Time and energy that bring a job to a site and let it begin there. A job's files lie at its home,
// and after a pause its checkpoint lies where it ran last. At another site it begins with a move:
// its devices are booked, its files come over the network, and the site is set up. This is how
// clusters and clouds start a job, so the planner counts the same time and energy as the accounts.
// The arithmetic of a move is here and nowhere else. Values only.
//
// Time: bytes / bandwidth of the slower of the two sites, plus the set-up of the destination, in
// whole seconds.
//
// Energy, spread evenly over that time:
// - of the network, bytes x joules per byte, at the intensity of the site that sends. Jobs move to
//   cleaner sites, so this end counts more grams rather than fewer;
// - of the set-up and of the booked devices, which draw their idle power, at the intensity and the
//   PUE of the destination.

#include <array>

#include "base/time.h"
#include "base/units.h"
#include "core/devices/cluster.h"
#include "core/jobs/job.h"

namespace ebb::core {

/// 0.06 kWh per gigabyte: fixed-line Internet in 2015 (Aslan, Mayers, Koomey and France 2018,
/// "Electricity Intensity of Internet Data Transmission", J. Ind. Ecol. 22(4),
/// doi:10.1111/jiec.12630). Their values halve every two years, so this is too much today, and a
/// move has to pay all the more.
inline constexpr double kTransferKwhPerGb = 0.06;
inline constexpr double kJoulesPerByte = kTransferKwhPerGb * 3.6e6 / 1e9;
/// 1 Gbit/s.
inline constexpr double kBytesPerSecond = 125e6;

struct Move {
  int from = -1;     ///< index of the site that sends; -1: nothing comes over the network
  Duration takes{};  ///< 0: the job is there already
  Energy network;    ///< without PUE
  Energy there;      ///< of set-up and waiting devices, without PUE
};

/// A running job moves only if that saves at least this share of what the rest of it would emit if
/// it stayed. A plan for tomorrow changes with each forecast, so a small gain is not worth a move.
inline constexpr double kMoveSaves = 0.1;
/// A job that has come to a site stays there for at least this long.
inline constexpr Duration kStaysFor{std::chrono::hours{1}};

/// The move with which a job begins on the pool. `last_site`: index of the site where it ran last;
/// -1: it has not begun yet.
Move MoveTo(const Job& job, const Cluster& cluster, int last_site, int pool);

/// The time for which the job holds devices of the pool: its move, and then `work` at speed 1.
Duration HeldOn(const Job& job, const Cluster& cluster, int last_site, int pool, Duration work);
/// The same on this number of devices, which must be one of the job's widths.
Duration HeldOn(const Job& job, const Cluster& cluster, int last_site, int pool, int devices,
                Duration work);

/// Energy that is spread evenly over a time at one site.
struct EnergyPart {
  Energy energy;  ///< without PUE
  Interval time;
  int site = 0;  ///< index of the site whose intensity counts
  Pue pue;
};

/// The energy of a job over a time in which it holds its devices, by place and time.
struct HeldEnergy {
  EnergyPart network, set_up;  ///< the parts of the move; without energy if there is none
  EnergyPart run;

  std::array<EnergyPart, 3> parts() const { return {run, network, set_up}; }
};

/// The parts of the job's energy on the pool while it holds its devices over `held`, which begins
/// with the move. A time that ends within the move has only that part of it.
HeldEnergy EnergyOver(const Job& job, const Cluster& cluster, int last_site, int pool,
                      Interval held);

}  // namespace ebb::core
