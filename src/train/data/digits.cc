#include "train/data/digits.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "base/random.h"

namespace ebb::train {
namespace {

struct Point {
  double x = 0;
  double y = 0;
};

// A stroke is a smooth curve through its points (Catmull-Rom) or, when straight, a polyline.
// Coordinates are in a unit box, y downwards. A glyph lists the ways of writing one digit.
struct Stroke {
  std::vector<Point> points;
  bool smooth = true;
};
using Glyph = std::vector<Stroke>;

const std::vector<Glyph>& Glyphs(std::uint8_t digit) {
  static const std::array<std::vector<Glyph>, kClasses> kGlyphs = {{
      // 0
      {{{{{.5, 0},
          {.15, .2},
          {.1, .55},
          {.3, .95},
          {.55, 1},
          {.85, .75},
          {.88, .35},
          {.7, .05},
          {.5, 0}}}}},
      // 1: bare, with a flag, with flag and foot
      {{{{{.5, 0}, {.5, .5}, {.5, 1}}}},
       {{{{.28, .25}, {.52, 0}, {.52, 1}}, false}},
       {{{{.28, .22}, {.52, 0}, {.52, 1}}, false}, {{{.25, 1}, {.8, 1}}, false}}},
      // 2: flat and looped foot
      {{{{{.12, .25}, {.3, .03}, {.65, .02}, {.82, .25}, {.65, .55}, {.15, 1}}},
        {{{.15, 1}, {.88, 1}}, false}},
       {{{{.12, .22},
          {.4, 0},
          {.8, .15},
          {.75, .45},
          {.35, .85},
          {.12, .9},
          {.25, .75},
          {.55, .95},
          {.9, .95}}}}},
      // 3: round and flat-topped
      {{{{{.15, .1}, {.5, 0}, {.8, .2}, {.65, .43}, {.4, .47}}},
        {{{.4, .47}, {.75, .55}, {.85, .78}, {.55, 1}, {.1, .9}}}},
       {{{{.15, 0}, {.8, 0}, {.45, .4}}, false},
        {{{.45, .4}, {.8, .55}, {.8, .85}, {.5, 1}, {.12, .9}}}}},
      // 4: open and closed
      {{{{{.2, 0}, {.15, .55}, {.85, .55}}, false}, {{{.7, .15}, {.7, 1}}, false}},
       {{{{.65, 0}, {.1, .65}, {.9, .65}}, false}, {{{.65, 0}, {.65, 1}}, false}}},
      // 5
      {{{{{.82, 0}, {.25, 0}, {.2, .42}}, false},
        {{{.2, .42}, {.55, .35}, {.85, .6}, {.75, .9}, {.4, 1}, {.1, .9}}}}},
      // 6
      {{{{{.75, .02},
          {.4, .2},
          {.18, .55},
          {.22, .88},
          {.5, 1},
          {.8, .85},
          {.78, .6},
          {.5, .48},
          {.2, .65}}}}},
      // 7: bare and crossed
      {{{{{.1, .02}, {.88, .02}, {.4, 1}}, false}},
       {{{{.1, .02}, {.88, .02}, {.4, 1}}, false}, {{{.3, .5}, {.8, .5}}, false}}},
      // 8
      {{{{{.78, .12},
          {.5, 0},
          {.22, .15},
          {.35, .42},
          {.7, .6},
          {.82, .82},
          {.5, 1},
          {.18, .82},
          {.3, .58},
          {.68, .4},
          {.78, .12}}}}},
      // 9: straight and curved tail
      {{{{{.8, .2}, {.5, 0}, {.2, .18}, {.25, .45}, {.55, .5}, {.8, .25}}},
        {{{.8, .2}, {.78, .6}, {.7, 1}}}},
       {{{{.8, .2}, {.5, 0}, {.2, .18}, {.25, .45}, {.55, .5}, {.8, .25}}},
        {{{.8, .2}, {.82, .6}, {.6, .95}, {.2, .95}}}}},
  }};
  return kGlyphs[digit];
}

Point CatmullRom(std::span<const Point, 4> p, double t) {
  const auto blend = [t](double a, double b, double c, double d) {
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t +
                  (3 * b - a - 3 * c + d) * t * t * t);
  };
  return {blend(p[0].x, p[1].x, p[2].x, p[3].x), blend(p[0].y, p[1].y, p[2].y, p[3].y)};
}

std::vector<Point> Flatten(const Stroke& stroke) {
  if (!stroke.smooth) return stroke.points;
  constexpr int kPieces = 5;
  const std::vector<Point>& points = stroke.points;
  std::vector<Point> line = {points.front()};
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const std::array<Point, 4> around = {points[i == 0 ? 0 : i - 1], points[i], points[i + 1],
                                         points[std::min(i + 2, points.size() - 1)]};
    for (int piece = 1; piece <= kPieces; ++piece)
      line.push_back(CatmullRom(around, static_cast<double>(piece) / kPieces));
  }
  return line;
}

