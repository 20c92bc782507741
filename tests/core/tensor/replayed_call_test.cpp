#include "core/tensor/replayed_call.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

namespace kurve::tensor {
namespace {

/// On the host: what is captured writes to memory that stays the same, and is computed by replay() only.
class HostGraph : public DeviceGraph {
public:
    HostGraph(at::Tensor memory, int& captures) : memory_(std::move(memory)), captures_(captures) {}
    void capture(const std::function<void()>& work) override {
        ++captures_;
        work_ = work;
        work();
        memory_.fill_(std::numeric_limits<float>::quiet_NaN());
    }
    void replay() override { work_(); }

private:
    at::Tensor memory_;
    int& captures_;
    std::function<void()> work_;
};

TEST(ReplayedCall, ComputesWhatTheFunctionComputes) {
    at::Tensor memory;
    int captures = 0;
    const auto function = [&](const ReplayedCall::Tensors& inputs) {
        const at::Tensor product = inputs[0] * inputs[1] + 1;
        if (!memory.defined() || !memory.is_same_size(product)) memory = at::empty_like(product);
        return ReplayedCall::Tensors{memory.copy_(product)};
    };
    ReplayedCall call(function, [&] { return std::make_unique<HostGraph>(memory, captures); });
    for (const std::int64_t width : {3, 5}) {  // other shapes begin anew
        ReplayedCall::Tensors results, wanted;
        for (int i = 0; i < 4; ++i) {
            const at::Tensor a = at::randn({2, width}), b = at::randn({width});
            results.push_back(i == 0 ? call({a, b})[0].clone() : call({a, b})[0]);
            wanted.push_back(a * b + 1);
        }
        for (std::size_t i = 0; i < results.size(); ++i)
            EXPECT_TRUE(at::equal(results[i], wanted[i])) << "call " << i << " of width " << width;
    }
    EXPECT_EQ(captures, 2);
    (void)call({at::ones({2, 5}), at::ones({2, 5})});  // broadcast no longer
    EXPECT_EQ(captures, 2) << "the first call with inputs of other shapes is not captured";
}

}  // namespace
}  // namespace kurve::tensor
