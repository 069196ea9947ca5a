#include "train/language/products/frozen_matrix.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "train/devices/finite.h"
#include "train/files/weight_codes.h"
#include "train/language/products/dot_product.h"
#include "train/language/products/linear_product.h"
#include "train/language/products/one_row_product.h"
#include "train/language/products/weight_operations.h"

namespace ebb::train {
namespace {

using torch::Tensor;

// The number of elements of a chunk: large enough for matrix products at full speed, small compared
// to the weights. A chunk fits into the caches of a CPU. A GPU decodes whole matrices.
constexpr std::int64_t kChunkElementsOfCpu = 1 << 20;
// Encoding makes several copies of a chunk.
constexpr std::int64_t kEncodedElements = 1 << 24;
constexpr std::int64_t kGrainElements = 1 << 15;
constexpr auto kBlock = static_cast<std::int64_t>(kNf4Block);

// Calls visit(first, end) for ranges of rows with so many elements, on all threads.
template <typename Visit>
void ForRows(std::int64_t count, std::int64_t elements, const Visit& visit) {
  at::parallel_for(0, count,
                   std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, elements)),
                   visit);
}

std::span<const float> Row(const Tensor& values, std::int64_t row) {
  const auto columns = static_cast<std::size_t>(values.size(1));
  return {values.data_ptr<float>() + row * values.size(1), columns};
}

// Encodes rows of `values`, from row `first` of the codes on.
void Encode(const Tensor& values, BaseWeights as, std::int64_t first, const Tensor& codes,
            const Tensor& scales) {
  float* scale = scales.data_ptr<float>();
  ForRows(values.size(0), values.size(1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = first + i;
      if (as == BaseWeights::kInt8)
        scale[row] =
            EncodeInt8(Row(values, i), codes.data_ptr<std::int8_t>() + row * codes.size(1));
      else
        EncodeNf4(Row(values, i), codes.data_ptr<std::uint8_t>() + row * codes.size(1),
                  scale + row * scales.size(1));
    }
  });
}

}  // namespace

FrozenMatrix::FrozenMatrix(Tensor plain)
    : codes_(std::move(plain)), columns_(codes_.size(1)), type_(codes_.scalar_type()) {}

FrozenMatrix FrozenMatrix::Stored(const Tensor& weight, BaseWeights as,
                                  const torch::TensorOptions& wanted) {
  const torch::NoGradGuard no_grad;
  if (as == BaseWeights::kPlain) return FrozenMatrix(weight.to(wanted));
  FrozenMatrix matrix;
  matrix.as_ = as;
  matrix.type_ = c10::typeMetaToScalarType(wanted.dtype());
  matrix.columns_ = weight.size(1);
  if (as == BaseWeights::kBf16) {
    matrix.codes_ = weight.to(wanted.dtype(torch::kBFloat16));
    return matrix;
  }
  if (wanted.device().is_cpu())
    matrix.EncodeOnCpu(weight);
  else
    matrix.EncodeOnDevice(weight, wanted.device());
  if (as == BaseWeights::kNf4Double) matrix.EncodeScalesOnceMore();
  return matrix;
}

void FrozenMatrix::EncodeOnCpu(const Tensor& weight) {
  const std::int64_t rows = weight.size(0);
  const auto columns = static_cast<std::size_t>(columns_);
  const bool nf4 = as_ != BaseWeights::kInt8;
  codes_ = torch::empty({rows, nf4 ? static_cast<std::int64_t>(Nf4RowBytes(columns)) : columns_},
                        torch::dtype(nf4 ? torch::kUInt8 : torch::kInt8));
  scales_ = torch::empty({rows, nf4 ? static_cast<std::int64_t>(Nf4Blocks(columns)) : 1});
  const std::int64_t chunk = std::max<std::int64_t>(1, kChunkElementsOfCpu / columns_);
  for (std::int64_t first = 0; first < rows; first += chunk) {
    const Tensor values = weight.narrow(0, first, std::min(chunk, rows - first))
                              .to(torch::dtype(torch::kFloat32).device(torch::kCPU))
                              .contiguous();
    Encode(values, as_, first, codes_, scales_);
  }
}

