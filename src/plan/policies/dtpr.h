#pragma once
// The thresholds of DTPR-min, double threshold pause and resume (Lechowicz et al., "The online
// pause and resume problem", arXiv 2303.17551): buy k units, one per step, at prices within [L, U]
// that become known one at a time; going on and off together costs 2 beta. Whatever the prices, the
// cost is at most alpha times that of the best purchase in hindsight, and no deterministic rule
// does better.
//
// The thresholds balance the worst cases. In such a case, j units were bought at their start
// thresholds l_1..l_j, each in a run of its own, and the rest at U at the end. This must cost alpha
// times k l_(j+1) + 2 beta, the least that the best purchase can have cost if no price was at or
// below l_(j+1). With l_(k+1) = L:
//
//   l_1 = (U + 2 beta / k) / alpha - 2 beta / k
//   U - 2 beta - l_i = (U - 2 beta - l_1) (1 + 1 / (alpha k))^(i - 1)
//   U - 2 beta - L   = (U - 2 beta - l_1) (1 + 1 / (alpha k))^k         (defines alpha)
//
// With beta = 0 they are the thresholds of k-min search (Lorenz et al., 2009); k = 1 gives sqrt(L
// U).

namespace ebb::plan {

struct PriceBounds {
  double lower = 0;  ///< > 0
  double upper = 0;  ///< >= lower
};

class DtprThresholds {
 public:
  /// `switching` is 2 beta, in the unit of the price of one step.
  DtprThresholds(PriceBounds bounds, int units, double switching);

  /// The competitive ratio; >= 1.
  double alpha() const { return alpha_; }
  /// The threshold at or below which unit i (1..k) is bought after a pause.
  double Start(int unit) const;
  /// The threshold at or below which unit i is bought while buying: Start + 2 beta.
  double Keep(int unit) const;

 private:
  PriceBounds bounds_;
  int units_;
  double switching_;
  double alpha_ = 1;
};

}  // namespace ebb::plan
