#include "core/train/tensor_file.h"

#include <vector>

#include "core/base/check.h"
#include "core/base/text.h"

namespace kurve::train {
namespace {

struct TypeName {
    const char* name;
    at::ScalarType type;
};
constexpr TypeName kTypes[] = {{"F64", at::kDouble},    {"F32", at::kFloat}, {"F16", at::kHalf},
                               {"BF16", at::kBFloat16}, {"I64", at::kLong},  {"I32", at::kInt},
                               {"U8", at::kByte},       {"BOOL", at::kBool}};

const char* nameOf(at::ScalarType type) {
    for (const auto& entry : kTypes)
        if (entry.type == type) return entry.name;
    KURVE_CHECK(false, "no safetensors name for {}", c10::toString(type));
    return "";
}

struct Mismatch {
    const char* code;
    std::string tensor, what;
};

Error toError(const std::vector<Mismatch>& all, const std::filesystem::path& file) {
    constexpr std::size_t kMostNamed = 60;
    std::vector<std::string> named;
    for (const Mismatch& one : all)
        if (named.size() < kMostNamed) named.push_back(one.tensor + " " + one.what);
    std::string what = all.front().what;
    if (all.size() > 1) what = fmt::format("{} tensors do not fit: {}", all.size(), join(named, "; "));
    if (all.size() > named.size()) what += fmt::format("; and {} more", all.size() - named.size());
    return requestError(all.front().code, std::move(what))
        .in(file.string())
        .at(all.front().tensor)
        .fix("this checkpoint belongs to another model; choose one of this run");
}

/// A view of the stored numbers. Errors: what does not fit `into`.
tl::expected<at::Tensor, Mismatch> stored(const std::string& name, const store::TensorView* view,
                                          const at::Tensor& into) {
    const auto unfit = [&](const char* code, std::string what) {
        return tl::make_unexpected(Mismatch{code, name, std::move(what)});
    };
    if (view == nullptr) return unfit("checkpoint.missing_tensor", "is missing");
    if (view->shape != into.sizes().vec())
        return unfit("checkpoint.shape", "has shape " + shapeText(view->shape) + ", the model wants " +
                                             shapeText(into.sizes().vec()));
    if (auto values = tensorOf(*view)) return std::move(*values);
    return unfit("checkpoint.dtype", "has dtype " + view->dtype + ", which is not read here");
}

}  // namespace

NamedTensors moduleTensors(torch::nn::Module& module) {
    NamedTensors all;
    for (const auto& item : module.named_parameters()) all[item.key()] = item.value();
    for (const auto& item : module.named_buffers()) all[item.key()] = item.value();
    return all;
}

std::optional<at::Tensor> tensorOf(const store::TensorView& view) {
    for (const auto& entry : kTypes)
        if (view.dtype == entry.name)
            return at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.shape,
                                 at::dtype(entry.type));
    return std::nullopt;
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::vector<std::string> sizes;
    for (const auto size : shape) sizes.push_back(std::to_string(size));
    return "[" + join(sizes, ", ") + "]";
}

Result<std::string> writeTensors(const std::filesystem::path& file, const NamedTensors& tensors,
                                 const std::map<std::string, std::string>& metadata, bool half) {
    torch::NoGradGuard noGrad;
    std::vector<at::Tensor> alive;
    std::map<std::string, store::TensorView> views;
    for (const auto& [name, tensor] : tensors) {
        at::Tensor host = tensor.detach().to(at::kCPU);
        if (half && host.is_floating_point()) host = host.to(at::kHalf);
        alive.push_back(host.contiguous());
        const auto& stored = alive.back();
        views[name] = {nameOf(stored.scalar_type()),
                       stored.sizes().vec(),
                       {static_cast<const std::byte*>(stored.data_ptr()), stored.nbytes()}};
    }
    return store::writeSafetensors(file, views, metadata);
}

Status readTensors(const std::filesystem::path& file, const NamedTensors& into, OtherTensors others) {
    torch::NoGradGuard noGrad;
    KURVE_TRY(const auto opened, store::SafetensorsFile::open(file));
    std::vector<Mismatch> unfit;
    for (const auto& [name, view] : opened->tensors())
        if (others == OtherTensors::Refused && !into.contains(name))
            unfit.push_back({"checkpoint.unexpected_tensor", name, "is not part of this model"});
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;
    for (const auto& [name, target] : into) {
        const auto source = stored(name, opened->find(name), target);
        if (source)
            copies.emplace_back(target, *source);
        else
            unfit.push_back(source.error());
    }
    if (!unfit.empty()) return toError(unfit, file);
    for (auto& [target, source] : copies) target.copy_(source);
    return {};
}

}  // namespace kurve::train