void FrozenMatrix::EncodeOnDevice(const Tensor& weight, torch::Device device) {
  const std::int64_t rows = weight.size(0);
  const std::int64_t chunk = std::max<std::int64_t>(1, kEncodedElements / columns_);
  std::vector<Tensor> codes, scales;
  for (std::int64_t first = 0; first < rows; first += chunk) {
    const Tensor values = weight.narrow(0, first, std::min(chunk, rows - first))
                              .to(device)
                              .to(torch::kFloat32)
                              .contiguous();
    WeightTensors encoded = EncodeByOperations(values, as_);
    codes.push_back(std::move(encoded.codes));
    scales.push_back(std::move(encoded.scales));
  }
  codes_ = torch::cat(codes);
  scales_ = torch::cat(scales);
}

void FrozenMatrix::EncodeScalesOnceMore() {
  const Tensor scales = scales_.cpu();
  const auto count = static_cast<std::size_t>(scales.numel());
  const Tensor codes = torch::empty(scales.sizes(), torch::dtype(torch::kInt8));
  const Tensor of_blocks = torch::empty({static_cast<std::int64_t>(ScaleBlocks(count))});
  scale_mean_ = EncodeScales({scales.data_ptr<float>(), count}, codes.data_ptr<std::int8_t>(),
                             of_blocks.data_ptr<float>());
  scale_codes_ = codes.to(scales_.device());
  scales_ = of_blocks.to(scales_.device());
}

std::int64_t FrozenMatrix::bytes() const {
  std::size_t bytes = 0;
  for (const Tensor* tensor : {&codes_, &scales_, &scale_codes_})
    if (tensor->defined()) bytes += tensor->nbytes();
  return static_cast<std::int64_t>(bytes + (scale_codes_.defined() ? sizeof scale_mean_ : 0));
}

bool FrozenMatrix::is_finite() const {
  return IsFinite(codes_.is_floating_point() ? codes_ : scales_);
}

Tensor FrozenMatrix::Whole() const { return Rows(0, rows()); }

Tensor FrozenMatrix::Rows(std::int64_t first, std::int64_t count) const {
  return Part({first, count}, {0, columns_});
}

template <typename Number>
void FrozenMatrix::DecodeRow(std::int64_t row, std::int64_t first_column, std::span<Number> out,
                             std::vector<float>& decoded_scales) const {
  const float* scales = scales_.data_ptr<float>();
  const std::int64_t at = row * codes_.size(1);
  if (as_ == BaseWeights::kInt8) {
    DecodeInt8(codes_.data_ptr<std::int8_t>() + at + first_column, scales[row], out);
    return;
  }
  const std::int64_t blocks = (scale_codes_.defined() ? scale_codes_ : scales_).size(1);
  const std::int64_t scale = row * blocks + first_column / kBlock;
  if (scale_codes_.defined()) {
    decoded_scales.resize(Nf4Blocks(out.size()));
    DecodeScales(scale_codes_.data_ptr<std::int8_t>(), scales, scale_mean_,
                 static_cast<std::size_t>(scale), decoded_scales);
  }
  DecodeNf4(codes_.data_ptr<std::uint8_t>() + at + first_column / 2,
            scale_codes_.defined() ? decoded_scales.data() : scales + scale, out);
}

template <typename Number>
void FrozenMatrix::Decode(Range rows, Range columns, Number* out) const {
  ForRows(rows.count, columns.count, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> decoded_scales;
    for (std::int64_t i = begin; i < end; ++i)
      DecodeRow(rows.first + i, columns.first,
                std::span(out + i * columns.count, static_cast<std::size_t>(columns.count)),
                decoded_scales);
  });
}

// Each row is multiplied in its codes, or while its numbers are in the first-level cache.
Tensor FrozenMatrix::TimesOneRow(const Tensor& x) const {
  if (as_ == BaseWeights::kBf16) return ProductOfOneRow(x, codes_);
  const auto columns = static_cast<std::size_t>(columns_);
  return ProductOfOneRow(
      x, rows(), [&](std::int64_t first, std::int64_t end, const float* numbers, float* y) {
        std::vector<float> decoded(as_ == BaseWeights::kInt8 ? 0 : columns), decoded_scales;
        for (std::int64_t row = first; row < end; ++row) {
          if (as_ == BaseWeights::kInt8) {
            const auto* codes = codes_.data_ptr<std::int8_t>() + row * columns_;
            y[row] =
                scales_.data_ptr<float>()[row] * DotProduct(std::span(codes, columns), numbers);
            continue;
          }
          DecodeRow(row, 0, std::span(decoded), decoded_scales);
          y[row] = DotProduct(std::span<const float>(decoded), numbers);
        }
      });
}

