#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/train/model_family.h"

namespace kurve::models {

/// Evaluation mode while it lives.
class Evaluating {
public:
    explicit Evaluating(torch::nn::Module& module) : module_(module), was_(module.is_training()) {
        module_.eval();
    }
    ~Evaluating() { module_.train(was_); }
    Evaluating(const Evaluating&) = delete;
    Evaluating& operator=(const Evaluating&) = delete;

private:
    torch::nn::Module& module_;
    bool was_;
};

/// Rows padded on the right.
struct PaddedRows {
    at::Tensor ids;  ///< [n, longest] i64
    std::vector<std::int32_t> lengths;
};
struct Padding {
    std::int32_t id = 0;   ///< SpecialIds::pad
    std::size_t skip = 0;  ///< first ids that are left out of each row
};
/// Those of `rows` that `which` names, in that order.
[[nodiscard]] PaddedRows padRows(const std::vector<std::vector<std::int32_t>>& rows,
                                 std::span<const std::size_t> which, c10::Device device,
                                 const Padding& padding);

/// Numbers of the rows in groups of at most `size`: similar lengths together, row 0 first in the first group.
[[nodiscard]] std::vector<std::vector<std::size_t>> groupsByLength(
    const std::vector<std::vector<std::int32_t>>& rows, std::size_t size);

/// The candidates by falling score, equal ones in their order; `maybeFirst` goes before all.
[[nodiscard]] std::vector<std::size_t> bestFirst(const std::vector<train::Candidate>& candidates,
                                                 std::optional<std::int64_t> maybeFirst);

/// Errors: sample.too_long, for a row of more than `longest` ids.
[[nodiscard]] Status checkLengths(const std::vector<std::vector<std::int32_t>>& rows, std::int64_t longest);
[[nodiscard]] Status checkSources(const train::GenerateRequest& request, std::int64_t longest);

}  // namespace kurve::models
