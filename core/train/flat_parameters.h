#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace torch::nn {
class Module;
}

namespace kurve::train {

/// The parameters of a module that are trained (requires_grad) laid out in one block of memory: the module's
/// tensors become views. So the norm, the optimizer and the averaged weights are one operation each, and none
/// of them knows the frozen ones, which stay where they are. Gradients are left where autograd
/// made them and gathered into such a block once a step (zeroing and adding into a block would move the
/// parameters' size three times more).
class FlatParameters {
public:
    /// Moves the module's trained parameters (all of one dtype and device) into a new block.
    explicit FlatParameters(torch::nn::Module& module);
    /// A second module of the same build shares the first one's values, the frozen ones too; its
    /// gradients are its own.
    FlatParameters(torch::nn::Module& replica, const FlatParameters& owner);

    struct Entry {
        std::string name;
        std::vector<std::int64_t> shape;
        std::int64_t offset = 0, count = 0;
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// Those that are not trained, by name.
    [[nodiscard]] const std::vector<std::pair<std::string, at::Tensor>>& frozen() const { return frozen_; }
    [[nodiscard]] std::int64_t trainedCount() const;  ///< numbers in the entries
    [[nodiscard]] std::int64_t frozenCount() const;
    [[nodiscard]] const at::Tensor& values() const { return values_; }  ///< [n], gaps for alignment are zero
    /// The module's parameters in the order of the entries; .grad() of those that took part in the last
    /// backward.
    [[nodiscard]] std::vector<at::Tensor>& tensors() { return tensors_; }
    /// The part of a block laid out like values() that belongs to an entry, in its shape; results memory.
    [[nodiscard]] static at::Tensor view(const at::Tensor& flat, const Entry& entry);
    /// Name of the first entry of such a block that holds a NaN or an infinity. Syncs.
    [[nodiscard]] std::optional<std::string> firstNonFinite(const at::Tensor& flat) const;
    /// The same for the gradients.
    [[nodiscard]] std::optional<std::string> firstNonFiniteGradient() const;

private:
    void attach(const std::vector<std::pair<std::string, at::Tensor>>& trained);
    std::vector<Entry> entries_;
    std::vector<std::pair<std::string, at::Tensor>> frozen_;
    at::Tensor values_;
    std::vector<at::Tensor> tensors_;
};

}  // namespace kurve::train