// The distortion of one image of its glyph. Ranges are chosen so that a person reads nearly all
// images at sight while a linear model does not: see the accuracy table in docs/train.md.
class Distortion {
 public:
  explicit Distortion(Random& random)
      : angle_(random.Uniform(-0.33, 0.33)),
        shear_(random.Uniform(-0.3, 0.3)),
        width_(random.Uniform(8.5, 14.5)),
        height_(random.Uniform(14.0, 20.5)),
        shift_{random.Uniform(-2.5, 2.5), random.Uniform(-2.5, 2.5)},
        bend_(random.Uniform(0.0, 0.05)) {}

  Point Apply(Point point, Random& random) const {
    const double x = (point.x - 0.5 + bend_ * random.Normal()) * width_;
    const double y = (point.y - 0.5 + bend_ * random.Normal()) * height_;
    const double sheared = x - shear_ * y;
    return {14.0 + shift_.x + sheared * std::cos(angle_) - y * std::sin(angle_),
            14.0 + shift_.y + sheared * std::sin(angle_) + y * std::cos(angle_)};
  }

 private:
  double angle_;
  double shear_;
  double width_;
  double height_;
  Point shift_;
  double bend_;
};

double DistanceToSegment(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length_squared = dx * dx + dy * dy;
  const double along =
      length_squared > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length_squared : 0;
  const double t = std::clamp(along, 0.0, 1.0);
  const double x = p.x - a.x - t * dx;
  const double y = p.y - a.y - t * dy;
  return std::sqrt(x * x + y * y);
}

struct Pen {
  double radius = 1;    ///< pixels
  double softness = 1;  ///< width in pixels of the edge's ramp; 1 is plain anti-aliasing
  double ink = 1;       ///< darkest value, 0..1
};

using Canvas = std::array<double, 28 * 28>;

void DrawSegment(Canvas& canvas, Point a, Point b, const Pen& pen) {
  const double reach = pen.radius + pen.softness;
  const auto first = [reach](double u, double v) {
    return std::clamp(static_cast<int>(std::floor(std::min(u, v) - reach)), 0, 27);
  };
  const auto last = [reach](double u, double v) {
    return std::clamp(static_cast<int>(std::ceil(std::max(u, v) + reach)), 0, 27);
  };
  for (int row = first(a.y, b.y); row <= last(a.y, b.y); ++row) {
    for (int column = first(a.x, b.x); column <= last(a.x, b.x); ++column) {
      const double distance = DistanceToSegment({column + 0.5, row + 0.5}, a, b);
      const double covered = std::clamp((pen.radius - distance) / pen.softness + 0.5, 0.0, 1.0);
      double& value = canvas[static_cast<std::size_t>(row * 28 + column)];
      value = std::max(value, covered * pen.ink);
    }
  }
}

// A stray stroke away from the digit's middle, as a smudge or a neighbour's tail would be.
void DrawClutter(Canvas& canvas, Random& random) {
  const double angle = random.Uniform(0, 2 * std::numbers::pi);
  const Point from{14 + 11 * std::cos(angle), 14 + 11 * std::sin(angle)};
  const Point to{from.x + random.Uniform(-4, 4), from.y + random.Uniform(-4, 4)};
  DrawSegment(canvas, from, to, {random.Uniform(0.4, 0.9), 1.0, random.Uniform(0.3, 0.9)});
}

DigitImage Quantise(const Canvas& canvas, Random& random, double noise) {
  DigitImage image;
  for (std::size_t i = 0; i < canvas.size(); ++i) {
    const double value = canvas[i] + noise * random.Normal();
    image[i] = static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(value, 0.0, 1.0)));
  }
  return image;
}

constexpr std::uint64_t kTestStream = 1ULL << 40;

}  // namespace

std::uint8_t DigitLabel(std::uint64_t index) { return static_cast<std::uint8_t>(index % kClasses); }

DigitImage DrawDigit(const DigitSource& source, std::uint64_t index) {
  Random random(SeedFor(source.seed, source.split == Split::kTest ? index + kTestStream : index));
  const std::vector<Glyph>& ways = Glyphs(DigitLabel(index));
  const Glyph& glyph = ways[random.Below(ways.size())];
  const Distortion distortion(random);
  const Pen pen{random.Uniform(0.6, 1.9), random.Uniform(1.0, 1.8), random.Uniform(0.65, 1.0)};
  Canvas canvas{};
  for (Stroke stroke : glyph) {
    for (Point& point : stroke.points) point = distortion.Apply(point, random);
    const std::vector<Point> line = Flatten(stroke);
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      DrawSegment(canvas, line[i], line[i + 1], pen);
  }
  if (random.Uniform() < 0.3) DrawClutter(canvas, random);
  return Quantise(canvas, random, random.Uniform(0.0, 0.12));
}

Dataset DrawDigits(const DigitSource& source, std::size_t count) {
  Dataset dataset;
  dataset.shape = kDigitShape;
  dataset.pixels.reserve(count * kDigitShape.pixels());
  for (std::size_t i = 0; i < count; ++i) {
    const DigitImage image = DrawDigit(source, i);
    dataset.pixels.insert(dataset.pixels.end(), image.begin(), image.end());
    dataset.labels.push_back(DigitLabel(i));
  }
  return dataset;
}

}  // namespace ebb::train
