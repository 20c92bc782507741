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

Error mismatch(const char* code, const std::filesystem::path& file, const std::string& tensor,
               std::string what) {
    return requestError(code, std::move(what))
        .in(file.string())
        .at(tensor)
        .fix("this checkpoint belongs to another model; choose one of this run");
}

Result<at::Tensor> readOne(const std::filesystem::path& file, const std::string& name,
                           const store::TensorView& view, const at::Tensor& into) {
    if (view.shape != into.sizes().vec())
        return mismatch(
            "checkpoint.shape", file, name,
            "has shape " + shapeText(view.shape) + ", the model wants " + shapeText(into.sizes().vec()));
    if (auto values = tensorOf(view)) return std::move(*values);
    return mismatch("checkpoint.dtype", file, name, "has dtype " + view.dtype + ", which is not read here");
}

}  // namespace

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

Status readTensors(const std::filesystem::path& file, const NamedTensors& into) {
    torch::NoGradGuard noGrad;
    KURVE_TRY(const auto opened, store::SafetensorsFile::open(file));
    for (const auto& [name, view] : opened->tensors())
        if (!into.contains(name))
            return mismatch("checkpoint.unexpected_tensor", file, name, "is not part of this model");
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;
    for (const auto& [name, target] : into) {
        const store::TensorView* view = opened->find(name);
        if (view == nullptr) return mismatch("checkpoint.missing_tensor", file, name, "is missing");
        KURVE_TRY(at::Tensor source, readOne(file, name, *view, target));
        copies.emplace_back(target, source);
    }
    for (auto& [target, source] : copies) target.copy_(source);
    return {};
}

}  // namespace kurve::train
