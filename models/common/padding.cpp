#include "models/common/padding.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>

#include "core/tensor/to_device.h"

namespace kurve::models {
namespace {

template <class T>
at::Tensor copied(std::span<const T> values, at::ScalarType type, c10::Device device) {
    at::Tensor host = at::empty({static_cast<std::int64_t>(values.size())},
                                at::TensorOptions(type).pinned_memory(device.is_cuda()));
    std::copy(values.begin(), values.end(), host.mutable_data_ptr<T>());
    return host.to(device, /*non_blocking=*/true);
}

}  // namespace

bool isFull(std::span<const std::int32_t> lengths, std::int64_t width) {
    return std::all_of(lengths.begin(), lengths.end(),
                       [width](std::int32_t length) { return length >= width; });
}

at::Tensor realPositions(std::span<const std::int32_t> lengths, std::int64_t width, c10::Device device) {
    const auto rows = static_cast<std::int64_t>(lengths.size());
    at::Tensor mask = at::zeros({rows, width}, at::kBool);
    bool* out = mask.mutable_data_ptr<bool>();
    for (std::int64_t r = 0; r < rows; ++r)
        std::fill_n(out + r * width, std::min<std::int64_t>(lengths[static_cast<std::size_t>(r)], width),
                    true);
    return tensor::toDevice(mask, device);
}

at::Tensor attentionMask(std::span<const std::int32_t> lengths, std::int64_t width, c10::Device device) {
    if (isFull(lengths, width)) return {};
    const auto rows = static_cast<std::int64_t>(lengths.size());
    at::Tensor mask =
        at::zeros({rows, 1, 1, width}, at::TensorOptions(at::kFloat).pinned_memory(device.is_cuda()));
    auto* out = mask.mutable_data_ptr<float>();
    for (std::int64_t r = 0; r < rows; ++r) {
        const auto length = std::min<std::int64_t>(lengths[static_cast<std::size_t>(r)], width);
        std::fill_n(out + r * width + length, width - length, -std::numeric_limits<float>::infinity());
    }
    return mask.to(device, /*non_blocking=*/true);
}

at::Tensor toDevice(std::span<const std::int64_t> values, c10::Device device) {
    return copied(values, at::kLong, device);
}

at::Tensor toDevice(std::span<const float> values, c10::Device device) {
    return copied(values, at::kFloat, device);
}

at::Tensor rowMeans(const at::Tensor& perToken, std::span<const std::int32_t> lengths, std::int64_t width) {
    const auto rows = static_cast<std::int64_t>(lengths.size());
    if (isFull(lengths, width)) return perToken.view({rows, width}).mean(1);
    const std::vector<float> counts(lengths.begin(), lengths.end());
    const at::Tensor row = at::floor_divide(realIndices(lengths, width, perToken.device()), width);
    return at::zeros({rows}, perToken.options()).index_add_(0, row, perToken) /
           toDevice(std::span<const float>(counts), perToken.device());
}

at::Tensor realIndices(std::span<const std::int32_t> lengths, std::int64_t width, c10::Device device) {
    std::vector<std::int64_t> indices;
    indices.reserve(lengths.size() * static_cast<std::size_t>(width));
    for (std::size_t r = 0; r < lengths.size(); ++r)
        for (std::int64_t i = 0; i < lengths[r]; ++i)
            indices.push_back(static_cast<std::int64_t>(r) * width + i);
    return toDevice(std::span<const std::int64_t>(indices), device);
}

}  // namespace kurve::models
