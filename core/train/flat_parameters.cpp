#include "core/train/flat_parameters.h"

#include <set>

#include "core/base/check.h"

namespace kurve::train {
namespace {

constexpr std::int64_t kAlignment =
    16;  // elements: 64 bytes in single precision, what torch gives its own blocks

using Named = std::vector<std::pair<std::string, at::Tensor>>;

// Parameters once each, in the order of registration (a tied one is registered under two names).
std::pair<Named, Named> trainedAndFrozen(torch::nn::Module& module) {
    Named trained, frozen;
    std::set<const c10::TensorImpl*> seen;
    for (const auto& item : module.named_parameters())
        if (seen.insert(item.value().unsafeGetTensorImpl()).second)
            (item.value().requires_grad() ? trained : frozen).emplace_back(item.key(), item.value());
    return {std::move(trained), std::move(frozen)};
}

}  // namespace

FlatParameters::FlatParameters(torch::nn::Module& module) {
    torch::NoGradGuard noGrad;
    auto [trained, frozen] = trainedAndFrozen(module);
    frozen_ = std::move(frozen);
    KURVE_CHECK(!trained.empty(), "a model without parameters to train");
    const auto options = trained.front().second.options();
    std::int64_t total = 0;
    for (const auto& [name, tensor] : trained) {
        KURVE_CHECK(tensor.dtype() == options.dtype() && tensor.device() == options.device(),
                    "{} has another dtype or device than the first parameter", name);
        entries_.push_back({name, tensor.sizes().vec(), total, tensor.numel()});
        total += (tensor.numel() + kAlignment - 1) / kAlignment * kAlignment;
    }
    values_ = at::zeros({total}, options.requires_grad(false));
    for (std::size_t i = 0; i < entries_.size(); ++i) view(values_, entries_[i]).copy_(trained[i].second);
    attach(trained);
}

FlatParameters::FlatParameters(torch::nn::Module& replica, const FlatParameters& owner)
    : entries_(owner.entries_), values_(owner.values_) {
    torch::NoGradGuard noGrad;
    auto [trained, frozen] = trainedAndFrozen(replica);
    frozen_ = std::move(frozen);
    KURVE_CHECK(frozen_.size() == owner.frozen_.size(), "got {} frozen parameters expected {}",
                frozen_.size(), owner.frozen_.size());
    for (std::size_t i = 0; i < frozen_.size(); ++i) frozen_[i].second.set_data(owner.frozen_[i].second);
    attach(trained);
}

void FlatParameters::attach(const Named& trained) {
    torch::NoGradGuard noGrad;
    KURVE_CHECK(trained.size() == entries_.size(), "got {} parameters expected {}", trained.size(),
                entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        at::Tensor parameter = trained[i].second;
        KURVE_CHECK(trained[i].first == entries_[i].name, "got {} expected {}", trained[i].first,
                    entries_[i].name);
        parameter.set_data(view(values_, entries_[i]));
        tensors_.push_back(std::move(parameter));
    }
}

std::int64_t FlatParameters::trainedCount() const {
    std::int64_t count = 0;
    for (const Entry& entry : entries_) count += entry.count;
    return count;
}

std::int64_t FlatParameters::frozenCount() const {
    std::int64_t count = 0;
    for (const auto& [name, tensor] : frozen_) count += tensor.numel();
    return count;
}

at::Tensor FlatParameters::view(const at::Tensor& flat, const Entry& entry) {
    return flat.narrow(0, entry.offset, entry.count).view(entry.shape);
}

std::optional<std::string> FlatParameters::firstNonFinite(const at::Tensor& flat) const {
    for (const auto& entry : entries_)
        if (!at::isfinite(view(flat, entry)).all().item<bool>()) return entry.name;
    return std::nullopt;
}

std::optional<std::string> FlatParameters::firstNonFiniteGradient() const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const at::Tensor& gradient = tensors_[i].grad();
        if (gradient.defined() && !at::isfinite(gradient).all().item<bool>()) return entries_[i].name;
    }
    return std::nullopt;
}

}  // namespace kurve::train
