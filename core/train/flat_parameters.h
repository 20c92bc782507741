#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torch::nn {
class Module;
}

namespace kurve::train {

/// All parameters of a module laid out in one block of memory, and their gradients in another: the module's
/// tensors become views. So the norm, the optimizer, the sum over replicas and the averaged weights are one
/// operation each. The gradient is accumulated in place; whoever starts a step zeroes it.
class FlatParameters {
public:
    /// Moves the module's parameters (all of one dtype and device) into a new block.
    explicit FlatParameters(torch::nn::Module& module);
    /// Lets a second module of the same build share the first one's values, with gradients of its own.
    FlatParameters(torch::nn::Module& replica, const FlatParameters& owner);

    struct Entry {
        std::string name;
        std::vector<std::int64_t> shape;
        std::int64_t offset = 0, count = 0;
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] const at::Tensor& values() const { return values_; }  ///< [n], gaps for alignment are zero
    [[nodiscard]] const at::Tensor& gradients() const { return gradients_; }  ///< [n]
    /// The part of a block laid out like values() that belongs to an entry, in its shape; shares memory.
    [[nodiscard]] static at::Tensor view(const at::Tensor& flat, const Entry& entry);
    /// Name of the first entry of such a block that holds a NaN or an infinity. Syncs.
    [[nodiscard]] std::optional<std::string> firstNonFinite(const at::Tensor& flat) const;

private:
    void attach(torch::nn::Module& module);
    std::vector<Entry> entries_;
    at::Tensor values_, gradients_;
};

}  // namespace kurve::train
