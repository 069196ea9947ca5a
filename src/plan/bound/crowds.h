#pragma once
// A quick estimate of the relaxation of a long queue (relaxation.h), from which a climb learns
// nearly the best rents. Jobs with the same choices and about the same length and power are one
// crowd, and one of them, the model, stands for all. The windows of the model are looked at once:
// the least cost of all begins so far answers for every deadline. All jobs keep their own deadlines
// and weigh as much as their device-hours. The value is not a bound, but rents that are good here
// give a good bound there. Private to the bound.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plan/bound/relaxation.h"

namespace ebb::plan {

class Crowds final : public Relaxed {
 public:
  /// About `count` crowds of all jobs. nullptr if a job may be split, if jobs differ in their
  /// earliest begins, or if more than `count` jobs differ in their choices.
  static std::unique_ptr<Crowds> Of(const BoundInput& input, const PoolSteps& capacity,
                                    std::size_t count);

  double Evaluate(const PoolSteps& rents) override;
  std::int64_t places() const override { return places_; }

 private:
  // A choice of a model job. The window has `whole` steps and `rest` hours.
  struct Option {
    std::size_t pool = 0;
    const PriceCurve* here = nullptr;
    const PriceCurve* from = nullptr;  ///< prices of the site that sends files, if one does
    double kilowatts = 0;
    std::size_t whole = 0;
    double rest = 0;
    double move_here = 0, move_from = 0;  ///< kilowatt-hours of a move beyond those of running
    std::size_t last = 0;                 ///< last step in which a job of the crowd may begin
  };
  struct Crowd {
    double width = 1;
    std::vector<Option> options;
    std::vector<double> weights;      ///< device-hours of each job, in those of the model
    std::vector<std::uint32_t> last;  ///< last step of the begin, by job and option
  };
  // The least cost of the begins so far, by step, and the begin that has it: twice the step, and
  // one more if the window ends on an edge instead of beginning there.
  struct Row {
    std::vector<double> least;
    std::vector<std::uint32_t> at;
    std::vector<double> wanted;            ///< models that want to begin there
    std::vector<std::uint32_t> wanted_at;  ///< begins that any want
  };
  using Jobs = std::vector<std::size_t>;

  Crowds(const BoundInput& input, const PoolSteps& capacity);
  void AddKind(Jobs jobs, std::size_t count);
  void AddCrowd(const Jobs& jobs);
  Option OptionOf(const BoundChoice& choice) const;
  std::size_t LastStep(const BoundChoice& choice) const;
  double Place(const Crowd& crowd);
  void Scan(const Crowd& crowd, const Option& option, Row& row);
  void FillShort(const Crowd& crowd, const Option& option);
  void FillLong(const Crowd& crowd, const Option& option);
  void KeepLeast(std::size_t last, Row& row) const;
  void Ask(const Crowd& crowd, const Option& option, Row& row);

  const BoundInput& input_;
  const PriceCurve& curve_;  ///< any of the curves: all have the same steps
  std::size_t first_ = 0;    ///< first step in which jobs may begin
  std::vector<Crowd> crowds_;
  std::int64_t places_ = 0;
  const PoolSteps* rents_ = nullptr;
  PoolSteps sums_;  ///< sum of rent x hours before each edge
  std::vector<Row> rows_;
  std::vector<double> begins_, ends_, costs_;  ///< costs of a model, by step of the begin
  std::vector<double> both_sums_;              ///< sums of price and rent before each edge
};

}  // namespace ebb::plan
