#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <optional>

namespace kurve::tensor {

/// While it lives, torch's autocast to bf16 on the devices of its kind, for this thread: matrix products,
/// linear maps and attention take and give bf16, layer norms give f32, all else computes in the types that it
/// gets. On "meta" the shapes have those types. Weights are cast at each use: torch's cache would keep casts
/// of a pass without gradients for the one with them.
class Autocast {
public:
    Autocast(c10::Device device, bool on);
    ~Autocast();
    Autocast(const Autocast&) = delete;
    Autocast& operator=(const Autocast&) = delete;

private:
    c10::DeviceType device_;
    bool before_, cacheBefore_;
};

[[nodiscard]] bool autocastOn(c10::Device device);

/// Whether the device multiplies in bf16 itself: a CPU without such instructions does it more slowly than in
/// f32.
[[nodiscard]] bool multipliesBf16(c10::Device device);

/// x itself, or in f32 where it has fewer bits: before a softmax, a sum or a loss.
[[nodiscard]] at::Tensor atLeastFloat(const at::Tensor& x);

/// Matrix products of an operation that has its own gradient, in the precision of the thread where it was
/// made. Takes and gives the operation's own type.
class Products {
public:
    explicit Products(c10::Device device) : low_(autocastOn(device)) {}
    explicit Products(bool low) : low_(low) {}
    /// a b, of [n, k] and [k, m] or [k], and the bias [m].
    [[nodiscard]] at::Tensor operator()(const at::Tensor& a, const at::Tensor& b,
                                        const std::optional<at::Tensor>& maybeBias = {}) const;
    /// What a later product reads, to be stored until then.
    [[nodiscard]] at::Tensor stored(const at::Tensor& x) const;
    [[nodiscard]] bool low() const { return low_; }

private:
    bool low_;
};

}  // namespace kurve::tensor
