#include "core/train/published_format.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/train/tensor_file.h"

namespace kurve::train {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kIndex = "model.safetensors.index.json";

std::string withNumber(std::string name, std::int64_t number) {
    if (const auto at = name.find('#'); at != std::string::npos) name.replace(at, 1, std::to_string(number));
    return name;
}

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// Files that a Python program reads by running them.
bool isPickle(const fs::path& file) {
    const std::string ending = file.extension().string();
    return ending == ".bin" || ending == ".pt" || ending == ".pth" || ending == ".ckpt";
}

std::vector<fs::path> filesOf(const fs::path& folder, bool (*wanted)(const fs::path&)) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.is_regular_file(ignored) && wanted(entry.path())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

Error noWeights(const fs::path& folder) {
    if (const auto pickles = filesOf(folder, isPickle); !pickles.empty())
        return requestError("model.pickle",
                            "is a pickle: to read it runs whatever program it holds, so it is not read")
            .in(pickles.front().string())
            .fix(fmt::format(
                "convert it where you trust it: python3 -c \"import torch; from safetensors.torch import "
                "save_file; w = torch.load('{0}', map_location='cpu', weights_only=True); w = "
                "w.get('state_dict', w); save_file({{k: v.clone().contiguous() for k, v in w.items()}}, "
                "'model.safetensors')\"",
                pickles.front().filename().string()));
    return requestError("model.no_weights", "there are no weights (*.safetensors) in this folder")
        .in(folder.string())
        .fix("give the folder with model.safetensors and config.json");
}

Result<std::vector<fs::path>> shardsOf(const fs::path& index) {
    KURVE_TRY(const std::string text, readFile(index));
    const json map = json::parse(text, nullptr, false);
    const json names = map.is_object() ? map.value("weight_map", json()) : json();
    if (!names.is_object() || names.empty())
        return requestError("model.shard", "names no files (no \"weight_map\")").in(index.string());
    std::set<fs::path> files;
    std::error_code ignored;
    for (const auto& [tensor, file] : names.items()) {
        const bool plain = file.is_string() && isFileName(file.get<std::string>());
        if (!plain || !fs::exists(index.parent_path() / file.get<std::string>(), ignored))
            return requestError("model.shard",
                                fmt::format("names {} for \"{}\", which is not in this folder",
                                            plain ? file.get<std::string>() : "no file", tensor))
                .in(index.string())
                .fix("get the missing file from where the model was published");
        files.insert(index.parent_path() / file.get<std::string>());
    }
    return std::vector<fs::path>(files.begin(), files.end());
}

/// A tensor of one of the files, and in which it is.
struct Found {
    const store::TensorView* view = nullptr;
    const fs::path* file = nullptr;
};
using Published = std::map<std::string, Found>;

/// Our names of what was found, and what is wrong with it.
class Fitting {
public:
    Fitting(const Published& found, const PublishedModel& model, torch::nn::Module& module,
            const std::optional<PublishedCopy>& copy)
        : found_(found), module_(module) {
        for (const auto& [published, name] : model.names) check(published, name);
        for (const auto& [name, tensor] : found)
            if (!model.names.contains(name) && !model.repeated.contains(name) &&
                !(copy && copy->names.contains(name)) &&
                std::find(model.computed.begin(), model.computed.end(), name) == model.computed.end() &&
                std::find(model.unused.begin(), model.unused.end(), name) == model.unused.end())
                extra_.push_back(name);
    }
    [[nodiscard]] Status status(const fs::path& file) const {
        std::vector<std::string> all;
        const auto add = [&](const std::vector<std::string>& names, const char* what) {
            if (!names.empty()) all.push_back(std::string(what) + " " + join(names, ", "));
        };
        add(missing_, "missing:");
        add(extra_, "not expected:");
        add(misshapen_, "of another shape:");
        if (all.empty()) return {};
        return requestError("model.tensors", "the tensors are not those of this model; " + join(all, "; "))
            .in(file.string())
            .fix("give the weights that belong to config.json, or another --family");
    }

private:
    void check(const std::string& published, const std::string& name) {
        const auto found = found_.find(published);
        if (found == found_.end()) return missing_.push_back(published);
        const at::Tensor mine = publishedPart(module_, name);
        if (found->second.view->shape != mine.sizes().vec())
            misshapen_.push_back(fmt::format("{} {} instead of {}", published,
                                             shapeText(found->second.view->shape),
                                             shapeText(mine.sizes().vec())));
    }

