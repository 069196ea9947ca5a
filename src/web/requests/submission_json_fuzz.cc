// Fuzz target: any bytes as a submission are either refused with an Error that says what is wrong,
// or give jobs that can be run and shown. Run: build/fuzz/bin/submission_json_fuzz
// -max_total_time=60
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "web/answers/job_json.h"
#include "web/requests/submission_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto budget = ebb::web::BudgetFromJson(text, false)) EBB_CHECK(!budget->empty());
  if (const auto budget = ebb::web::SweepBudgetFromJson(text)) EBB_CHECK(!budget->empty());
  if (const auto sweep = ebb::web::SweepFromJson(text, {})) {
    for (const ebb::service::Submit& submit : *sweep) {
      EBB_CHECK(!submit.recurrence);
      EBB_CHECK(submit.sweep && submit.sweep == sweep->front().sweep &&
                !submit.sweep->name.empty());
      if (submit.sweep->halving) EBB_CHECK(!ebb::sweep::Rungs(*submit.sweep->halving).empty());
    }
  }
  const auto submissions = ebb::web::SubmissionsFromJson(text, {});
  if (!submissions) {
    EBB_CHECK(!submissions.error().what.empty());
    return 0;
  }
  for (const ebb::service::Submit& submit : submissions->jobs) {
    const ebb::core::Submission& submission = submit.submission;
    EBB_CHECK(!submission.command.empty() && !submission.command.front().empty());
    EBB_CHECK(submission.job.duration > ebb::Duration::zero() && submission.job.devices > 0);
    EBB_CHECK(submission.working_directory.starts_with('/'));
    ebb::service::JobCard card;
    card.submission = std::make_shared<const ebb::core::Submission>(submission);
    EBB_CHECK(!ebb::report::ToJson(ebb::web::JobAnswer{&card}).empty());
  }
  return 0;
}
