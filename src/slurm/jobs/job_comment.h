#pragma once
// The comment of a Slurm job: what its owner wants of Ebb, and what Ebb has noted of the job.
//
//   ebb:tier=flex;start-by=12h {ebb wait 1 5f2a} used 1.2 kWh, 340 g; expected at 03:00
//   `- the owner's wishes ----´ `- mark -------´ `- measured ------´  `- sentence -----´
//
// The mark makes a restarted service know what the one before it did: the step, the number of
// attempts, and a tag, because Slurm uses the numbers of jobs again. A job that Ebb has only
// measured has the mark {ebb measured}, one that Ebb does not take {ebb note}. Options are called
// like the flags of jobs (core/options/job_options.h) and separated by ";". Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/submission.h"
#include "core/jobs/tier.h"
#include "core/options/job_options.h"
#include "slurm/client/slurm_job.h"

namespace ebb::slurm {

/// The last thing that Ebb has done with the job.
enum class Course {
  kNone,  ///< nothing yet
  kWait,  ///< Ebb has given it its latest start, and lets it go earlier
  kGo,    ///< Ebb has let it go
  kPause  ///< Ebb has asked it to pause
};

struct JobComment {
  std::string owners;  ///< the owner's part, without blanks at its ends
  bool is_for_ebb = false;
  Course course = Course::kNone;
  int attempt = 0;       ///< attempts that Ebb has let go
  std::string tag;       ///< tells this job from another one with its number; empty: none yet
  std::string measured;  ///< what the job has used so far; begins with "used "
  std::string sentence;  ///< for people
};

/// The options of jobs that a job in Slurm may have: in its comment, and as flags and #EBB lines of
/// `ebb slurm submit`. All others are Slurm's to decide, or need Ebb's own executor.
std::vector<const core::JobOption*> OptionsInSlurm();

/// The beginning of a comment for Ebb; the wishes follow it.
inline constexpr std::string_view kCommentPrefix = "ebb:";

JobComment ReadComment(std::string_view comment);
/// The comment as it is stored; the sentence is cut so that all of it can be read back.
std::string WriteComment(const JobComment& comment);

/// Values for jobs whose owners do not give them.
struct JobDefaults {
  Duration duration{std::chrono::hours{1}};  ///< of a job without a time limit
  Power gpu_power{250}, core_power{10};      ///< of one GPU, of one core
  std::vector<core::Tier> tiers = core::PublishedTiers();
  std::optional<Intensity> threshold{};  ///< nullopt: the policy decides
};

/// The wishes of a job in Slurm: options that only jobs in Slurm have, and those of every job.
struct JobWishes {
  core::Submission submission;
  /// Signal that asks the job to write a checkpoint and end; empty: SIGTERM, which Slurm sends
  /// itself.
  std::string pause_signal{};
  /// The earliest start that its owner set with --begin.
  std::optional<Time> not_before{};
  /// How long a job may take for its checkpoint.
  Duration grace{std::chrono::minutes{1}};
  /// A sentence for each wish that cannot be read.
  std::vector<std::string> problems{};
};

/// Reads the wishes of a job from its comment and from what it asks Slurm for. Times count from its
/// submission.
JobWishes ReadWishes(const SlurmJob& job, const JobDefaults& defaults);

}  // namespace ebb::slurm