    const Published& found_;
    torch::nn::Module& module_;
    std::vector<std::string> missing_, extra_, misshapen_;
};

/// The values as our parameter holds them. Errors: model.dtype, model.not_finite.
Result<at::Tensor> valuesOf(const std::string& name, const Found& found) {
    const auto values = tensorOf(*found.view);
    if (!values || !values->is_floating_point())
        return requestError("model.dtype", "has dtype " + found.view->dtype + ", which is not read here")
            .in(found.file->string())
            .at(name)
            .fix("give weights in F32, F16, BF16 or F64");
    at::Tensor single = values->to(at::kFloat);
    if (!at::isfinite(single).all().item<bool>())
        return workError("model.not_finite", "holds a value that is no finite number")
            .in(found.file->string())
            .at(name)
            .fix("get the file again; if it was published like this, it cannot be used");
    return single;
}

/// Errors: model.tensors, beside valuesOf()'s.
Status checkRepeated(const Published& found, const PublishedModel& model) {
    for (const auto& [again, name] : model.repeated) {
        const auto second = found.find(again);
        if (second == found.end()) continue;
        KURVE_TRY(const at::Tensor one, valuesOf(name, found.at(name)));
        KURVE_TRY(const at::Tensor other, valuesOf(again, second->second));
        if (!at::equal(one, other))
            return requestError("model.tensors",
                                fmt::format("is not equal to \"{}\", which it repeats", name))
                .in(second->second.file->string())
                .at(again)
                .fix("get the file again; if it was published like this, it cannot be used");
    }
    return {};
}

Status checkCopy(const Published& found, const PublishedCopy& copy) {
    for (const auto& [published, own] : copy.names) {
        const auto theirs = found.find(published);
        if (theirs == found.end()) continue;
        KURVE_TRY(const at::Tensor values, valuesOf(published, theirs->second));
        if (!at::equal(values, publishedPart(*copy.module, own)))
            return requestError("model.tensors", "is not that of the run which the settings name")
                .in(theirs->second.file->string())
                .at(published)
                .fix(fmt::format("import the model it was published with and name that run: --set {}=RUN",
                                 copy.setting));
    }
    return {};
}

Result<std::vector<std::shared_ptr<const store::SafetensorsFile>>> opened(std::span<const fs::path> files) {
    std::vector<std::shared_ptr<const store::SafetensorsFile>> all;
    for (const fs::path& file : files) {
        KURVE_TRY(auto one, store::SafetensorsFile::open(file));
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

std::map<std::string, std::string> namesFor(std::span<const PublishedName> table, std::int64_t blocks) {
    std::map<std::string, std::string> names;
    for (const auto& [published, own] : table) {
        const bool each = std::string_view(published).find('#') != std::string_view::npos;
        for (std::int64_t i = 0; i < (each ? blocks : 1); ++i)
            names.emplace(withNumber(published, i), withNumber(own, i));
    }
    return names;
}

at::Tensor publishedPart(torch::nn::Module& module, const std::string& name) {
    const auto at = name.find('@'), slash = name.find('/', at);
    const at::Tensor whole = module.named_parameters()[name.substr(0, at)];
    if (at == std::string::npos) return whole;
    const std::int64_t part = std::stoll(name.substr(at + 1)), parts = std::stoll(name.substr(slash + 1));
    return whole.narrow(0, part * (whole.size(0) / parts), whole.size(0) / parts);
}

bool namesModel(const json& config, std::span<const char* const> types) {
    std::vector<std::string> named;
    if (const json type = config.value("model_type", json()); type.is_string())
        named.push_back(lowered(type));
    const json architectures = config.value("architectures", json());
    std::vector<std::string> classes;
    if (architectures.is_array())
        for (const json& one : architectures)
            if (one.is_string()) classes.push_back(lowered(one));
    return std::any_of(types.begin(), types.end(), [&](const char* type) {
        return std::find(named.begin(), named.end(), type) != named.end() ||
               std::any_of(classes.begin(), classes.end(),
                           [&](const std::string& name) { return name.starts_with(type); });
    });
}

Result<std::int64_t> sizeIn(const json& config, const char* key, std::int64_t fallback) {
    const json value = config.value(key, json());
    if (value.is_null() && fallback > 0) return fallback;
    if (value.is_number_integer() && value.get<std::int64_t>() > 0) return value.get<std::int64_t>();
    return requestError("model.config", value.is_null() ? fmt::format("says no \"{}\"", key)
                                                        : fmt::format("\"{}\" is no size", key))
        .at(key)
        .fix("give the config.json that was published with the weights, or another --family");
}

Result<std::vector<fs::path>> publishedWeightFiles(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder / kIndex, ignored)) return shardsOf(folder / kIndex);
    auto files = filesOf(folder, [](const fs::path& file) { return file.extension() == ".safetensors"; });
    if (files.empty()) return noWeights(folder);
    const auto usual = std::find(files.begin(), files.end(), folder / "model.safetensors");
    if (usual != files.end()) return std::vector{*usual};
    if (files.size() == 1) return files;
    return requestError("model.no_weights",
                        fmt::format("there are {} weight files and no index", files.size()))
        .in(folder.string())
        .fix(std::string("give the folder with ") + kIndex);
}

Result<std::set<std::string>> publishedTensors(std::span<const fs::path> files) {
    KURVE_TRY(const auto open, opened(files));
    std::set<std::string> names;
    for (const auto& file : open)
        for (const auto& [name, view] : file->tensors()) names.insert(name);
    return names;
}

Status loadPublishedWeights(std::span<const fs::path> files, const PublishedModel& model,
                            torch::nn::Module& module, const std::optional<PublishedCopy>& copy) {
    const torch::NoGradGuard noGrad;
    KURVE_TRY(const auto open, opened(files));
    Published found;
    for (std::size_t i = 0; i < files.size(); ++i)
        for (const auto& [name, view] : open[i]->tensors()) {
            const bool prefixed = !model.prefix.empty() && name.starts_with(model.prefix);
            found[prefixed ? name.substr(model.prefix.size()) : name] = {&view, &files[i]};
        }
    KURVE_CHECKED(Fitting(found, model, module, copy).status(files.front()));
    KURVE_CHECKED(checkRepeated(found, model));
    if (copy) KURVE_CHECKED(checkCopy(found, *copy));
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;
    for (const auto& [published, name] : model.names) {
        KURVE_TRY(at::Tensor values, valuesOf(published, found.at(published)));
        copies.emplace_back(publishedPart(module, name), std::move(values));
    }
    for (auto& [into, from] : copies) into.copy_(from);
    return {};
}

}  // namespace kurve::train