Tensor FrozenMatrix::ScalesOf(Range rows) const {
  if (!scale_codes_.defined()) return scales_.narrow(0, rows.first, rows.count);
  return DecodeScalesByOperations(scale_codes_.narrow(0, rows.first, rows.count),
                                  rows.first * scale_codes_.size(1), scales_, scale_mean_);
}

// Decodes by LibTorch's operations.
Tensor FrozenMatrix::PartOfCodes(Range rows, Range columns) const {
  const Tensor codes = codes_.narrow(0, rows.first, rows.count);
  const Tensor scales = ScalesOf(rows);
  if (as_ == BaseWeights::kInt8)
    return DecodeByOperations({codes.narrow(1, columns.first, columns.count), scales}, as_,
                              columns.count, type_);
  const std::int64_t first = columns.first / kBlock;
  const std::int64_t blocks = (columns.count + kBlock - 1) / kBlock;
  return DecodeByOperations(
      {codes.narrow(1, first * kBlock / 2, blocks * kBlock / 2), scales.narrow(1, first, blocks)},
      as_, columns.count, type_);
}

// `columns` must begin with a block.
Tensor FrozenMatrix::Part(Range rows, Range columns) const {
  if (as_ == BaseWeights::kPlain || as_ == BaseWeights::kBf16)
    return codes_.narrow(0, rows.first, rows.count)
        .narrow(1, columns.first, columns.count)
        .to(type_);
  if (!codes_.is_cpu()) return PartOfCodes(rows, columns);
  Tensor part = torch::empty({rows.count, columns.count}, torch::dtype(type_));
  switch (type_) {
    case torch::kFloat64:
      Decode(rows, columns, part.data_ptr<double>());
      break;
    case torch::kBFloat16:
      Decode(rows, columns, reinterpret_cast<Bf16*>(part.data_ptr()));
      break;
    default:
      EBB_CHECK(type_ == torch::kFloat32);
      Decode(rows, columns, part.data_ptr<float>());
  }
  return part;
}

// Cuts a side of `length` into ranges of whole blocks; the other side has `width`.
template <typename Visit>
void FrozenMatrix::ForEachChunk(std::int64_t length, std::int64_t width, const Visit& visit) const {
  const std::int64_t chunk =
      std::max<std::int64_t>(1, kChunkElementsOfCpu / width / kBlock) * kBlock;
  for (std::int64_t first = 0; first < length; first += chunk)
    visit(Range{first, std::min(chunk, length - first)});
}

Tensor FrozenMatrix::Times(const Tensor& x) const {
  if (is_plain()) return LinearProduct(x, codes_);
  if (!codes_.is_cpu()) return LinearProduct(x, Whole());
  if (IsOneRow(x)) return TimesOneRow(x);
  Tensor product = torch::empty({x.size(0), rows()}, x.options());
  ForEachChunk(rows(), columns_, [&](Range chunk) {
    product.narrow(1, chunk.first, chunk.count).copy_(LinearProduct(x, Part(chunk, {0, columns_})));
  });
  return product;
}

Tensor FrozenMatrix::TransposedTimes(const Tensor& y) const {
  if (is_plain()) return LinearProduct(y, codes_.t());
  if (!codes_.is_cpu()) return LinearProduct(y, Whole().t());
  Tensor product = torch::empty({y.size(0), columns_}, y.options());
  ForEachChunk(columns_, rows(), [&](Range chunk) {
    product.narrow(1, chunk.first, chunk.count)
        .copy_(LinearProduct(y, Part({0, rows()}, chunk).t()));
  });
  return product;
}

// A GPU's product adds to what is there; on a CPU, LinearProduct may be faster than such a product.
void FrozenMatrix::AddTransposedTimes(const Tensor& y, Tensor& sum) const {
  if (codes_.is_cpu())
    sum.add_(TransposedTimes(y));
  else
    sum.addmm_(y, is_plain() ? codes_ : Whole());
}

}  // namespace ebb::train
