#include "core/train/flat_parameters.h"

#include <set>

#include "core/base/check.h"

namespace kurve::train {
namespace {

constexpr std::int64_t kAlignment =
    16;  // elements: 64 bytes in single precision, what torch gives its own blocks

// Parameters once each, in the order of registration (a tied one is registered under two names).
std::vector<std::pair<std::string, at::Tensor>> uniqueParameters(torch::nn::Module& module) {
    std::vector<std::pair<std::string, at::Tensor>> all;
    std::set<const c10::TensorImpl*> seen;
    for (const auto& item : module.named_parameters())
        if (seen.insert(item.value().unsafeGetTensorImpl()).second)
            all.emplace_back(item.key(), item.value());
    return all;
}

}  // namespace

FlatParameters::FlatParameters(torch::nn::Module& module) {
    torch::NoGradGuard noGrad;
    const auto parameters = uniqueParameters(module);
    KURVE_CHECK(!parameters.empty(), "a model without parameters");
    const auto options = parameters.front().second.options();
    std::int64_t total = 0;
    for (const auto& [name, tensor] : parameters) {
        KURVE_CHECK(tensor.dtype() == options.dtype() && tensor.device() == options.device(),
                    "{} has another dtype or device than the first parameter", name);
        entries_.push_back({name, tensor.sizes().vec(), total, tensor.numel()});
        total += (tensor.numel() + kAlignment - 1) / kAlignment * kAlignment;
    }
    values_ = at::zeros({total}, options.requires_grad(false));
    for (std::size_t i = 0; i < entries_.size(); ++i) view(values_, entries_[i]).copy_(parameters[i].second);
    attach(module);
}

FlatParameters::FlatParameters(torch::nn::Module& replica, const FlatParameters& owner)
    : entries_(owner.entries_), values_(owner.values_) {
    attach(replica);
}

void FlatParameters::attach(torch::nn::Module& module) {
    torch::NoGradGuard noGrad;
    const auto parameters = uniqueParameters(module);
    KURVE_CHECK(parameters.size() == entries_.size(), "got {} parameters expected {}", parameters.size(),
                entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        at::Tensor parameter = parameters[i].second;
        KURVE_CHECK(parameters[i].first == entries_[i].name, "got {} expected {}", parameters[i].first,
                    entries_[i].name);
        parameter.set_data(view(values_, entries_[i]));
        tensors_.push_back(std::move(parameter));
    }
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
